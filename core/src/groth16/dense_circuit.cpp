#include "groth16/synthetic_circuits.hpp"

#include <cuzk/groth16/proof.hpp>

namespace cuzk::groth16 {
namespace {

constexpr uint32_t kOne = 0, kRandom = 1, kRandoms = 16;  // dictionary

}  // namespace

/// x_0 and x_1 are free, x_(i+2) = (p x_i + x_(i+1)) (x_(i+1) + q) - s x_i with p, q, s of a small set of random
/// constants; the one public signal is the square of the last.
SyntheticCircuit dense_circuit(const WorkloadSpec& spec) {
  SyntheticCircuit made;
  Circuit& circuit = made.circuit;
  constexpr uint32_t kPublic = 1, kFirst = 2, kFree = 2;
  const uint64_t constraints = (uint64_t{1} << spec.log2_rows) + static_cast<uint64_t>(spec.extra_rows + 2) - 4;
  made.free_values = kFree;
  circuit.curve = spec.curve;
  circuit.publics = 1;
  circuit.variables = kFirst + kFree + constraints - 1;

  Draws draws(stream_seed(spec.seed, kCircuitStream));
  with_curve(spec.curve, [&]<class C>(std::type_identity<C>) {
    circuit.dictionary.push_back(std::bit_cast<cuzk_fr>(C::Fr::one()));
    for (uint32_t i = 0; i < kRandoms; ++i) {
      circuit.dictionary.push_back(random_coefficient<typename C::Fr>(draws.source()));
    }
  });
  const auto random = [&] { return kRandom + static_cast<uint32_t>(draws.below(kRandoms)); };
  const auto last = static_cast<uint32_t>(circuit.variables - 1);
  for (uint32_t x = kFirst; x + 1 < last; ++x) {
    append_row(circuit.a, {{x, random()}, {x + 1, kOne}});
    append_row(circuit.b, {{0, random()}, {x + 1, kOne}});
    append_row(circuit.c, {{x, random()}, {x + 2, kOne}});
  }
  append_row(circuit.a, {{last, kOne}});
  append_row(circuit.b, {{last, kOne}});
  append_row(circuit.c, {{kPublic, kOne}});
  return made;
}

}  // namespace cuzk::groth16
