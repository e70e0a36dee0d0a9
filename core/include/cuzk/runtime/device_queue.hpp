#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cuzk/lease.hpp>
#include <cuzk/runtime/scheduler.hpp>

namespace cuzk {

class HostServices;

/// The threads' side of one device's Scheduler: waits for grants and makes the leases. Threads: any; only worker threads wait.
class DeviceQueue {
 public:
  /// workspaces: one memory per workspace of the scheduler (policy's compute width), handed out with compute leases.
  DeviceQueue(HostServices&, std::string device_name, cuzk_space space, std::unique_ptr<LockPolicy> policy,
              std::string policy_name, uint32_t slots, uint32_t workers);
  ~DeviceQueue();

  uint32_t workspaces() const;
  void set_workspaces(std::vector<cuzk_mem> workspaces);

  uint64_t draw_ticket(uint64_t job, bool alone = false);
  /// Blocks until the policy lets the ticket into stage. Error: internal (stall, naming the policy) or cancelled.
  Lease stage(uint64_t ticket, uint32_t worker);
  /// Call after the stage lease finished. Blocks until the policy lets the ticket into compute.
  Lease compute(uint64_t ticket, uint32_t worker);
  /// For a ticket whose holder gives up between phases. Harmless for a ticket that is already gone.
  void abandon(uint64_t ticket) noexcept;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace cuzk
