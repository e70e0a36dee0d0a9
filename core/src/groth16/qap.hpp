#pragma once
/// The polynomials of a circuit at one secret point (J. Groth, "On the size of pairing-based non-interactive
/// arguments", 2016, section 3.2).

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <cuzk/arith/batch_inverse.hpp>
#include <cuzk/groth16/circuit.hpp>
#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk::groth16 {

template <class Fr>
Fr power_of(const Fr& base, uint64_t exponent) {
  return base.pow(std::span(&exponent, 1));
}

/// The Lagrange polynomials of the n points x_i = shift omega^i at tau, times a scale, in any pieces:
/// L_i(tau) = x_i (tau^n - shift^n) / (n shift^n (tau - x_i)) (barycentric form). One inversion a piece, 6M a value.
template <class Fr>
class LagrangeAt {
 public:
  /// tau: none of the points.
  LagrangeAt(const Fr& tau, const Fr& omega, const Fr& shift, uint64_t n, const Fr& scale)
      : tau_(tau), omega_(omega), shift_(shift) {
    const Fr top = power_of(shift, n);
    common_ = scale * (power_of(tau, n) - top) * (Fr::from_u64(n) * top).inverse();
  }

  /// out[i] = value of number first + i.
  void operator()(uint64_t first, std::span<Fr> out) const {
    const Fr start = shift_ * power_of(omega_, first);
    Fr x = start;
    for (Fr& value : out) {
      value = tau_ - x;
      x *= omega_;
    }
    std::vector<Fr> scratch(out.size());
    arith::batch_inverse<Fr>(out, scratch);
    x = start * common_;
    for (Fr& value : out) {
      value *= x;
      x *= omega_;
    }
  }

  std::vector<Fr> all(CpuPool& pool, uint64_t n) const {
    constexpr uint64_t kPiece = 1024;
    std::vector<Fr> values(n);
    pool.parallel((n + kPiece - 1) / kPiece, [&](uint64_t i) {
      const uint64_t first = i * kPiece;
      (*this)(first, std::span(values).subspan(first, std::min(kPiece, n - first)));
    });
    return values;
  }

 private:
  Fr tau_, omega_, shift_, common_;
};

template <class Fr>
std::vector<Fr> dictionary_of(const Circuit& circuit) {
  std::vector<Fr> out;
  out.reserve(circuit.dictionary.size());
  for (const cuzk_fr& value : circuit.dictionary) out.push_back(Fr::from_raw(std::bit_cast<typename Fr::Limbs>(value)));
  return out;
}

/// For every variable the sum over its column of coefficient x weight of the row. Each thread owns a range of columns
/// and looks at all entries, so that nothing is shared and no transposed copy is needed.
template <class Fr>
std::vector<Fr> column_sums(CpuPool& pool, const SparseMatrix& matrix, std::span<const Fr> dictionary,
                            std::span<const Fr> weights, uint64_t variables) {
  std::vector<Fr> sums(variables);
  const uint64_t owners = std::min<uint64_t>(pool.threads(), 64);  // every one of them reads all entries
  pool.parallel(owners, [&](uint64_t owner) {
    const uint64_t begin = variables * owner / owners, end = variables * (owner + 1) / owners;
    for (uint64_t row = 0; row < matrix.rows(); ++row) {
      for (uint64_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
        const uint64_t column = matrix.columns[i];
        if (column < begin || column >= end) continue;
        sums[column] += dictionary[matrix.coefficients[i]] * weights[row];
      }
    }
  });
  return sums;
}

}  // namespace cuzk::groth16
