#include "groth16/synthetic_circuits.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <cuzk/groth16/proof.hpp>

namespace cuzk::groth16 {
namespace {

// Per constraint and per hidden variable of the proof of replication of a 32 GiB sector: 130,278,869 constraints,
// 309,405,051 non-zeros in A and 282,656,500 in C; 129,753,292 hidden variables of 130,169,893 occur in A, 33,112,281
// in B; 328 inputs.
constexpr double kTermsOfA = 2.375, kTermsOfC = 2.170, kShareInA = 0.9968, kShareInB = 0.2544;
constexpr uint64_t kMostPublics = 328, kRowsPerPublic = 64, kRowsPerFreeBit = 16;
constexpr uint64_t kLocality = 4096;  // operands come from as many latest ones

// Dictionary.
constexpr uint32_t kOne = 0, kMinusOne = 1, kMinusTwo = 2, kHalf = 3, kMinusHalf = 4, kRandom = 5, kRandoms = 16;

/// Values of one kind, bits or full-width ones, that constraints may take.
struct Pool {
  std::vector<uint32_t> operands, factors;              // for A and C, and of these the ones that may stand in B
  size_t next_operand = 0, next_factor = 0;             // all before have been taken
  std::optional<std::array<uint32_t, 3>> exclusive_or;  // the latest {b, c, b xor c}, all of them operands
};

/// Each constraint defines one value from values of its kind, in one of three shapes that keep bits bits:
///   xor     (-2 p) s = -p - s + new                              1, 1 and 3 terms
///   select  (p - q) s = -q + new                                 2, 1 and 2 terms
///   and     (b/2 + c/2 - (b xor c)/2 - p) s = -p + new           4, 1 and 2 terms: s ? b and c : p
/// mixed so that the counts of terms come out as wanted. Full-width values have random coefficients in A. Besides, a
/// share of constraints holds free bits to be bits, (1 - x) x = 0, and the last ones copy values into the public
/// signals.
class Builder {
 public:
  explicit Builder(const WorkloadSpec& spec) : bits_(spec.bits), draws_(stream_seed(spec.seed, kCircuitStream)) {
    const uint64_t rows = (uint64_t{1} << spec.log2_rows) + static_cast<uint64_t>(spec.extra_rows + 1) - 1;
    circuit_.curve = spec.curve;
    circuit_.publics = std::min(kMostPublics, rows / kRowsPerPublic + 1);
    constraints_ = rows - circuit_.publics - 1;
    free_values_ = bits_ < 1 ? 2 : 0;
    // Many enough for every partition to have another witness, where there is room.
    const uint64_t most = std::max(constraints_ / kRowsPerFreeBit, std::min<uint64_t>(16, constraints_ / 4));
    free_bits_ = bits_ > 0 ? std::max<uint64_t>(2, static_cast<uint64_t>(bits_ * static_cast<double>(most))) : 0;
    with_curve(spec.curve, [&]<class C>(std::type_identity<C>) { fill_dictionary<typename C::Fr>(); });
  }

  SyntheticCircuit make() {
    circuit_.variables = 1 + circuit_.publics;
    all_bits_ = 1 + (free_values_ == 0 ? circuit_.publics : 0);
    for (uint64_t i = 0; i < free_values_; ++i) add_variable(full_values_);
    const uint64_t first_bit = circuit_.variables;
    for (uint64_t i = 0; i < free_bits_; ++i) add_variable(bit_values_);
    bit_values_.next_operand = bit_values_.next_factor = free_bits_;  // the rows that hold them have them in A and B

    reserve(circuit_.a, kTermsOfA);
    reserve(circuit_.b, 1);
    reserve(circuit_.c, kTermsOfC);
    const uint64_t inner = constraints_ - circuit_.publics;
    uint64_t held = 0;
    for (uint64_t i = 0; i < inner; ++i) {
      if (held * inner < free_bits_ * (i + 1)) {
        hold_bit(static_cast<uint32_t>(first_bit + held++));
      } else {
        define_value();
      }
    }
    for (uint32_t i = 1; i <= circuit_.publics; ++i) publish(i);
    return {std::move(circuit_), free_values_, free_bits_};
  }

 private:
  template <class Fr>
  void fill_dictionary() {
    const Fr half = Fr::one().halved();
    for (const Fr& value : {Fr::one(), -Fr::one(), -Fr::one().doubled(), half, -half}) {
      circuit_.dictionary.push_back(std::bit_cast<cuzk_fr>(value));
    }
    for (uint32_t i = 0; i < kRandoms; ++i) circuit_.dictionary.push_back(random_coefficient<Fr>(draws_.source()));
  }

  /// What grows by doubling takes up to three times as much on the way, of a matrix that is gigabytes large.
  void reserve(SparseMatrix& matrix, double terms) const {
    matrix.row_begin.reserve(constraints_ + 1);
    const auto entries = static_cast<size_t>(terms * static_cast<double>(constraints_ + circuit_.publics)) + 16;
    matrix.columns.reserve(entries);
    matrix.coefficients.reserve(entries);
  }

  void add_row(std::initializer_list<Term> a, std::initializer_list<Term> b, std::initializer_list<Term> c) {
    append_row(circuit_.a, a);
    append_row(circuit_.b, b);
    append_row(circuit_.c, c);
  }

