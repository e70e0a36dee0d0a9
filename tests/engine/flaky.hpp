#pragma once
#include "flaky/control.hpp"
#include "plugins.hpp"

#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuzk/error.hpp>

namespace cuzk::testing {

/// The plugins of this build and "flaky".
struct FlakyPlugins : Plugins {
  explicit FlakyPlugins(uint32_t threads) : Plugins(threads), control(load()) { control.go_well(); }
  ~FlakyPlugins() { control.hang = false; }

  /// On devices of the given numbers. A lost one is lost for the process, so tests that lose some use numbers of their
  /// own.
  Strategy flaky(const ProvingKey& key, const std::vector<uint32_t>& numbers, uint32_t workers = 1,
                 const std::string& lock = "single-lock") {
    StrategyRequest request;
    request.plugin = "flaky";
    request.lock = lock;
    request.workers = workers;
    for (const uint32_t number : numbers) request.devices.push_back("flaky:" + std::to_string(number));
    request.curve = key.shape.curve;
    request.log2_size = key.shape.domain.log2_size;
    return compose(registry, request).strategy;
  }

  FlakyControl& control;

 private:
  FlakyControl& load() {
    const Verdict verdict = registry.load(CUZK_FLAKY);
    if (!verdict.ok()) throw std::runtime_error(to_line(verdict));
    void* const library = ::dlopen(CUZK_FLAKY, RTLD_NOW | RTLD_NOLOAD);
    return *reinterpret_cast<FlakyControl* (*)()>(::dlsym(library, "cuzk_flaky_control"))();
  }
};

inline ProveOptions of(const ProofJob& job) {
  ProveOptions options;
  options.job = &job;
  return options;
}

/// The error that body throws; internal where it throws none.
template <class Body>
Error error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::internal, "nothing thrown");
}

}  // namespace cuzk::testing
