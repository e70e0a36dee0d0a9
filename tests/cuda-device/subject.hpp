#pragma once
/// Proofs of small circuits made in the process, for programs that look at how a plugin behaves.

#include "faults.hpp"

#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <string>

#include <cuzk/error.hpp>
#include <cuzk/groth16/device_multiples.hpp>
#include <cuzk/groth16/engine.hpp>
#include <cuzk/groth16/setup.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::testing {

inline constexpr uint64_t kSeed = 7;  ///< of r and s

inline bool same(const Proof& x, const Proof& y) {
  return std::visit(
      [](const auto& a, const auto& b) {
        if constexpr (std::is_same_v<decltype(a), decltype(b)>) return a.a == b.a && a.b == b.b && a.c == b.c;
        return false;
      },
      x, y);
}

/// The plugin of a file, however it names itself. Error unusable: why it could not be loaded.
inline std::shared_ptr<Plugin> load(PluginRegistry& registry, const std::filesystem::path& file) {
  const Verdict verdict = registry.load(file);
  if (!verdict.ok()) throw Error(ErrorCode::unusable, to_line(verdict));
  return registry.require(verdict.plugin);
}

/// The switches of a loaded plugin. Error unusable where it has none.
inline const Faults& faults_of(const Plugin& plugin) {
  void* const library = ::dlopen(plugin.facts().path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  auto* const entry = library == nullptr ? nullptr : ::dlsym(library, Faults::kEntry);
  if (entry == nullptr) {
    throw Error(ErrorCode::unusable, plugin.facts().path.string() + ": has no function " + Faults::kEntry);
  }
  return *reinterpret_cast<const Faults* (*)()>(entry)();
}

/// A workload's circuit, its key as the CPU makes it, its first witness and the proof of it that cpu-reference makes.
struct Subject {
  Subject(PluginRegistry& registry, const std::string& spec) : name(spec) {
    HostServices& services = registry.services();
    const Workload workload(parse_workload(spec));
    circuit = workload.circuit();
    conventions = workload.conventions();
    seed = workload.spec().seed;
    key = setup(circuit, conventions, seed, services.cpu());
    witness = workload.witness(0, services.cpu(), services.memory());
    Engine engine(services, strategy(registry, "cpu-reference"));
    expected = engine.prove(key, witness, {.insecure_seed = kSeed}).proof;
  }

  /// A plugin's default strategy for the key; ntt, msm: other components than its own; device: its number.
  Strategy strategy(PluginRegistry& registry, const std::string& plugin, const std::string& ntt = {},
                    const std::string& msm = {}, uint32_t device = 0) const {
    StrategyRequest request;
    request.plugin = plugin;
    request.devices = {std::to_string(device)};
    request.ntt = ntt;
    request.msm = msm;
    request.curve = key->shape.curve;
    request.log2_size = key->shape.domain.log2_size;
    return compose(registry, request).strategy;
  }

  /// Whether the engine's proof verifies and has the bytes that are expected.
  ProofResult prove(Engine& engine) const { return engine.prove(key, witness, {.insecure_seed = kSeed}); }
  bool right(const ProofResult& result) const { return result.verified && same(result.proof, expected); }
  bool proves(Engine& engine) const { return right(prove(engine)); }

  /// A device's multiples for this key, as many at a time as to take several chunks.
  std::unique_ptr<DeviceMultiples> multiples(HostServices& services, const Strategy& strategy) const {
    return std::make_unique<DeviceMultiples>(services, strategy, key->shape.curve, DeviceMultiples::kLeastChunk);
  }

  /// Whether the key that is made of them has the bytes of the one that the CPU made.
  bool makes_key(HostServices& services, DeviceMultiples& device) const {
    const auto made = setup(circuit, conventions, seed, services.cpu(), &device);
    for (size_t q = 0; q < key->queries.size(); ++q) {
      const PointSource &ours = *made->queries[q].points, &theirs = *key->queries[q].points;
      const size_t bytes = theirs.count() * point_bytes(key->shape.curve, group_of(static_cast<QueryId>(q)));
      if (ours.count() != theirs.count()) return false;
      if (bytes != 0 && std::memcmp(ours.direct(), theirs.direct(), bytes) != 0) return false;
    }
    return true;
  }

  std::string name;
  std::shared_ptr<const Circuit> circuit;
  Conventions conventions;
  uint64_t seed;
  std::shared_ptr<const ProvingKey> key;
  Witness witness;
  Proof expected;
};

}  // namespace cuzk::testing
