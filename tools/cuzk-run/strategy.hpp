#pragma once
#include "options.hpp"

#include <memory>
#include <vector>

#include <cuzk/groth16/layout.hpp>
#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::run {

/// Finds the plugins and composes the strategy that was asked for, for the first key's curve and the largest domain.
Composition compose_for(PluginRegistry&, const Options&, const std::vector<const ProvingKey*>&);

/// A warning where the lock policy is an experiment.
void warn_of_experiment(const HostServices&, const LockComponent&);

void log_layout(const HostServices&, const Layout&);

}  // namespace cuzk::run
