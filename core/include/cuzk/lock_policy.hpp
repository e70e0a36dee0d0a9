#pragma once
#include <cstdint>
#include <memory>

#include <cuzk/component.hpp>

namespace cuzk {

/// Who enters its next phase. A decision, not a mutex: it sees tickets and free slots, never bytes, and never blocks.
class LockPolicy {
 public:
  virtual ~LockPolicy() = default;
  virtual uint32_t stage_width() const = 0;    ///< most tickets in stage at once; 0: as many as workers
  virtual uint32_t compute_width() const = 0;  ///< most tickets in compute at once; core makes as many workspaces
  virtual uint32_t pick(const cuzk_lock_view&) = 0;
};

class LockComponent : public Component {
 public:
  virtual std::unique_ptr<LockPolicy> open(uint32_t workers) const = 0;
};

}  // namespace cuzk
