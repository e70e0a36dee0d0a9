/// The CUDA MSM's logic and its points' arithmetic, without a device.

#include "msm_model.hpp"

#include <array>
#include <cstdlib>
#include <random>

#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

template <class G>
class MsmLogic : public testing::Test {
 protected:
  using Scalar = typename G::Scalar;
  using Points = std::vector<arith::Affine<G>>;

  static arith::Affine<G> multiple(const Scalar& log) { return arith::scalar_mul<G>(G::generator(), log).to_affine(); }
  Scalar random() {
    typename Scalar::Limbs limbs;
    for (uint64_t& limb : limbs) limb = engine_();
    limbs.back() >>= 4;
    return Scalar::from_canonical(limbs);
  }
  std::vector<Scalar> randoms(size_t n) {
    std::vector<Scalar> out(n);
    for (Scalar& s : out) s = random();
    return out;
  }
  static cuzk_query query(uint64_t count) {
    cuzk_query q{};
    q.count = q.span = count;
    q.curve = G::Curve::kId;
    q.group = std::is_same_v<G, typename G::Curve::G1> ? CUZK_G1 : CUZK_G2;
    return q;
  }
  /// Small pieces and runs, so that few points meet every case.
  static Shape shape(size_t count, unsigned width, unsigned log2_entries = Budget::kMinLog2Entries) {
    return Budget{width, log2_entries, 1, false}.shape(query(count));
  }

  /// Bases are logs[i] times the generator; every shape must answer the sum.
  void check(const std::vector<Scalar>& logs, const std::vector<Scalar>& scalars) {
    Points points;
    Scalar sum = Scalar::zero();
    for (size_t i = 0; i < logs.size(); ++i) {
      const bool again = i != 0 && logs[i] == logs[i - 1];
      points.push_back(again ? points.back() : multiple(logs[i]));
      sum += logs[i] * scalars[i];
    }
    const arith::Affine<G> expected = multiple(sum);
    typename MsmModel<G>::Scalars limbs;
    for (const Scalar& s : scalars) limbs.push_back(s.to_canonical());
    for (Shape one : {shape(logs.size(), 4), shape(logs.size(), 7)}) {
      MsmModel<G> model(one, limbs);
      model.feed(points);
      EXPECT_TRUE(model.result() == expected) << logs.size() << " points, width " << one.width;
    }
    Shape cut = shape(logs.size(), 5);  // pieces and groups that do not divide what they cut
    cut.piece = logs.size() / 3 + 1;
    cut.group = 4;
    MsmModel<G> model(cut, limbs);
    model.feed(std::span(points).first(points.size() / 2));
    model.feed(std::span(points).subspan(points.size() / 2));
    EXPECT_TRUE(model.result() == expected) << logs.size() << " points in pieces";
  }

  std::mt19937_64 engine_{7};
};

using Groups = testing::Types<arith::Bn254::G1, arith::Bn254::G2, arith::Bls12381::G1, arith::Bls12381::G2>;
TYPED_TEST_SUITE(MsmLogic, Groups);

TYPED_TEST(MsmLogic, AnySize) {
  using Fr = typename TypeParam::Scalar;
  for (const size_t n : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 31U, 33U}) {
    this->check(this->randoms(n), this->randoms(n));
    this->check(std::vector<Fr>(n, Fr::one()), this->randoms(n));
  }
}

TYPED_TEST(MsmLogic, EqualScalars) {
  using Fr = typename TypeParam::Scalar;
  const Fr half = -Fr::one().halved();  // (r - 1) / 2
  const auto logs = this->randoms(40);
  for (const Fr& s : {Fr::zero(), Fr::one(), -Fr::one(), Fr::from_u64(8), Fr::from_u64(64), half, half + Fr::one()}) {
    this->check(logs, std::vector<Fr>(logs.size(), s));
  }
}

TYPED_TEST(MsmLogic, FoldsManyPartialSumsOfOneBucket) {
  using Fr = typename TypeParam::Scalar;
  using Model = MsmModel<TypeParam>;
  for (const size_t n : {kFoldFrom - 1, kFoldFrom, kFoldFrom * kFold - kFold, kFoldFrom * kFold + 1}) {
    std::vector<arith::Affine<TypeParam>> points;
    Fr sum = Fr::zero();
    while (points.size() < n) {
      const Fr log = this->random();
      const size_t count = std::min<size_t>(n - points.size(), 700);
      points.resize(points.size() + count, this->multiple(log));
      sum += log * Fr::from_u64(count);
    }
    const typename Model::Scalars ones(n, {1});
    Shape shape = this->shape(n, 8, 22);
    shape.piece = n;
    shape.group = 1;
    shape.log2_run = 0;  // a partial sum each
    Model model(shape, ones);
    model.feed(points);
    EXPECT_TRUE(model.result() == this->multiple(sum)) << n << " partial sums";
  }
}

