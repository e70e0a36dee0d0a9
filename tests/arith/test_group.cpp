#include "curve_samples.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <type_traits>

#include <cuzk/arith/jacobian.hpp>
#include <cuzk/arith/sum_of_multiples.hpp>

namespace cuzk::arith {
namespace {

using oracle::Int;
using oracle::to_point;
using samples::known;
using samples::Rng;

template <class G>
class GroupLaws : public testing::Test {
 protected:
  using Coordinate = typename G::Base;

  Rng rng{7};
  oracle::Group<G> group;

  /// Infinity, neighbours that coincide or cancel, random points of the subgroup and of the whole curve.
  std::vector<Affine<G>> points() {
    const auto g = G::generator();
    const auto twice = scalar_mul(g, std::array<std::uint64_t, 4>{2}).to_affine();
    std::vector<Affine<G>> result{Affine<G>::infinity(), g, -g, twice, -twice};
    result.push_back(samples::random_in_subgroup<G>(rng));
    result.push_back(samples::random_on_curve<G>(rng));
    for (const auto& stranger : known<typename G::Curve>().at(outside_key())) {
      result.push_back(samples::point<G>(stranger));
    }
    return result;
  }
  static const char* outside_key() { return samples::kIsG1<G> ? "on_curve_not_in_g1" : "on_curve_not_in_g2"; }

  /// The same point with a random Z.
  Xyzz<G> xyzz(const Affine<G>& p) {
    if (p.is_infinity()) return {random(), random(), Coordinate::zero(), Coordinate::zero()};
    const Coordinate z = random();
    const Coordinate zz = z.square();
    return {p.x * zz, p.y * zz * z, zz, zz * z};
  }
  Jacobian<G> jacobian(const Affine<G>& p) {
    if (p.is_infinity()) return {random(), random(), Coordinate::zero()};
    const Coordinate z = random();
    return {p.x * z.square(), p.y * z.square() * z, z};
  }
  Coordinate random() { return samples::random<Coordinate>(rng); }
};

using Groups = testing::Types<Bn254::G1, Bn254::G2, Bls12381::G1, Bls12381::G2>;
TYPED_TEST_SUITE(GroupLaws, Groups);

TYPED_TEST(GroupLaws, ConstantsAreTheCurves) {
  using G = TypeParam;
  const auto& curve = known<typename G::Curve>();
  EXPECT_EQ(G::generator(), samples::point<G>(curve.at(samples::kIsG1<G> ? "g1" : "g2")));
  EXPECT_EQ(G::b(), samples::value<typename G::Base>(curve.at(samples::kIsG1<G> ? "b1" : "b2")));
  EXPECT_EQ(oracle::modulus_of<typename G::Curve::Fp>(), samples::integer(curve.at("q")));
  EXPECT_EQ(oracle::modulus_of<typename G::Scalar>(), samples::integer(curve.at("r")));
  const Int x = samples::integer(curve.at("x"));
  EXPECT_EQ(Int(G::Curve::kX), abs(x));
  EXPECT_EQ(G::Curve::kXIsNegative, x < 0);
}

TYPED_TEST(GroupLaws, AffineLayoutIsTheInterfaces) {
  using Point = Affine<TypeParam>;
  static_assert(std::is_standard_layout_v<Point> && std::is_trivially_copyable_v<Point>);
  static_assert(sizeof(Point) == 2 * sizeof(typename TypeParam::Base));
  static_assert(sizeof(typename TypeParam::Base) % sizeof(typename TypeParam::Curve::Fp) == 0);
  const std::array<std::byte, sizeof(Point)> zeros{};
  const auto infinity = Point::infinity();
  EXPECT_EQ(std::memcmp(&infinity, zeros.data(), sizeof infinity), 0);
  EXPECT_TRUE(infinity.is_infinity());
  EXPECT_FALSE(TypeParam::generator().is_infinity());
}

TYPED_TEST(GroupLaws, OnCurve) {
  using Base = typename TypeParam::Base;
  for (const auto& p : this->points()) {
    EXPECT_TRUE(p.on_curve());
    EXPECT_TRUE((-p).on_curve());
    EXPECT_FALSE((Affine<TypeParam>{p.x, p.y + Base::one()}).on_curve());
    EXPECT_FALSE((Affine<TypeParam>{p.x + Base::one(), p.y}).on_curve());
  }
}

TYPED_TEST(GroupLaws, SumsMatchTheTextbook) {
  using G = TypeParam;
  for (const auto& p : this->points()) {
    for (const auto& q : this->points()) {
      const auto sum = this->group.add(to_point(p), to_point(q));
      EXPECT_EQ(to_point((this->xyzz(p) + this->xyzz(q)).to_affine()), sum);
      EXPECT_EQ(to_point((this->xyzz(p) + q).to_affine()), sum);
      EXPECT_EQ(to_point((Xyzz<G>::from_affine(p) + q).to_affine()), sum);
      EXPECT_EQ(to_point((this->jacobian(p) + this->jacobian(q)).to_affine()), sum);
      EXPECT_EQ(to_point((this->jacobian(p) + q).to_affine()), sum);
      EXPECT_EQ(to_point((Jacobian<G>::from_affine(p) + q).to_affine()), sum);
    }
  }
}

TYPED_TEST(GroupLaws, DoublesAndNegativesMatchTheTextbook) {
  using G = TypeParam;
  for (const auto& p : this->points()) {
    const auto twice = this->group.add(to_point(p), to_point(p));
    EXPECT_EQ(to_point(this->xyzz(p).doubled().to_affine()), twice);
    EXPECT_EQ(to_point(Xyzz<G>::doubled(p).to_affine()), twice);
    EXPECT_EQ(to_point(this->jacobian(p).doubled().to_affine()), twice);
    const auto negative = this->group.negate(to_point(p));
    EXPECT_EQ(to_point(-p), negative);
    EXPECT_EQ(to_point((-this->xyzz(p)).to_affine()), negative);
    EXPECT_EQ(to_point((-this->jacobian(p)).to_affine()), negative);
    EXPECT_EQ(to_point(this->jacobian(p).to_xyzz().to_affine()), to_point(p));
  }
}

TYPED_TEST(GroupLaws, EqualityIgnoresTheRepresentation) {
  const auto points = this->points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      EXPECT_EQ(this->xyzz(points[i]) == this->xyzz(points[j]), i == j);
      EXPECT_EQ(this->jacobian(points[i]) == this->jacobian(points[j]), i == j);
    }
  }
}

