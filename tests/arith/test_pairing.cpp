#include "curve_samples.hpp"

#include <gtest/gtest.h>

#include <cuzk/arith/pairing.hpp>

namespace cuzk::arith {
namespace {

using oracle::Int;
using samples::known;
using samples::Rng;

template <class C>
class Pairing : public testing::Test {
 protected:
  Rng rng{13};
  Affine<typename C::G1> g1 = C::G1::generator();
  Affine<typename C::G2> g2 = C::G2::generator();
  typename C::Fp12 one = C::Fp12::one();
  const samples::Json& answers = known<C>().at("pairing");

  template <class G>
  static Affine<G> times(const Affine<G>& p, const typename C::Fr& k) {
    return scalar_mul(p, k).to_affine();
  }
  typename C::Fr random_scalar() { return samples::random<typename C::Fr>(rng); }
  typename C::Fp12 answer(const char* key) { return samples::fp12<typename C::Fp>(answers.at(key)); }
};

using Curves = testing::Types<Bn254, Bls12381>;
TYPED_TEST_SUITE(Pairing, Curves);

TYPED_TEST(Pairing, GeneratorsInTheLibrariesConvention) {
  const auto e = pairing<TypeParam>(this->g1, this->g2);
  EXPECT_EQ(e, this->answer("library"));
  EXPECT_EQ(e,
            this->answer("exact").pow(oracle::to_limbs(samples::integer(this->answers.at("library_exponent_mod_r")))));
  using Fr = typename TypeParam::Fr;
  EXPECT_EQ(pairing<TypeParam>(this->times(this->g1, Fr::from_u64(5)), this->times(this->g2, Fr::from_u64(7))),
            this->answer("e_5g1_7g2_library"));
}

TYPED_TEST(Pairing, GeneratorsWithTheExactExponent) {
  const Int p = oracle::modulus_of<typename TypeParam::Fp>();
  const Int r = oracle::modulus_of<typename TypeParam::Fr>();
  const Int group = pow(p, 12) - 1;
  ASSERT_EQ(group % r, 0);
  const PairingInput<TypeParam> pair{this->g1, this->g2};
  const auto miller = miller_loop<TypeParam>({&pair, 1});
  EXPECT_EQ(miller.pow(oracle::to_limbs(group / r)), this->answer("exact"));
}

TYPED_TEST(Pairing, FinalExponentiationIsThePower) {
  // for any value, not only Miller values
  const Int p = oracle::modulus_of<typename TypeParam::Fp>();
  const Int r = oracle::modulus_of<typename TypeParam::Fr>();
  const Int x = samples::integer(known<TypeParam>().at("x"));
  const Int multiplier = std::is_same_v<TypeParam, Bn254> ? Int(2 * x * (6 * x * x + 3 * x + 1)) : Int(3);
  const auto value = samples::random<typename TypeParam::Fp12>(this->rng);
  EXPECT_EQ(final_exponentiation<TypeParam>(value), value.pow(oracle::to_limbs((pow(p, 12) - 1) / r * multiplier)));
  EXPECT_TRUE(final_exponentiation<TypeParam>(TypeParam::Fp12::zero()).is_zero());
  EXPECT_TRUE(final_exponentiation<TypeParam>(this->one).is_one());
}

TYPED_TEST(Pairing, IsBilinearAndNotDegenerate) {
  const auto a = this->random_scalar();
  const auto b = this->random_scalar();
  const auto p = this->times(this->g1, this->random_scalar());
  const auto q = this->times(this->g2, this->random_scalar());
  const auto e = pairing<TypeParam>(p, q);
  EXPECT_NE(e, this->one);
  EXPECT_TRUE(e.pow(TypeParam::Fr::modulus()).is_one());
  EXPECT_EQ(pairing<TypeParam>(this->times(p, a), this->times(q, b)), e.pow((a * b).to_canonical()));
  EXPECT_EQ(pairing<TypeParam>(this->times(p, a * b), q), pairing<TypeParam>(p, this->times(q, a * b)));
  EXPECT_EQ(pairing<TypeParam>(-p, q), e.conjugate());
  EXPECT_EQ(pairing<TypeParam>(p, -q), e.conjugate());
}

TYPED_TEST(Pairing, IsAdditiveInBothSides) {
  using G1 = typename TypeParam::G1;
  using G2 = typename TypeParam::G2;
  const auto p = this->times(this->g1, this->random_scalar());
  const auto q = this->times(this->g2, this->random_scalar());
  const auto p_sum = (Xyzz<G1>::from_affine(p) + this->g1).to_affine();
  const auto q_sum = (Xyzz<G2>::from_affine(q) + this->g2).to_affine();
  EXPECT_EQ(pairing<TypeParam>(p_sum, q), pairing<TypeParam>(p, q) * pairing<TypeParam>(this->g1, q));
  EXPECT_EQ(pairing<TypeParam>(p, q_sum), pairing<TypeParam>(p, q) * pairing<TypeParam>(p, this->g2));
}

TYPED_TEST(Pairing, InfinityPairsToOne) {
  const auto o1 = Affine<typename TypeParam::G1>::infinity();
  const auto o2 = Affine<typename TypeParam::G2>::infinity();
  EXPECT_EQ(pairing<TypeParam>(o1, this->g2), this->one);
  EXPECT_EQ(pairing<TypeParam>(this->g1, o2), this->one);
  EXPECT_EQ(pairing<TypeParam>(o1, o2), this->one);
}

TYPED_TEST(Pairing, ProductIsTheProductOfThePairings) {
  std::vector<PairingInput<TypeParam>> pairs;
  auto expected = this->one;
  EXPECT_EQ(final_exponentiation<TypeParam>(miller_loop<TypeParam>(pairs)), expected);
  for (int i = 0; i < 5; ++i) {
    pairs.emplace_back(this->times(this->g1, this->random_scalar()), this->times(this->g2, this->random_scalar()));
    if (i == 1) pairs.back().first = Affine<typename TypeParam::G1>::infinity();
    if (i == 3) pairs.back() = pairs.front();
    expected *= pairing<TypeParam>(pairs.back().first, pairs.back().second);
    EXPECT_EQ(final_exponentiation<TypeParam>(miller_loop<TypeParam>(pairs)), expected) << i;
  }
}

TYPED_TEST(Pairing, ProductCheckAcceptsAndRejects) {
  using Fr = typename TypeParam::Fr;
  const auto a = this->random_scalar();
  const auto b = this->random_scalar();
  std::vector<PairingInput<TypeParam>> pairs;
  EXPECT_TRUE(pairing_product_is_one<TypeParam>(pairs)) << "the empty product";
  pairs = {{this->times(this->g1, a), this->times(this->g2, b)},
           {this->times(this->g1, -(a * b) - Fr::one()), this->g2},
           {this->g1, this->g2},
           {this->g1, Affine<typename TypeParam::G2>::infinity()}};
  EXPECT_TRUE(pairing_product_is_one<TypeParam>(pairs));
  for (std::size_t i = 0; i < 3; ++i) {
    auto wrong = pairs;
    wrong[i].first = -wrong[i].first;
    EXPECT_FALSE(pairing_product_is_one<TypeParam>(wrong)) << i;
    wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(pairing_product_is_one<TypeParam>(wrong)) << i;
  }
}

TYPED_TEST(Pairing, PointsOutsideTheSubgroupsAreHarmless) {
  using G2 = typename TypeParam::G2;
  const auto stranger = samples::random_on_curve<G2>(this->rng);
  const PairingInput<TypeParam> pair{this->g1, stranger};
  EXPECT_FALSE(pairing_product_is_one<TypeParam>({&pair, 1}));
}

}  // namespace
}  // namespace cuzk::arith