TYPED_TEST(MsmLogic, EqualAndOppositePointsAndInfinity) {
  using Fr = typename TypeParam::Scalar;
  const size_t n = 33;
  const Fr one = Fr::one(), two = one.doubled();
  const std::array<std::vector<Fr>, 5> patterns{
      std::vector{one}, {one, -one}, {one, -one, two}, {one, one, -one, -one}, {Fr::zero(), one, Fr::zero(), -one}};
  for (const std::vector<Fr>& pattern : patterns) {
    std::vector<Fr> logs;
    for (size_t i = 0; i < n; ++i) logs.push_back(pattern[i % pattern.size()]);
    this->check(logs, std::vector<Fr>(n, Fr::one()));
    this->check(logs, this->randoms(n));
  }
  this->check(std::vector<Fr>(n, Fr::zero()), this->randoms(n));
}

TYPED_TEST(MsmLogic, PowersOfTwoAndTheirNeighbours) {
  using Fr = typename TypeParam::Scalar;
  std::vector<Fr> scalars;
  Fr power = Fr::one();
  for (size_t i = 0; i < Fr::kBits; ++i, power = power.doubled()) {
    if (i % 5 != 4 && i + 3 < Fr::kBits) continue;
    for (const Fr& s : {power, power - Fr::one(), power + Fr::one(), -power}) scalars.push_back(s);
  }
  this->check(std::vector<Fr>(scalars.size(), Fr::one()), scalars);
}

TYPED_TEST(MsmLogic, SelectedScalars) {
  using Fr = typename TypeParam::Scalar;
  const size_t span = 700;
  const auto all = this->randoms(span);
  typename MsmModel<TypeParam>::Scalars limbs;
  for (const Fr& s : all) limbs.push_back(s.to_canonical());
  std::vector<uint64_t> mask((span + 63) / 64, 0);
  std::vector<arith::Affine<TypeParam>> points;
  Fr sum = Fr::zero();
  for (size_t i = 0; i < span; ++i) {
    if (i / 100 == 2 || this->engine_() % 16 != 0) continue;  // a stretch without any
    mask[i / 64] |= uint64_t{1} << (i % 64);
    const Fr log = Fr::from_u64(points.size() + 1);
    points.push_back(this->multiple(log));
    sum += log * all[i];
  }
  mask.back() |= ~uint64_t{0} << (span % 64);  // means nothing
  Selection selection{mask.data(), nullptr, span};
  std::vector<uint32_t> ranks{0};
  for (uint64_t b = 0; b < Selection::blocks(span); ++b) ranks.push_back(ranks.back() + selection.count(b));
  ASSERT_EQ(ranks.back(), points.size());
  selection.ranks = ranks.data();
  MsmModel<TypeParam> model(this->shape(points.size(), 6), limbs, selection);
  model.feed(points);
  EXPECT_TRUE(model.result() == this->multiple(sum));
}

template <class Fr>
class MsmDigits : public testing::Test {};
using Scalars = testing::Types<arith::Bn254Fr, arith::Bls12381Fr>;
TYPED_TEST_SUITE(MsmDigits, Scalars);

