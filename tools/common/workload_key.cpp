#include "workload_key.hpp"

#include <algorithm>
#include <string>

#include <cuzk/error.hpp>
#include <cuzk/groth16/device_multiples.hpp>
#include <cuzk/groth16/setup.hpp>

namespace cuzk::tool {

std::shared_ptr<const ProvingKey> make_key(HostServices& services, const Strategy& strategy, const Workload& workload,
                                           std::optional<uint64_t> device_memory) {
  const auto& circuit = workload.circuit();
  std::optional<DeviceMultiples> device;
  if (DeviceMultiples::offered(strategy)) {
    const uint64_t most = std::max(circuit->variables, uint64_t{1} << domain_log2(*circuit));
    try {
      device.emplace(services, strategy, circuit->curve, most, device_memory);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
      services.log(LogLevel::warn, "setup", circuit->name + ": not on the device: " + error.what());
    }
  }
  services.log(LogLevel::info, "setup",
               circuit->name + ": the key is made on " + (device ? device->where() : std::string("the CPU")));
  return setup(circuit, workload.conventions(), workload.spec().seed, services.cpu(), device ? &*device : nullptr);
}

}  // namespace cuzk::tool
