#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <cuzk/lease.hpp>
#include <cuzk/runtime/scheduler.hpp>

namespace cuzk {

class HostServices;

/// The threads' side of one device's Scheduler: waits for grants and makes the leases. Threads: any; only worker
/// threads wait. Traced in the timeline, on the device's name: "wait stage", "in stage", "wait compute", "in compute"
/// of every ticket; the "in" events of exclusive phases do not overlap.
class DeviceQueue {
 public:
  /// The policy's name is for messages; late_slots as in Scheduler. A lease may outlive the queue. Error internal: no
  /// slot or no worker.
  DeviceQueue(HostServices&, std::string device_name, cuzk_space space, std::unique_ptr<LockPolicy> policy,
              std::string policy_name, uint32_t slots, uint32_t workers, uint32_t late_slots = 0);
  ~DeviceQueue();

  uint32_t workspaces() const;
  /// One memory per workspace of the scheduler (the policy's compute width), handed out with compute leases; borrowed
  /// as long as leases live. Before it is called leases carry none. Error internal: another count than workspaces().
  void set_workspaces(std::vector<cuzk_mem> workspaces);

  /// Numbers rise over all devices of the process.
  uint64_t draw_ticket(uint64_t job, bool alone = false);
  /// Blocks until the policy lets the ticket into stage. Errors name the device; the ticket is gone then: internal (the
  /// policy stalls or picks wrongly, and is named), out_of_memory (picked where there is no memory for it) or cancelled
  /// (seen within 50 ms). settle: ends what the phase started and left running. Called, by any thread and under the
  /// queue's lock, if the ticket is gone after its stage and before compute lets it in, so that nothing runs in its
  /// slot when others get it. Must neither throw nor call the queue.
  Lease stage(uint64_t ticket, uint32_t worker, std::function<void()> settle = {});
  /// Call after the stage lease finished. Blocks until the policy lets the ticket into compute. Errors as for stage().
  Lease compute(uint64_t ticket, uint32_t worker);
  /// For a ticket whose holder gives up between phases and of which nothing runs. Harmless for a ticket that is already
  /// gone.
  void abandon(uint64_t ticket) noexcept;

 private:
  struct Impl;
  Lease enter(uint64_t ticket, uint32_t worker, Lease::Phase phase, std::function<void()> settle,
              std::unique_lock<std::mutex>& lock);
  std::shared_ptr<Impl> impl_;
};

}  // namespace cuzk