/// Digits are small and sum up to the scalar, for every width and for integers at and above r too.
TYPED_TEST(MsmDigits, SumUpToTheScalar) {
  using Fr = TypeParam;
  const uint32_t curve = std::is_same_v<Fr, arith::Bn254Fr> ? CUZK_BN254 : CUZK_BLS12_381;
  std::mt19937_64 random(5);
  std::vector<typename Fr::Limbs> cases{{0, 0, 0, 0},         {1, 0, 0, 0},
                                        Fr::modulus(),        Fr::Constants::kMinusOne,
                                        Fr::Constants::kHalf, {~0ULL, ~0ULL, ~0ULL, ~0ULL},
                                        {0, 0, 0, 1ULL << 63}};
  auto above = Fr::Constants::kHalf;
  above[0] += 1;
  cases.push_back(above);
  for (int i = 0; i < 50; ++i) cases.push_back({random(), random(), random(), random()});
  for (unsigned width = Shape::kMinWidth; width <= Shape::kMaxWidth; ++width) {
    const Recoding r = recoding(curve, width);
    const Fr base = Fr::from_u64(uint64_t{1} << width);
    for (const auto& limbs : cases) {
      auto plain = limbs;
      while (!Fr::is_reduced(plain)) arith::limbs::sub(plain, plain, Fr::modulus());
      const Digits digits = Digits::of(r, limbs.data());
      Fr sum = Fr::zero();
      for (unsigned w = r.windows; w-- > 0;) {
        const int64_t digit = digits.at(r, w);
        ASSERT_LE(std::abs(digit), int64_t{1} << (width - 1)) << "width " << width << " window " << w;
        const Fr magnitude = Fr::from_u64(static_cast<uint64_t>(std::abs(digit)));
        sum = sum * base + (digit < 0 ? -magnitude : magnitude);
      }
      ASSERT_TRUE(sum == Fr::from_canonical(plain)) << "width " << width;
    }
  }
}

TEST(MsmPlan, MoreMemoryNeverMakesASmallerPlan) {
  for (const uint32_t curve : {CUZK_BN254, CUZK_BLS12_381}) {
    for (const uint32_t group : {CUZK_G1, CUZK_G2}) {
      for (const uint64_t n : {uint64_t{0}, uint64_t{1}, uint64_t{3000}, uint64_t{1} << 20, uint64_t{1} << 28}) {
        cuzk_query q{};
        q.count = q.span = n;
        q.curve = curve;
        q.group = group;
        const cuzk_plan most = plan_msm(132, {&q, 1}, UINT64_MAX);
        EXPECT_LE(most.minimum, most.workspace);
        EXPECT_EQ(plan_msm(132, {&q, 1}, 0).workspace, most.minimum);
        uint64_t before = 0;
        for (uint64_t limit = most.minimum; limit < 2 * most.workspace; limit += limit / 3 + 1) {
          const cuzk_plan plan = plan_msm(132, {&q, 1}, limit);
          EXPECT_LE(plan.workspace, limit);
          EXPECT_GE(plan.workspace, before);
          EXPECT_EQ(plan.minimum, most.minimum);
          EXPECT_NO_THROW(Budget::from(plan));
          const Shape shape = Budget::from(plan).shape(q);
          EXPECT_EQ(Workspace::lay_out(nullptr, {&q, 1}, {&shape, 1}, false).bytes, plan.workspace);
          before = plan.workspace;
        }
      }
    }
  }
}

TEST(MsmPlan, SharesEntriesWhereMemoryAllows) {
  cuzk_query q{};
  q.count = q.span = uint64_t{1} << 20;
  q.curve = CUZK_BLS12_381;
  q.group = CUZK_G1;
  q.plan.resident = 1;
  std::array<cuzk_query, 4> queries{q, q, q, q};
  queries[1].first = 7;
  queries[2].group = CUZK_G2;
  queries[3].plan.resident = 0;  // streamed
  using Lists = std::vector<std::vector<uint32_t>>;
  EXPECT_EQ(groups_of(queries, true), (Lists{{0, 2}, {1}, {3}}));
  EXPECT_EQ(groups_of(queries, false), (Lists{{0}, {1}, {2}, {3}}));
  const cuzk_plan ample = plan_msm(132, queries, UINT64_MAX);
  EXPECT_TRUE(Budget::from(ample).shared);
  EXPECT_FALSE(Budget::from(plan_msm(132, queries, ample.minimum)).shared);
  queries[2].select.bytes = 8;
  EXPECT_FALSE(Budget::from(plan_msm(132, queries, UINT64_MAX)).shared);
}

TEST(MsmPlan, RefusesWhatItDidNotAnswer) {
  cuzk_plan plan{};
  EXPECT_THROW(Budget::from(plan), sdk::Error);
  Budget{10, 20, 132, true}.write(plan);
  EXPECT_TRUE((Budget::from(plan) == Budget{10, 20, 132, true}));
  plan.choice[3] = 2;
  EXPECT_THROW(Budget::from(plan), sdk::Error);
  EXPECT_THROW(affine_bytes(3, CUZK_G1), sdk::Error);
  EXPECT_THROW(affine_bytes(CUZK_BN254, 3), sdk::Error);
}

}  // namespace
}  // namespace cuzk::cuda
