#pragma once
#include "vectors.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <cuzk/groth16/prover.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::testing {

/// What a process has of cuzk: threads and the plugins of this build.
struct Plugins {
  explicit Plugins(uint32_t threads) : services(threads), registry(services) {
    ::unsetenv("CUZK_PLUGIN_PATH");
    registry.scan(CUZK_PLUGINS);
  }

  Strategy strategy(const ProvingKey& key, const std::string& lock, uint32_t workers = 1,
                    std::vector<std::string> devices = {}) {
    StrategyRequest request;
    request.plugin = "cpu-reference";
    request.lock = lock;
    request.workers = workers;
    request.devices = std::move(devices);
    request.curve = key.shape.curve;
    request.log2_size = key.shape.domain.log2_size;
    return compose(registry, request).strategy;
  }

  HostServices services;
  PluginRegistry registry;
};

/// The multiplier's witness: one, c = a b, a, b.
inline Witness product_of(HostServices& services, Curve curve, uint64_t a, uint64_t b) {
  Witness witness{std::to_string(a) + " * " + std::to_string(b), curve, FrVector(services.memory(), 4, "a witness")};
  const uint64_t values[] = {1, a * b, a, b};
  for (size_t i = 0; i < 4; ++i) witness.values.data()[i] = {{values[i], 0, 0, 0}};
  return witness;
}

}  // namespace cuzk::testing
