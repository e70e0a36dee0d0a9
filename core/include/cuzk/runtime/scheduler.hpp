#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <cuzk/lease.hpp>
#include <cuzk/lock_policy.hpp>

namespace cuzk {

/// The waiting around a LockPolicy as a state machine: no threads and no clock of its own, so that the engine, a simulator and
/// a model checker drive the same code. Not thread-safe: the caller holds its own lock.
/// A ticket goes wait_stage -> stage -> wait_compute -> compute -> gone. Its slot is held from the stage grant until it is gone.
class Scheduler {
 public:
  enum class Event {
    ready,      ///< drawn: wants the stage phase
    staged,     ///< left stage with success: wants the compute phase
    computed,   ///< left compute: gone
    failed,     ///< gone from wherever it was
    cancelled,  ///< likewise
  };
  struct Grant {
    uint64_t ticket;
    Lease::Phase phase;
    uint32_t slot;       ///< < slots
    uint32_t workspace;  ///< < workspaces(); meaningful for compute
  };
  struct Outcome {
    std::vector<Grant> grants;
    std::vector<uint64_t> stalled;  ///< tickets failed because the policy let nobody in while nobody ran
  };

  Scheduler(LockPolicy& policy, std::string policy_name, uint32_t slots, uint32_t workers);

  uint64_t draw_ticket(uint64_t job, bool alone);
  /// Throws Error internal, naming the policy, when it picks a ticket that is not waiting, has no slot or exceeds a width.
  Outcome on(uint64_t ticket, Event event, uint64_t now_ns);

  uint32_t slots() const { return slots_; }
  uint32_t workspaces() const;  ///< compute_width, or workers when the policy says 0
  const std::string& policy_name() const { return policy_name_; }

 private:
  struct Entry {
    cuzk_ticket ticket;
    bool ready;  ///< drawn tickets take part only after Event::ready
    uint32_t slot, workspace;
  };
  Outcome settle(uint64_t now_ns);

  LockPolicy& policy_;
  std::string policy_name_;
  uint32_t slots_, workers_;
  uint64_t next_ticket_ = 1;
  std::vector<Entry> entries_;  ///< in ticket order
};

}  // namespace cuzk
