#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuzk/groth16/simulation.hpp>

namespace cuzk::groth16 {

/// What an engine of a card does as one piece; starts when the steps before it, by index, are over.
struct CardStep {
  ModelEngines::Engine engine;
  std::string name;
  uint64_t duration_ns, bytes;
  std::vector<size_t> after;
};

/// The uploads of a partition's slot.
std::vector<CardStep> stage_steps(const Simulation&);
/// The quotient and the jobs as the prover runs them: streamed bases through a ring of two chunks, which are uploaded
/// under the kernels of those before.
std::vector<CardStep> compute_steps(const Simulation&);

}  // namespace cuzk::groth16
