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
};

/// True when the component's steps run in the device's space; false: in host space, outside the leases.
inline bool runs_on(const Component& component, const Device& device) {
  return component.info().runs_in(device.space().kind);
}

}  // namespace cuzk
