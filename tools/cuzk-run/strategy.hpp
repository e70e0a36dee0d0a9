#pragma once
#include "options.hpp"

#include <memory>
#include <vector>

#include <cuzk/groth16/layout.hpp>
#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::run {

/// Composes the strategy that was asked for; finds the plugins when it is first asked. One thread.
class Composer {
 public:
  Composer(HostServices& services, const Options& options) : options_(options), registry_(services) {}

  Composition compose_for(Curve, uint32_t log2_domain);
  /// For the first key's curve and the largest domain; says in the log what was chosen.
  Composition compose_for(const std::vector<const ProvingKey*>&);

 private:
  void find_plugins();

  const Options& options_;
  PluginRegistry registry_;
  bool found_ = false;
};

/// The workload's key, its points made on the first device of the strategy that was asked for, where that offers it and
/// has the memory, else on the CPU: which of them, stands in the log.
std::shared_ptr<const ProvingKey> make_key(HostServices&, const Options&, Composer&, const Workload&);

/// A warning where the lock policy is an experiment.
void warn_of_experiment(const HostServices&, const LockComponent&);

void log_layout(const HostServices&, const Layout&);

}  // namespace cuzk::run
