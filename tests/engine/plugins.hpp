#pragma once
#include "vectors.hpp"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cuzk/groth16/prover.hpp>
#include <cuzk/groth16/setup.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::testing {

/// What a process has of cuzk: threads and the plugins of this build.
struct Plugins {
  explicit Plugins(uint32_t threads, std::shared_ptr<Clock> clock = {})
      : services(threads, {}, std::move(clock)), registry(services) {
    ::unsetenv("CUZK_PLUGIN_PATH");
    registry.scan(CUZK_PLUGINS);
  }

  Strategy strategy(const ProvingKey& key, const std::string& lock, uint32_t workers = 1,
                    std::vector<std::string> devices = {}, std::optional<DeviceModel> model = {}) {
    StrategyRequest request;
    request.plugin = "cpu-reference";
    request.lock = lock;
    request.workers = workers;
    request.devices = std::move(devices);
    request.device_model = std::move(model);
    request.curve = key.shape.curve;
    request.log2_size = key.shape.domain.log2_size;
    return compose(registry, request).strategy;
  }

  HostServices services;
  PluginRegistry registry;
};

/// A workload's key and witnesses, made in the process.
struct Partitions {
  Partitions(HostServices& services, const std::string& spec) {
    const Workload workload(parse_workload(spec));
    key = setup(workload.circuit(), workload.conventions(), workload.spec().seed, services.cpu());
    for (uint32_t i = 0; i < workload.spec().partitions; ++i) {
      witnesses.push_back(workload.witness(i, services.cpu(), services.memory()));
    }
  }
  std::shared_ptr<const ProvingKey> key;
  std::vector<Witness> witnesses;
};

inline DeviceModel sample_card(const std::string& name) {
  return read_device_model(std::string(CUZK_TEST_VECTORS) + "/../../samples/device-models/" + name);
}

/// The multiplier's witness: one, c = a b, a, b.
inline Witness product_of(HostServices& services, Curve curve, uint64_t a, uint64_t b) {
  Witness witness{std::to_string(a) + " * " + std::to_string(b), curve, FrVector(services.memory(), 4, "a witness")};
  const uint64_t values[] = {1, a * b, a, b};
  for (size_t i = 0; i < 4; ++i) witness.values.data()[i] = {{values[i], 0, 0, 0}};
  return witness;
}

}  // namespace cuzk::testing
