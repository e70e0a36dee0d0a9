/// Inverses, powers and roots of every field against GMP.

#include "field_cases.hpp"

#include <cuzk/arith/batch_inverse.hpp>

namespace cuzk::arith::field_test {
namespace {

template <class C>
class FieldAlgebra : public FieldTest<C> {};
TYPED_TEST_SUITE(FieldAlgebra, Cases, CaseName);

template <class F>
Integer inverse_by_gmp(const F& a) {
  Integer r = integer(a);
  mpz_invert(r.get(), r.get(), modulus<F>().get());
  return r;
}

TYPED_TEST(FieldAlgebra, InvertsLikeGmp) {
  using F = typename TypeParam::Element;
  EXPECT_TRUE(F::zero().inverse().is_zero());
  for (const F& a : samples<F>(20000, 3)) {
    if (a.is_zero()) continue;
    ASSERT_EQ(integer(a.inverse()), inverse_by_gmp(a)) << integer(a);
    ASSERT_TRUE(F::is_reduced(a.inverse().limb));
  }
}

/// Runs of zeros and powers of two take the binary GCD through its longest shifts.
TYPED_TEST(FieldAlgebra, InvertsPowersOfTwoAndTheirNeighbours) {
  using F = typename TypeParam::Element;
  F power = F::one();
  for (std::size_t i = 0; i < 2 * F::kBits; ++i, power = power.doubled()) {
    for (const F& a : {power, power + F::one(), power - F::one(), -power}) {
      if (a.is_zero()) continue;
      ASSERT_EQ(integer(a.inverse()), inverse_by_gmp(a)) << integer(a);
    }
  }
}

TYPED_TEST(FieldAlgebra, InvertsBatchesAndLeavesZerosAlone) {
  using F = typename TypeParam::Element;
  for (const std::size_t size : {0U, 1U, 2U, 3U, 1000U}) {
    auto values = samples<F>(size, 4);
    values.resize(size);
    if (size > 1) values[size / 2] = values[size - 1] = F::zero();
    const auto before = values;
    std::vector<F> scratch(size);
    batch_inverse<F>(values, scratch);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(values[i], before[i].inverse());
  }
  std::vector<F> zeros(5);
  std::vector<F> scratch(5);
  batch_inverse<F>(zeros, scratch);
  for (const F& zero : zeros) EXPECT_TRUE(zero.is_zero());
}

TYPED_TEST(FieldAlgebra, RaisesToPowersLikeGmp) {
  using F = typename TypeParam::Element;
  const Integer p = modulus<F>();
  std::mt19937_64 random(5);
  for (std::size_t words = 0; words < 9; ++words) {
    for (const F& a : samples<F>(3, 6)) {
      std::vector<std::uint64_t> exponent(words);
      for (auto& word : exponent) word = random();
      if (words > 2) exponent[words - 1] = 0;
      Integer expected;
      mpz_import(expected.get(), words, -1, sizeof(std::uint64_t), 0, 0, exponent.data());
      mpz_powm(expected.get(), integer(a).get(), expected.get(), p.get());
      ASSERT_EQ(integer(a.pow(exponent)), expected) << integer(a) << ", " << words << " words";
    }
  }
}

TYPED_TEST(FieldAlgebra, TellsSquaresAndFindsTheirRoots) {
  using F = typename TypeParam::Element;
  const Integer p = modulus<F>();
  for (const F& a : samples<F>(300, 7)) {
    const bool square = mpz_legendre(integer(a).get(), p.get()) >= 0;
    const auto root = a.sqrt();
    ASSERT_EQ(a.is_square(), square) << integer(a);
    ASSERT_EQ(root.has_value(), square) << integer(a);
    ASSERT_EQ(root.value_or(F::zero()).square(), square ? a : F::zero());
    ASSERT_TRUE(a.square().sqrt().has_value());
  }
  EXPECT_FALSE(F::from_u64(F::Params::kNonResidue).is_square());
}

TYPED_TEST(FieldAlgebra, FindsRootsOfEveryTwoPowerOrder) {
  using F = typename TypeParam::Element;
  const std::size_t two_adicity = limbs::trailing_zeros(F::Constants::kMinusOne);
  auto odd_part = F::Constants::kMinusOne;
  for (std::size_t i = 0; i < two_adicity; ++i) odd_part = limbs::shift_right(odd_part, 1);
  F root_of_unity = F::from_u64(F::Params::kNonResidue).pow(odd_part);
  EXPECT_FALSE(root_of_unity.sqrt().has_value());
  for (std::size_t i = 0; i < two_adicity; ++i) {
    root_of_unity = root_of_unity.square();
    const auto root = root_of_unity.sqrt();
    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(root->square(), root_of_unity);
  }
  EXPECT_EQ(root_of_unity, F::one());
}

TYPED_TEST(FieldAlgebra, OrdersSignsByThePlainValue) {
  using F = typename TypeParam::Element;
  EXPECT_FALSE(F::zero().is_lexicographically_largest());
  EXPECT_FALSE(F::one().is_lexicographically_largest());
  EXPECT_TRUE((-F::one()).is_lexicographically_largest());
  const F half = F::from_canonical(F::Constants::kHalf);
  EXPECT_FALSE(half.is_lexicographically_largest());
  EXPECT_TRUE((half + F::one()).is_lexicographically_largest());
  const Integer p = modulus<F>();
  for (const F& a : samples<F>(1000, 8)) {
    EXPECT_EQ(a.is_lexicographically_largest(), mpz_cmp((integer(a) + integer(a)).get(), p.get()) > 0);
  }
}

}  // namespace
}  // namespace cuzk::arith::field_test
