#include "curve_samples.hpp"

#include <gtest/gtest.h>

#include <cuzk/arith/endomorphism.hpp>

namespace cuzk::arith {
namespace {

using oracle::Int;
using samples::known;
using samples::Rng;

template <class G>
class CubeRootMap : public testing::Test {};
using Groups = testing::Types<Bn254::G1, Bn254::G2, Bls12381::G1, Bls12381::G2>;
TYPED_TEST_SUITE(CubeRootMap, Groups);

template <class C>
class Curve : public testing::Test {};
using Curves = testing::Types<Bn254, Bls12381>;
TYPED_TEST_SUITE(Curve, Curves);

/// Where roundings could go wrong: around multiples of lambda, of r / 2^k, and at both ends.
template <class C>
std::vector<Int> awkward_scalars() {
  const Int r = oracle::modulus_of<typename C::Fr>();
  const Int lambda = oracle::to_int(CubeRoots<C>::kLambda);
  const Int top = (Int(1) << 256) - 1;
  std::vector<Int> scalars{0, 1, 2, r - 1, r, r + 1, top, Int(1) << 255, Int(1) << 128, (Int(1) << 128) - 1};
  for (int i = 1; i < 9; ++i) {
    for (const int delta : {-1, 0, 1}) {
      scalars.push_back(lambda * i % r + delta);
      scalars.push_back(r * i / 9 + delta);
      scalars.push_back((r >> i) + delta);
    }
  }
  return scalars;
}

TYPED_TEST(CubeRootMap, MultipliesByLambda) {
  using G = TypeParam;
  using C = typename G::Curve;
  Rng rng{3};
  const auto& pairs = known<C>().at(samples::kIsG1<G> ? "glv_g1" : "glv_g2");
  const Int lambda = oracle::to_int(CubeRoots<C>::kLambda);
  bool found = false;
  for (const auto& pair : pairs) {
    if (samples::integer(pair.at("lambda")) != lambda) continue;
    found = true;
    EXPECT_EQ(beta<G>(), samples::value<typename C::Fp>(pair.at("beta")));
  }
  EXPECT_TRUE(found);
  for (const auto& p : {G::generator(), samples::random_in_subgroup<G>(rng), Affine<G>::infinity()}) {
    EXPECT_EQ(phi(p), scalar_mul(p, CubeRoots<C>::kLambda).to_affine());
  }
}

TYPED_TEST(CubeRootMap, GlvProductIsTheProduct) {
  using G = TypeParam;
  Rng rng{4};
  const auto p = samples::random_in_subgroup<G>(rng);
  auto scalars = awkward_scalars<typename G::Curve>();
  for (int i = 0; i < 10; ++i) scalars.push_back(samples::random_below(oracle::modulus_of<typename G::Scalar>(), rng));
  for (const Int& k : scalars) {
    const auto limbs = oracle::to_array<4>(k);
    EXPECT_EQ(glv_mul(p, limbs), scalar_mul(p, limbs)) << k;
  }
  EXPECT_TRUE(glv_mul(Affine<G>::infinity(), {5}).is_infinity());
  const oracle::Group<G> group;
  EXPECT_EQ(oracle::to_point(glv_mul(p, oracle::to_array<4>(scalars.back())).to_affine()),
            group.mul(oracle::to_point(p), scalars.back()));
}

TYPED_TEST(Curve, DecompositionIsExactAndShort) {
  using C = TypeParam;
  Rng rng{5};
  const Int r = oracle::modulus_of<typename C::Fr>();
  const Int lambda = oracle::to_int(CubeRoots<C>::kLambda);
  EXPECT_EQ((lambda * lambda + lambda + 1) % r, 0);
  // half the sums of the basis vectors' coordinates bound what rounding leaves; one for the error of the reciprocals
  const auto& basis = known<C>().at("glv_g1_basis");
  ASSERT_EQ(samples::integer(basis.at("for_lambda")), lambda);
  std::array<Int, 2> bound{1, 1};
  for (const auto& vector : basis.at("vectors")) {
    for (std::size_t i = 0; i < 2; ++i) bound[i] += (Int(abs(samples::integer(vector.at(i)))) + 1) / 2;
  }
  EXPECT_LT(bound[0], Int(1) << 127);
  EXPECT_LT(bound[1], Int(1) << 127);
  auto scalars = awkward_scalars<C>();
  for (int i = 0; i < 5000; ++i) scalars.push_back(samples::random_below(Int(1) << 256, rng));
  for (const Int& k : scalars) {
    const auto halves = glv_decompose<C>(oracle::to_array<4>(k));
    std::array<Int, 2> value;
    for (std::size_t i = 0; i < 2; ++i) {
      value[i] = oracle::to_int(halves[i].magnitude);
      EXPECT_LE(value[i], bound[i]) << k;
      if (halves[i].negative) value[i] = -value[i];
    }
    EXPECT_EQ(oracle::mod(value[0] + value[1] * lambda - k, r), 0) << k;
  }
}

TYPED_TEST(Curve, PsiIsTheFrobeniusOfTheTwist) {
  using C = TypeParam;
  using G2 = typename C::G2;
  using Fp2 = typename C::Fp2;
  Rng rng{6};
  const auto& expected = known<C>().at("psi_g2");
  // psi is linear in both coordinates: this is no point, but shows the constants
  const auto constants = psi<C>({Fp2::one(), Fp2::one()});
  EXPECT_EQ(constants.x, samples::value<Fp2>(expected.at("cx")));
  EXPECT_EQ(constants.y, samples::value<Fp2>(expected.at("cy")));
  EXPECT_EQ(psi<C>(G2::generator()), samples::point<G2>(expected.at("psi_of_g2")));
  const auto eigenvalue = samples::scalar(expected.at("eigenvalue"));
  EXPECT_EQ(oracle::to_int(eigenvalue), oracle::modulus_of<typename C::Fp>() % oracle::modulus_of<typename C::Fr>());
  for (const auto& q : {G2::generator(), samples::random_in_subgroup<G2>(rng), Affine<G2>::infinity()}) {
    EXPECT_EQ(psi<C>(q), scalar_mul(q, eigenvalue).to_affine());
  }
  EXPECT_TRUE(psi<C>(samples::random_on_curve<G2>(rng)).on_curve());
}

}  // namespace
}  // namespace cuzk::arith
