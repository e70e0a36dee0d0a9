#pragma once
#include <cstdint>
#include <memory>

#include <cuzk/component.hpp>

namespace cuzk {

/// Who enters its next phase. A decision, not a mutex: it sees tickets and free slots, never bytes, and never blocks.
/// One policy per device. Threads: any, one at a time.
class LockPolicy {
 public:
  virtual ~LockPolicy() = default;
  virtual uint32_t stage_width() const = 0;    ///< constant, as its component says
  virtual uint32_t compute_width() const = 0;  ///< likewise
  /// Index of a waiting ticket to let into its next phase, or CUZK_NONE. Called under core's lock, again and again
  /// after every change until CUZK_NONE: must be quick and must not call back into core. The view and its tickets, in
  /// ticket order, are borrowed for the call. Errors: std::exception; the oldest waiting ticket then fails with its
  /// text.
  virtual uint32_t pick(const cuzk_lock_view&) = 0;
};

class LockComponent : public Component {
 public:
  /// An experiment: its tickets fail with out_of_memory where memory is short (CUZK_LOCK_LATE_WORKSPACE, Scheduler).
  bool books_late() const { return (info().api_flags & CUZK_LOCK_LATE_WORKSPACE) != 0; }
  /// Constants of every policy that it opens, known without opening one. Most tickets in a phase at once; 0: as many as
  /// workers. Core makes compute_width() workspaces.
  virtual uint32_t stage_width() const = 0;
  virtual uint32_t compute_width() const = 0;
  /// A policy for one device. Must go before the plugin it came from is shut down. Error: the component's own.
  virtual std::unique_ptr<LockPolicy> open(uint32_t workers) const = 0;
};

}  // namespace cuzk
