#pragma once
/// The circuits of workloads. Their witnesses are made row by row: the last entry of a row of C, whose coefficient is
/// one, is the value that the constraint defines; the entries before it and those of A and B come earlier or are free.

#include "groth16/random.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>

#include <cuzk/groth16/circuit.hpp>
#include <cuzk/groth16/workload.hpp>

namespace cuzk::groth16 {

struct SyntheticCircuit {
  Circuit circuit;
  /// The variables behind the public signals that no constraint defines: first so many of any value, then so many bits.
  uint64_t free_values = 0, free_bits = 0;
};

SyntheticCircuit dense_circuit(const WorkloadSpec&);
SyntheticCircuit porep_circuit(const WorkloadSpec&);

/// Streams of the workload's seed, beside setup's own.
constexpr uint64_t kCircuitStream = 2, kWitnessStream = 1000;  // + partition

/// An entry of a row.
struct Term {
  uint32_t variable;
  uint32_t coefficient;  ///< index into the dictionary
};

inline void append_row(SparseMatrix& matrix, std::initializer_list<Term> terms) {
  const auto begin = static_cast<std::ptrdiff_t>(matrix.columns.size());
  for (const Term& term : terms) {
    const auto at = std::upper_bound(matrix.columns.begin() + begin, matrix.columns.end(), term.variable);
    matrix.coefficients.insert(matrix.coefficients.begin() + (at - matrix.columns.begin()), term.coefficient);
    matrix.columns.insert(at, term.variable);
  }
  matrix.row_begin.push_back(matrix.columns.size());
}

/// Whole numbers from a seed; 64-bit words of its stream.
class Draws {
 public:
  explicit Draws(uint64_t seed) : source_(insecure_random(seed)) {}
  /// Below bound, which is small beside 2^64: the bias does not matter here.
  uint64_t below(uint64_t bound) {
    uint64_t word = 0;
    source_(&word, sizeof word);
    return word % bound;
  }
  const RandomSource& source() const { return source_; }

 private:
  RandomSource source_;
};

template <class Fr>
cuzk_fr random_coefficient(const RandomSource& source) {
  Fr value;
  while (value.is_zero()) value = Fr::from_canonical(random_scalar(source, Fr::modulus()));
  return std::bit_cast<cuzk_fr>(value);
}

}  // namespace cuzk::groth16
