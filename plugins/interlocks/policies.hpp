#pragma once
/// The lock policies in plain sight. A policy answers which waiting ticket enters its next phase; tickets stand oldest
/// first.

#include <cstdint>

#include <cuzk/sdk/lock_policy.hpp>

namespace cuzk::interlocks {

using sdk::count_in;
using sdk::oldest;

/// No exclusion: everybody enters at once, as many as there are workers, each with a workspace of its own. Only a
/// ticket that wants to be alone closes the door behind it: whoever is older or already inside leaves first, then it
/// runs, then the younger ones go on, so that nobody waits for ever.
struct None {
  static constexpr uint32_t kStageWidth = 0, kComputeWidth = 0;

  static uint32_t pick(const cuzk_lock_view& view) {
    const uint32_t staged = oldest(view, CUZK_WAIT_COMPUTE);
    if (staged != CUZK_NONE && count_in(view, CUZK_IN_COMPUTE) < view.workers) return staged;
    const uint32_t next = oldest(view, CUZK_WAIT_STAGE);
    if (next == CUZK_NONE || view.slots_free == 0 || count_in(view, CUZK_IN_STAGE) == view.workers) return CUZK_NONE;
    const uint32_t alone = barrier(view);
    if (alone != CUZK_NONE && view.tickets[alone].state != CUZK_WAIT_STAGE) return CUZK_NONE;  // it runs
    if (next < alone) return next;
    return next == alone && inside(view) == 0 ? alone : CUZK_NONE;
  }

 private:
  /// Index of the ticket that runs alone, else of the oldest that wants to, else CUZK_NONE.
  static uint32_t barrier(const cuzk_lock_view& view) {
    uint32_t found = CUZK_NONE;
    for (uint32_t i = 0; i < view.count; ++i) {
      if ((view.tickets[i].flags & CUZK_TICKET_ALONE) == 0) continue;
      if (view.tickets[i].state != CUZK_WAIT_STAGE) return i;
      if (found == CUZK_NONE) found = i;
    }
    return found;
  }
  /// Tickets that hold a slot.
  static uint32_t inside(const cuzk_lock_view& view) { return view.count - count_in(view, CUZK_WAIT_STAGE); }
};

/// One lock, held from the stage grant to the end of the ticket's compute: one ticket on the device at a time, in the
/// order they were drawn. Whoever wants to be alone is.
struct SingleLock {
  static constexpr uint32_t kStageWidth = 1, kComputeWidth = 1;

  static uint32_t pick(const cuzk_lock_view& view) {
    if (count_in(view, CUZK_IN_STAGE) != 0 || count_in(view, CUZK_IN_COMPUTE) != 0) return CUZK_NONE;
    const uint32_t holder = oldest(view, CUZK_WAIT_COMPUTE);  // staged: it has the lock
    if (holder != CUZK_NONE) return holder;
    return view.slots_free != 0 ? oldest(view, CUZK_WAIT_STAGE) : CUZK_NONE;
  }
};

}  // namespace cuzk::interlocks
