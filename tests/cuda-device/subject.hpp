#pragma once
/// Proofs of small circuits made in the process, for programs that look at how a plugin behaves.

#include "faults.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <string>

#include <cuzk/error.hpp>
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

/// A workload's key, its first witness and the proof of it that cpu-reference makes.
struct Subject {
  Subject(PluginRegistry& registry, const std::string& spec) : name(spec) {
    HostServices& services = registry.services();
    const Workload workload(parse_workload(spec));
    key = setup(workload.circuit(), workload.conventions(), workload.spec().seed, services.cpu());
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

  std::string name;
  std::shared_ptr<const ProvingKey> key;
  Witness witness;
  Proof expected;
};

}  // namespace cuzk::testing
