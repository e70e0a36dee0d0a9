#pragma once
#include <atomic>
#include <string>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

/// Whether a device still works. Once lost it stays lost for the life of the process, whoever calls it.
struct DeviceHealth {
  const std::string name;  ///< "cuda:0"
  std::atomic<bool> lost{false};
};

/// The one health of a space's device, shared by everything that calls into it; null for host space, which has none.
/// The first call names the device; without a name it is called after the space. Threads: any.
DeviceHealth* device_health(cuzk_space space, const std::string& name = {});

}  // namespace cuzk
