#pragma once
#include <cstdint>
#include <functional>
#include <utility>

#include <cuzk/lock_policy.hpp>

namespace cuzk::testing {

/// A lock policy from a function, with the widths it promises.
class TestPolicy : public LockPolicy {
 public:
  using Pick = std::function<uint32_t(const cuzk_lock_view&)>;
  TestPolicy(uint32_t stage_width, uint32_t compute_width, Pick pick)
      : stage_width_(stage_width), compute_width_(compute_width), pick_(std::move(pick)) {}
  uint32_t stage_width() const override { return stage_width_; }
  uint32_t compute_width() const override { return compute_width_; }
  uint32_t pick(const cuzk_lock_view& view) override { return pick_(view); }

 private:
  uint32_t stage_width_, compute_width_;
  Pick pick_;
};

inline uint32_t oldest_in(const cuzk_lock_view& view, uint32_t state) {
  for (uint32_t i = 0; i < view.count; ++i) {
    if (view.tickets[i].state == state) return i;
  }
  return CUZK_NONE;
}

inline uint32_t count_in(const cuzk_lock_view& view, uint32_t state) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < view.count; ++i) count += view.tickets[i].state == state ? 1 : 0;
  return count;
}

/// No exclusion: everybody enters, as long as there are slots and workspaces (one per worker).
inline uint32_t pick_none(const cuzk_lock_view& view) {
  const uint32_t compute = oldest_in(view, CUZK_WAIT_COMPUTE);
  if (compute != CUZK_NONE) return count_in(view, CUZK_IN_COMPUTE) < view.workers ? compute : CUZK_NONE;
  const bool room = view.slots_free != 0 && count_in(view, CUZK_IN_STAGE) < view.workers;
  return room ? oldest_in(view, CUZK_WAIT_STAGE) : CUZK_NONE;
}

/// One ticket at a time, from its stage to the end of its compute.
inline uint32_t pick_single(const cuzk_lock_view& view) {
  const uint32_t compute = oldest_in(view, CUZK_WAIT_COMPUTE);
  if (compute != CUZK_NONE) return compute;
  const bool busy = count_in(view, CUZK_IN_STAGE) + count_in(view, CUZK_IN_COMPUTE) != 0;
  return busy || view.slots_free == 0 ? CUZK_NONE : oldest_in(view, CUZK_WAIT_STAGE);
}

/// One in stage beside one in compute; compute goes to the oldest staged ticket.
inline uint32_t pick_two(const cuzk_lock_view& view) {
  const uint32_t compute = oldest_in(view, CUZK_WAIT_COMPUTE);
  if (compute != CUZK_NONE && count_in(view, CUZK_IN_COMPUTE) == 0) return compute;
  const bool room = view.slots_free != 0 && count_in(view, CUZK_IN_STAGE) == 0;
  return room ? oldest_in(view, CUZK_WAIT_STAGE) : CUZK_NONE;
}

inline TestPolicy none_policy() { return {0, 0, pick_none}; }
inline TestPolicy single_policy() { return {1, 1, pick_single}; }
inline TestPolicy two_policy() { return {1, 1, pick_two}; }

}  // namespace cuzk::testing
