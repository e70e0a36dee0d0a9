#pragma once
#include <cstdint>
#include <functional>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

/// The right to touch one memory space in a phase. Every device-touching call takes one, and only a DeviceQueue makes
/// one for a device: work that bypasses the lock policy does not compile. Loading keys, set-up and micro-benchmarks
/// take leases too. Steps in host space touch no device; for_host() gives what their calls need. A moved-from lease is
/// in no phase.
class Lease {
 public:
  enum class Phase { host, stage, compute };

  static Lease for_host(uint64_t ticket, uint32_t worker, cuzk_mem workspace);

  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&&) = delete;
  ~Lease();  ///< leaves the phase as failed unless finish() was called

  /// Leaves the phase with success; the lease gives no right any more. A second call does nothing.
  void finish();

  Phase phase() const { return phase_; }
  cuzk_space space() const { return space_; }
  uint32_t slot() const { return slot_; }          ///< index of the slot held; 0 in host phase
  const cuzk_call& call() const { return call_; }  ///< ticket, worker, workspace
  /// The same right with other memory in its call, for one step that gets a part of the workspace. Leaves nothing when
  /// it goes and must not outlive this lease.
  Lease with(cuzk_mem workspace, cuzk_mem pinned) const;

 private:
  friend class DeviceQueue;
  Lease(Phase phase, cuzk_space space, uint32_t slot, const cuzk_call& call, std::function<void(bool ok)> leave);

  Phase phase_;
  cuzk_space space_;
  uint32_t slot_;
  cuzk_call call_;
  std::function<void(bool ok)> leave_;
};

}  // namespace cuzk
