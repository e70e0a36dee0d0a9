#include "curve_samples.hpp"

#include <gtest/gtest.h>

#include <cuzk/arith/subgroup.hpp>

namespace cuzk::arith {
namespace {

using oracle::Int;
using samples::known;
using samples::Rng;

/// The number of points on the curve over Base, and small primes that divide it.
template <class G>
struct Order;

template <>
struct Order<Bn254::G1> {
  static Int count(const Int&, const Int&, const Int& r) { return r; }
  static constexpr std::array<std::uint64_t, 0> kSmall{};
};
template <>
struct Order<Bn254::G2> {
  static Int count(const Int&, const Int& p, const Int& r) { return r * (2 * p - r); }
  static constexpr std::array<std::uint64_t, 2> kSmall{10069, 5864401};
};
template <>
struct Order<Bls12381::G1> {
  static Int count(const Int& x, const Int&, const Int& r) { return (x - 1) * (x - 1) / 3 * r; }
  static constexpr std::array<std::uint64_t, 5> kSmall{3, 11, 10177, 859267, 52437899};
};
template <>
struct Order<Bls12381::G2> {
  static Int count(const Int& x, const Int&, const Int& r) {
    const Int nine_h = ((((((x - 4) * x + 5) * x) * x - 4) * x + 6) * x - 4) * x * x - 4 * x + 13;
    return nine_h / 9 * r;
  }
  static constexpr std::array<std::uint64_t, 5> kSmall{13, 23, 2713, 11953, 262069};
};

template <class G>
class Subgroup : public testing::Test {
 protected:
  Rng rng{9};
  Int r = oracle::modulus_of<typename G::Scalar>();
  Int count = Order<G>::count(samples::integer(known<typename G::Curve>().at("x")),
                              oracle::modulus_of<typename G::Curve::Fp>(), r);

  static Affine<G> times(const Affine<G>& p, const Int& k) { return scalar_mul<G>(p, oracle::to_limbs(k)).to_affine(); }
  bool killed_by_r(const Affine<G>& p) const { return times(p, r).is_infinity(); }

  /// A point of exact order `prime`.
  Affine<G> point_of_order(const Int& prime) {
    Int rest = count;
    while (rest % prime == 0) rest /= prime;
    for (;;) {
      auto p = times(samples::random_on_curve<G>(rng), rest);
      if (p.is_infinity()) continue;
      for (auto next = times(p, prime); !next.is_infinity(); next = times(p, prime)) p = next;
      return p;
    }
  }
};

using Groups = testing::Types<Bn254::G1, Bn254::G2, Bls12381::G1, Bls12381::G2>;
TYPED_TEST_SUITE(Subgroup, Groups);

TYPED_TEST(Subgroup, HoldsItsOwn) {
  using G = TypeParam;
  EXPECT_TRUE(in_subgroup(Affine<G>::infinity()));
  EXPECT_TRUE(in_subgroup(G::generator()));
  EXPECT_TRUE(in_subgroup(-G::generator()));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(in_subgroup(samples::random_in_subgroup<G>(this->rng)));
  for (const auto& multiple : known<typename G::Curve>().at(samples::kIsG1<G> ? "g1_multiples" : "g2_multiples")) {
    EXPECT_TRUE(in_subgroup(samples::point<G>(multiple.at("p"))));
  }
}

TYPED_TEST(Subgroup, RejectsWhatIsNotOnTheCurve) {
  using Base = typename TypeParam::Base;
  const auto g = TypeParam::generator();
  EXPECT_FALSE(in_subgroup(Affine<TypeParam>{g.x, g.y + Base::one()}));
  EXPECT_FALSE(in_subgroup(Affine<TypeParam>{g.y, g.x}));
  EXPECT_FALSE(in_subgroup(Affine<TypeParam>{Base::zero(), Base::one()}));
}

TYPED_TEST(Subgroup, AgreesWithTheDefinitionOnTheWholeCurve) {
  for (int i = 0; i < 20; ++i) {
    const auto p = samples::random_on_curve<TypeParam>(this->rng);
    EXPECT_TRUE(this->times(p, this->count).is_infinity());
    EXPECT_EQ(in_subgroup(p), this->killed_by_r(p));
    EXPECT_TRUE(in_subgroup(this->times(p, this->count / this->r)));
  }
}

TYPED_TEST(Subgroup, RejectsSmallOrdersAloneAndAdded) {
  using G = TypeParam;
  for (const std::uint64_t prime : Order<G>::kSmall) {
    const auto small = this->point_of_order(prime);
    ASSERT_TRUE(this->times(small, prime).is_infinity());
    EXPECT_FALSE(in_subgroup(small)) << prime;
    for (int i = 0; i < 3; ++i) {
      const auto hidden = (Xyzz<G>::from_affine(samples::random_in_subgroup<G>(this->rng)) + small).to_affine();
      EXPECT_FALSE(in_subgroup(hidden)) << prime;
    }
  }
}

TYPED_TEST(Subgroup, RejectsKnownStrangers) {
  using G = TypeParam;
  const auto& curve = known<typename G::Curve>();
  for (const auto& stranger : curve.at(samples::kIsG1<G> ? "on_curve_not_in_g1" : "on_curve_not_in_g2")) {
    const auto p = samples::point<G>(stranger);
    EXPECT_TRUE(p.on_curve());
    EXPECT_FALSE(in_subgroup(p));
  }
}

}  // namespace
}  // namespace cuzk::arith
