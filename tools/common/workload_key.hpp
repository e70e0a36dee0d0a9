#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/runtime/host_services.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk::tool {

/// The workload's key in memory, its points made on the strategy's first device, where that offers it and has the
/// memory, else on the CPU: which of them, stands in the log. device_memory: `--device-memory`.
std::shared_ptr<const ProvingKey> make_key(HostServices&, const Strategy&, const Workload&,
                                           std::optional<uint64_t> device_memory = {});

}  // namespace cuzk::tool
