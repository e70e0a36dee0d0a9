#include "formats/first_failure.hpp"
#include "groth16/qap.hpp"
#include "groth16/row_sum.hpp"

#include <bit>
#include <string>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/groth16/circuit_matrices.hpp>

namespace cuzk {
namespace {

constexpr uint64_t kGrain = 1024;

/// Rows of a circuit's matrices times a witness.
template <class Fr>
class Rows {
 public:
  explicit Rows(const Circuit& circuit) : dictionary_(groth16::dictionary_of<Fr>(circuit)) {}

  /// <row, witness>, Montgomery; witness: canonical.
  Fr product(const SparseMatrix& matrix, uint64_t row, std::span<const cuzk_fr> witness) const {
    groth16::RowSum<Fr> sum;
    for (uint64_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
      sum.add(dictionary_[matrix.coefficients[i]], witness[matrix.columns[i]]);
    }
    return sum.of_montgomery();
  }

 private:
  std::vector<Fr> dictionary_;
};

template <class Fr>
class CircuitMatrices final : public ConstraintMatrices {
 public:
  CircuitMatrices(std::shared_ptr<const Circuit> circuit, uint64_t domain_size)
      : circuit_(std::move(circuit)), domain_size_(domain_size), rows_(*circuit_) {
    const uint64_t rows = circuit_->constraints() + circuit_->publics + 1;
    if (domain_size < rows) {
      throw Error(ErrorCode::internal, circuit_->name + ": found a domain of " + std::to_string(domain_size) +
                                           ", expected at least " + std::to_string(rows));
    }
  }

  void evaluate(CpuPool& pool, std::span<const cuzk_fr> witness, std::span<cuzk_fr> a,
                std::span<cuzk_fr> b) const override {
    if (witness.size() != circuit_->variables || a.size() != domain_size_ || b.size() != domain_size_) {
      throw Error(ErrorCode::internal, circuit_->name + ": evaluation over " + std::to_string(witness.size()) +
                                           " values and " + std::to_string(a.size()) + " rows, expected " +
                                           std::to_string(circuit_->variables) + " and " +
                                           std::to_string(domain_size_));
    }
    const uint64_t constraints = circuit_->constraints();
    pool.ranges(domain_size_, kGrain, [&](uint64_t begin, uint64_t end) {
      for (uint64_t row = begin; row < end; ++row) {
        Fr left, right;
        if (row < constraints) {
          left = rows_.product(circuit_->a, row, witness);
          right = rows_.product(circuit_->b, row, witness);
        } else if (row - constraints <= circuit_->publics) {
          left = Fr::from_canonical(std::bit_cast<typename Fr::Limbs>(witness[row - constraints]));
        }
        a[row] = std::bit_cast<cuzk_fr>(left);
        b[row] = std::bit_cast<cuzk_fr>(right);
      }
    });
  }

 private:
  std::shared_ptr<const Circuit> circuit_;
  uint64_t domain_size_;
  Rows<Fr> rows_;
};

}  // namespace

std::unique_ptr<const ConstraintMatrices> circuit_matrices(std::shared_ptr<const Circuit> circuit,
                                                           uint64_t domain_size) {
  return with_curve(circuit->curve, [&]<class C>(std::type_identity<C>) -> std::unique_ptr<const ConstraintMatrices> {
    return std::make_unique<CircuitMatrices<typename C::Fr>>(std::move(circuit), domain_size);
  });
}

std::optional<uint64_t> first_violation(CpuPool& pool, const Circuit& circuit, const Witness& witness) {
  require_fit(witness, circuit.curve, circuit.variables, circuit.name);
  return with_curve(circuit.curve, [&]<class C>(std::type_identity<C>) {
    const Rows<typename C::Fr> rows(circuit);
    const auto values = witness.values.span();
    return formats::first_failure(pool, circuit.constraints(), kGrain, [&](uint64_t begin, uint64_t end) {
      for (; begin < end; ++begin) {
        const auto product = rows.product(circuit.a, begin, values) * rows.product(circuit.b, begin, values);
        if (!(product == rows.product(circuit.c, begin, values))) break;
      }
      return begin;
    });
  });
}

}  // namespace cuzk
