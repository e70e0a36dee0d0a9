#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <cuzk/device.hpp>
#include <cuzk/lock_policy.hpp>
#include <cuzk/msm.hpp>
#include <cuzk/ntt.hpp>
#include <cuzk/staging.hpp>

namespace cuzk {

/// One component per role, the devices and the workers on each: what the loader composes and the prover opens.
/// Lifetime: the components and devices call into plugins. The strategy, its copies and everything opened through it
/// (instances, jobs, bases, policies, memory) must be gone before the PluginRegistry that it was composed from.
struct Strategy {
  std::vector<std::shared_ptr<Device>> devices;
  std::shared_ptr<const StagingComponent> staging;
  std::shared_ptr<const NttComponent> ntt;
  std::shared_ptr<const MsmComponent> msm;
  std::shared_ptr<const LockComponent> lock;
  uint32_t workers = 1;  ///< per device
  /// What a retry moves data with: the plainest component that the staging's plugin has. Null: staging itself.
  std::shared_ptr<const StagingComponent> plain_staging = nullptr;
  bool stream_bases = false;  ///< keep none on the devices
  bool alone = false;         ///< tickets want to be alone on their device
};

/// Partitions under way on one device beside the workers': one that is prepared and one that is finished.
constexpr uint32_t kBesideWorkers = 2;

/// Partitions under way on one device at once.
inline uint32_t most_in_flight(const Strategy& strategy) {
  return strategy.alone ? 1 : strategy.workers + kBesideWorkers;
}

/// What a partition that failed is tried with once more: one worker, plain staging, bases streamed, alone.
inline Strategy plainest(Strategy strategy) {
  if (strategy.plain_staging) strategy.staging = strategy.plain_staging;
  strategy.workers = 1;
  strategy.stream_bases = true;
  strategy.alone = true;
  return strategy;
}

/// The device that page-locks the engine's vectors (HostPool::Pinning), for all: the first that can, where staging
/// wants it; else null.
inline std::shared_ptr<Device> locker_of(const Strategy& strategy) {
  if (!strategy.staging->wants_pinned()) return nullptr;
  for (const auto& device : strategy.devices) {
    if (device->can_pin()) return device;
  }
  return nullptr;
}

/// True when the component's steps run in the device's space; false: in host space, outside the leases.
inline bool runs_on(const Component& component, const Device& device) {
  return component.info().runs_in(device.space().kind);
}

}  // namespace cuzk
