#include "groth16/synthetic_circuits.hpp"

#include <bit>
#include <string>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/groth16/proof.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk {
namespace {

using namespace groth16;

template <class Fr>
Fr fr(const cuzk_fr& value) {
  return Fr::from_raw(std::bit_cast<typename Fr::Limbs>(value));
}

/// Defines all values behind the free ones, in place, Montgomery, in the order of the constraints.
template <class Fr>
void define_values(const Circuit& circuit, std::span<cuzk_fr> values) {
  const auto product = [&](const SparseMatrix& matrix, uint64_t begin, uint64_t end) {
    Fr sum;
    for (uint64_t i = begin; i < end; ++i) {
      sum += fr<Fr>(circuit.dictionary[matrix.coefficients[i]]) * fr<Fr>(values[matrix.columns[i]]);
    }
    return sum;
  };
  const auto whole_row = [&](const SparseMatrix& m, uint64_t row) {
    return product(m, m.row_begin[row], m.row_begin[row + 1]);
  };
  for (uint64_t row = 0; row < circuit.constraints(); ++row) {
    const uint64_t begin = circuit.c.row_begin[row], end = circuit.c.row_begin[row + 1];
    if (begin == end) continue;
    const Fr value = whole_row(circuit.a, row) * whole_row(circuit.b, row) - product(circuit.c, begin, end - 1);
    values[circuit.c.columns[end - 1]] = std::bit_cast<cuzk_fr>(value);
  }
}

}  // namespace

Workload::Workload(const WorkloadSpec& spec) : spec_(spec) {
  parse_workload(to_string(spec));  // a specification that was filled in by hand has the same limits
  SyntheticCircuit made = spec.kind == WorkloadSpec::Kind::dense ? dense_circuit(spec) : porep_circuit(spec);
  const std::string text = to_string(spec);
  made.circuit.name = text.substr(0, text.find(",partitions="));
  free_values_ = made.free_values;
  free_bits_ = made.free_bits;
  circuit_ = std::make_shared<const Circuit>(std::move(made.circuit));
}

Conventions Workload::conventions() const {
  const bool filecoin = spec_.kind == WorkloadSpec::Kind::porep && spec_.curve == Curve::bls12_381;
  return filecoin ? Conventions::bellman : Conventions::snarkjs;
}

Witness Workload::witness(uint32_t partition, CpuPool& pool, HostPool& memory) const {
  const std::string name = circuit_->name + ", partition " + std::to_string(partition);
  if (partition >= spec_.partitions) {
    throw Error(ErrorCode::usage, name + ": there are " + std::to_string(spec_.partitions));
  }
  Witness witness{name, circuit_->curve, FrVector(memory, circuit_->variables, "witness of " + name)};
  const std::span<cuzk_fr> values = witness.values.span();
  Draws draws(stream_seed(spec_.seed, kWitnessStream + partition));
  with_curve(circuit_->curve, [&]<class C>(std::type_identity<C>) {
    using Fr = typename C::Fr;
    values[0] = std::bit_cast<cuzk_fr>(Fr::one());
    uint64_t next = circuit_->publics + 1;
    for (uint64_t i = 0; i < free_values_; ++i) values[next++] = random_coefficient<Fr>(draws.source());
    for (uint64_t i = 0; i < free_bits_; ++i) {
      values[next++] = draws.below(2) == 1 ? std::bit_cast<cuzk_fr>(Fr::one()) : cuzk_fr{};
    }
    define_values<Fr>(*circuit_, values);
    pool.ranges(values.size(), 4096, [&](uint64_t begin, uint64_t end) {
      for (; begin < end; ++begin) values[begin] = std::bit_cast<cuzk_fr>(fr<Fr>(values[begin]).to_canonical());
    });
  });
  return witness;
}

}  // namespace cuzk
