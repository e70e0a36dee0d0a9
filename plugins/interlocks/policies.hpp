#pragma once
/// The lock policies in plain sight. A policy answers which waiting ticket enters its next phase; tickets stand oldest
/// first. docs/strategies.md shows what each looks like.

#include <cstdint>

#include <cuzk/sdk/lock_policy.hpp>

namespace cuzk::interlocks {

using sdk::count_in;
using sdk::oldest;

/// Index of the ticket that runs alone, else of the oldest that wants to, else CUZK_NONE.
inline uint32_t lone(const cuzk_lock_view& view) {
  uint32_t found = CUZK_NONE;
  for (uint32_t i = 0; i < view.count; ++i) {
    if ((view.tickets[i].flags & CUZK_TICKET_ALONE) == 0) continue;
    if (view.tickets[i].state != CUZK_WAIT_STAGE) return i;
    if (found == CUZK_NONE) found = i;
  }
  return found;
}

/// Index of the oldest ticket that waits for stage, or CUZK_NONE: there is none, no slot is free, or the door is shut.
/// A ticket that wants to be alone shuts it behind itself: whoever is older or already inside leaves first, then it
/// runs, then the younger ones go on, so that nobody waits for ever.
inline uint32_t next_to_stage(const cuzk_lock_view& view) {
  const uint32_t next = oldest(view, CUZK_WAIT_STAGE), alone = lone(view);
  if (next == CUZK_NONE || view.slots_free == 0) return CUZK_NONE;
  if (alone != CUZK_NONE && view.tickets[alone].state != CUZK_WAIT_STAGE) return CUZK_NONE;  // it runs
  if (next < alone) return next;
  const bool empty = count_in(view, CUZK_WAIT_STAGE) == view.count;
  return next == alone && empty ? next : CUZK_NONE;
}

/// No exclusion: everybody enters at once, as many as there are workers, each with a workspace of its own.
struct None {
  static constexpr uint32_t kStageWidth = 0, kComputeWidth = 0;

  static uint32_t pick(const cuzk_lock_view& view) {
    const uint32_t staged = oldest(view, CUZK_WAIT_COMPUTE);
    if (staged != CUZK_NONE && count_in(view, CUZK_IN_COMPUTE) < view.workers) return staged;
    return count_in(view, CUZK_IN_STAGE) < view.workers ? next_to_stage(view) : CUZK_NONE;
  }
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

/// Two locks: one ticket stages while another computes, and staging runs ahead as far as there are slots. Compute goes
/// to the oldest staged ticket: the oldest of all may still wait for the slot that a staged one holds.
struct TwoLock {
  static constexpr uint32_t kStageWidth = 1, kComputeWidth = 1;

  static uint32_t pick(const cuzk_lock_view& view) {
    const uint32_t staged = oldest(view, CUZK_WAIT_COMPUTE);
    if (staged != CUZK_NONE && count_in(view, CUZK_IN_COMPUTE) == 0) return staged;
    return count_in(view, CUZK_IN_STAGE) == 0 ? next_to_stage(view) : CUZK_NONE;
  }
};

/// EXPERIMENT, the well-known broken design: two locks that know nothing of memory. It stages whether or not a slot is
/// free and books its workspace only at compute, by when a waiting ticket's vectors may lie in it. Where memory is
/// short its tickets fail with out of memory.
struct TwoLockNaive {
  static constexpr uint32_t kStageWidth = 1, kComputeWidth = 1, kFlags = CUZK_LOCK_LATE_WORKSPACE;

  static uint32_t pick(const cuzk_lock_view& view) {
    const uint32_t next = oldest(view, CUZK_WAIT_STAGE);
    if (next != CUZK_NONE && count_in(view, CUZK_IN_STAGE) == 0) return next;
    return count_in(view, CUZK_IN_COMPUTE) == 0 ? oldest(view, CUZK_WAIT_COMPUTE) : CUZK_NONE;
  }
};

}  // namespace cuzk::interlocks