  uint64_t hidden() const { return circuit_.variables - circuit_.publics - 1; }
  bool is_free() const { return hidden() <= free_values_ + free_bits_; }

  /// A new variable of a kind. Whether A and B may take it follows from the shares wanted; free ones A takes in any
  /// case, and bits and the first value of a kind B, too.
  uint32_t add_variable(Pool& pool) {
    const auto variable = static_cast<uint32_t>(circuit_.variables++);
    const bool bit = &pool == &bit_values_;
    if (bit) ++all_bits_;
    if (!is_free() && static_cast<double>(outside_a_ + 1) <= (1 - kShareInA) * static_cast<double>(hidden())) {
      ++outside_a_;
      return variable;
    }
    pool.operands.push_back(variable);
    if (pool.factors.empty() || (is_free() && bit) ||
        static_cast<double>(factors_ + 1) <= kShareInB * static_cast<double>(hidden())) {
      ++factors_;
      pool.factors.push_back(variable);
    }
    return variable;
  }

  /// One of the latest.
  uint32_t any_of(const std::vector<uint32_t>& values) {
    return values[values.size() - 1 - draws_.below(std::min<uint64_t>(values.size(), kLocality))];
  }
  uint32_t any_operand_but(const Pool& pool, uint32_t other) {
    for (;;) {
      const uint32_t found = any_of(pool.operands);
      if (found != other) return found;
    }
  }
  /// The first that was not taken yet, where there is one, so that all of them occur.
  uint32_t take_operand(Pool& pool) {
    return pool.next_operand < pool.operands.size() ? pool.operands[pool.next_operand++] : any_of(pool.operands);
  }
  uint32_t take_operand_but(Pool& pool, uint32_t other) {
    if (pool.next_operand < pool.operands.size() && pool.operands[pool.next_operand] != other)
      return take_operand(pool);
    return any_operand_but(pool, other);
  }
  uint32_t take_factor(Pool& pool) {
    return pool.next_factor < pool.factors.size() ? pool.factors[pool.next_factor++] : any_of(pool.factors);
  }

  void hold_bit(uint32_t x) { add_row({{0, kOne}, {x, kMinusOne}}, {{x, kOne}}, {}); }

  /// A value of the others, or the sum of two while there are two that A did not take yet: so none occurs nowhere.
  void publish(uint32_t signal) {
    Pool& pool = free_values_ > 0 ? full_values_ : bit_values_;
    const uint32_t p = take_operand(pool);
    if (free_values_ > 0 && pool.next_operand < pool.operands.size()) {
      add_row({{p, kOne}, {take_operand(pool), kOne}}, {{0, kOne}}, {{signal, kOne}});
    } else {
      add_row({{p, kOne}}, {{0, kOne}}, {{signal, kOne}});
    }
  }

  void define_value() {
    const bool bit = static_cast<double>(all_bits_) < bits_ * static_cast<double>(circuit_.variables + 1);
    Pool& pool = bit ? bit_values_ : full_values_;
    const auto coefficient = [&](uint32_t of_bits) {
      return bit ? of_bits : kRandom + static_cast<uint32_t>(draws_.below(kRandoms));
    };
    // The rows of the public signals, which come last, count as if they were there, with a term each.
    const auto missing = [&](double terms_wanted, const SparseMatrix& matrix) {
      return terms_wanted * static_cast<double>(circuit_.constraints() + 1 + circuit_.publics) -
             static_cast<double>(matrix.columns.size() + circuit_.publics);
    };
    const double missing_in_a = missing(kTermsOfA, circuit_.a), missing_in_c = missing(kTermsOfC, circuit_.c);
    const uint32_t s = take_factor(pool);
    if (missing_in_c > 2.5) {
      const uint32_t p = take_operand_but(pool, s), made = add_variable(pool);
      add_row({{p, coefficient(kMinusTwo)}}, {{s, kOne}}, {{p, kMinusOne}, {s, kMinusOne}, {made, kOne}});
      if (pool.operands.back() == made) pool.exclusive_or = {p, s, made};
      return;
    }
    const uint32_t p = take_operand(pool);
    const auto& triple = pool.exclusive_or;
    if (missing_in_a > 3 && triple && std::find(triple->begin(), triple->end(), p) == triple->end()) {
      const auto [b, c, x] = *triple;
      const Term first{b, coefficient(kHalf)}, second{c, coefficient(kHalf)}, third{x, coefficient(kMinusHalf)};
      add_row({first, second, third, {p, coefficient(kMinusOne)}}, {{s, kOne}},
              {{p, kMinusOne}, {add_variable(pool), kOne}});
      return;
    }
    const uint32_t q = any_operand_but(pool, p);
    add_row({{p, coefficient(kOne)}, {q, coefficient(kMinusOne)}}, {{s, kOne}},
            {{q, kMinusOne}, {add_variable(pool), kOne}});
  }

  Circuit circuit_;
  double bits_;
  Draws draws_;
  uint64_t constraints_ = 0, free_values_ = 0, free_bits_ = 0;
  uint64_t all_bits_ = 0, outside_a_ = 0, factors_ = 0;
  Pool bit_values_, full_values_;
};

}  // namespace

SyntheticCircuit porep_circuit(const WorkloadSpec& spec) { return Builder(spec).make(); }

}  // namespace cuzk::groth16