TYPED_TEST(GroupLaws, AssignmentsMayAlias) {
  const auto g = TypeParam::generator();
  auto p = this->xyzz(g);
  p += p;
  EXPECT_EQ(p, Xyzz<TypeParam>::doubled(g));
  p += -g;
  EXPECT_EQ(p.to_affine(), g);
  auto q = this->jacobian(g);
  q += q;
  EXPECT_EQ(q.to_xyzz(), Xyzz<TypeParam>::doubled(g));
  q += -g;
  EXPECT_EQ(q.to_affine(), g);
}

TYPED_TEST(GroupLaws, KnownMultiplesOfTheGenerator) {
  using G = TypeParam;
  const auto& multiples = known<typename G::Curve>().at(samples::kIsG1<G> ? "g1_multiples" : "g2_multiples");
  ASSERT_GE(multiples.size(), 5U);
  for (const auto& multiple : multiples) {
    const auto k = samples::scalar(multiple.at("k"));
    EXPECT_EQ(scalar_mul(G::generator(), k).to_affine(), samples::point<G>(multiple.at("p")));
    EXPECT_EQ(scalar_mul(G::generator(), G::Scalar::from_canonical(k)).to_affine(),
              samples::point<G>(multiple.at("p")));
  }
}

TYPED_TEST(GroupLaws, KnownMultiScalarProduct) {
  using G = TypeParam;
  const auto& msm = known<typename G::Curve>().at(samples::kIsG1<G> ? "msm_g1" : "msm_g2");
  auto sum = Xyzz<G>::infinity();
  for (std::size_t i = 0; i < msm.at("points").size(); ++i) {
    sum += scalar_mul(samples::point<G>(msm["points"][i]), samples::scalar(msm["scalars"][i]));
  }
  EXPECT_EQ(sum.to_affine(), samples::point<G>(msm.at("sum")));
}

TYPED_TEST(GroupLaws, ScalarMultiplesMatchTheTextbook) {
  using G = TypeParam;
  const Int r = oracle::modulus_of<typename G::Scalar>();
  const Int top = (Int(1) << 256) - 1;
  std::vector<Int> scalars{0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 0xffff, r - 1, r, r + 1, top, Int(1) << 255};
  scalars.push_back(samples::random_below(r, this->rng));
  // the second point is no multiple of the generator where there is a cofactor
  for (const auto& p : {G::generator(), samples::random_on_curve<G>(this->rng), Affine<G>::infinity()}) {
    for (const Int& k : scalars) {
      const auto expected = this->group.mul(to_point(p), k);
      EXPECT_EQ(to_point(scalar_mul(p, oracle::to_array<4>(k)).to_affine()), expected) << k;
    }
    const Int longer = (Int(1) << 320) + samples::random_below(r, this->rng);
    EXPECT_EQ(to_point(scalar_mul<G>(p, oracle::to_limbs(longer)).to_affine()), this->group.mul(to_point(p), longer));
    EXPECT_TRUE(scalar_mul<G>(p, std::span<const std::uint64_t>{}).is_infinity());
  }
}

/// At every number of points up to where the windows have changed width twice: single multiples and buckets, equal and
/// opposite points among them, infinity, and scalars whose windows are all ones.
TYPED_TEST(GroupLaws, SumsOfMultiplesAreSumsOfSingleOnes) {
  using G = TypeParam;
  const auto some = this->points();
  const std::array<std::uint64_t, 4> ones{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  std::vector<Affine<G>> points;
  std::vector<std::array<std::uint64_t, 4>> scalars;
  auto expected = Xyzz<G>::infinity();
  for (std::size_t n = 0; n <= 40; ++n) {
    EXPECT_EQ(sum_of_multiples<G>(points, scalars).to_affine(), expected.to_affine()) << n;
    points.push_back(some[n % some.size()]);
    scalars.push_back(n % 7 == 3   ? ones
                      : n % 7 == 5 ? std::array<std::uint64_t, 4>{}
                                   : oracle::to_array<4>(samples::random_below(Int(1) << 256, this->rng)));
    expected += scalar_mul(points.back(), scalars.back());
  }
}

}  // namespace
}  // namespace cuzk::arith
