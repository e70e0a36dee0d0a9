/// The CUDA MSM's logic and its points' arithmetic, without a device.

#include "msm_model.hpp"

#include <array>
#include <random>

#include <cuzk/arith/scalar_mul.hpp>

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
  static Shape shape(size_t count, unsigned width, unsigned log2_entries = Budget::kMinLog2Entries,
                     unsigned stride = 0) {
    cuzk_query q = query(count);
    q.plan.resident = 1;
    q.plan.choice[0] = stride;
    return Budget{width, log2_entries, 1, false, false, false}.shape(q);
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
    for (const Shape& one : {shape(logs.size(), 4), shape(logs.size(), 7)}) {
      for (const bool narrow : {false, true}) {
        MsmModel<G> model(one, limbs, logs.size());
        if (narrow) model.narrow();
        model.feed(points);
        EXPECT_TRUE(model.result() == expected) << logs.size() << " points, width " << model.shape().width;
      }
    }
    Shape cut = shape(logs.size(), 5);  // pieces and groups that do not divide what they cut, chunks that cut blocks
    cut.group = 4;
    cut.log2_block = 3;
    cut.entries = std::max<uint64_t>(logs.size() * cut.group / 3, 8 * cut.group);
    MsmModel<G> model(cut, limbs, logs.size());
    for (size_t first = 0, now = 0; first < points.size(); first += now) {
      now = std::min<size_t>(first == 0 ? 5 : 13, points.size() - first);
      model.feed(std::span(points).subspan(first, now));
    }
    EXPECT_TRUE(model.result() == expected) << logs.size() << " points in pieces";

    if (++checks_ % 3 != 0) return;  // takes long
    constexpr std::array<unsigned, 4> kStrides{32, 85, 43, 127};
    const unsigned stride = kStrides[checks_ % kStrides.size()];
    MsmModel<G> tables(shape(logs.size(), 4 + checks_ % 5, Budget::kMinLog2Entries, stride), limbs, logs.size());
    if (checks_ % 2 == 0) tables.narrow();
    tables.feed_resident(points);
    EXPECT_TRUE(tables.result() == expected) << logs.size() << " points, tables " << stride << " bits apart";
  }

  std::mt19937_64 engine_{7};
  unsigned checks_ = 0;
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
    const Shape shape = this->shape(n, 8, 22);
    Model model(shape, ones, n, {}, 0);  // a partial sum each
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
  MsmModel<TypeParam> model(this->shape(points.size(), 6), limbs, points.size(), selection);
  model.narrow();
  model.feed(points);
  EXPECT_TRUE(model.result() == this->multiple(sum));
}

TYPED_TEST(MsmLogic, ScalarsOfAnyLengths) {
  using Fr = typename TypeParam::Scalar;
  const size_t n = 100;
  const auto logs = this->randoms(n);
  const auto where = [&](auto&& value) {
    std::vector<Fr> scalars(n, Fr::zero());
    for (size_t i = 0; i < n; ++i) scalars[i] = value(i);
    this->check(logs, scalars);
  };
  where([&](size_t i) { return i == n - 1 ? this->random() : Fr::zero(); });
  where([&](size_t i) { return i < 64 ? Fr::zero() : Fr::one(); });  // blocks without any
  where([&](size_t i) { return i % 20 == 0 ? this->random() : Fr::from_u64(i % 2); });
  where([&](size_t i) { return i % 3 == 0 ? Fr::from_u64(this->engine_() >> (i % 64)) : -Fr::from_u64(i % 2); });
  where([&](size_t i) { return i % 2 == 0 ? Fr::from_u64(this->engine_()).square() : Fr::zero(); });
}

/// Zero digits make no entries, and what a witness is made of is cut as if the rest were not there.
TYPED_TEST(MsmLogic, ZerosMakeNoEntries) {
  const size_t n = 3000, full = 30;
  typename MsmModel<TypeParam>::Scalars scalars(n, {0, 0, 0, 0});
  const std::vector<arith::Affine<TypeParam>> points(n, TypeParam::generator());
  const auto model_of = [&](unsigned log2_entries) {
    MsmModel<TypeParam> model(this->shape(n, 9, log2_entries), scalars, n);
    model.narrow();
    model.feed(points);
    return model;
  };
  EXPECT_EQ(model_of(20).slots(), 0U);
  EXPECT_TRUE(model_of(20).result().is_infinity());
  for (size_t i = 0; i < n; i += 2) scalars[i] = {1, 0, 0, 0};
  EXPECT_EQ(model_of(20).slots(), n / 2);
  EXPECT_EQ(model_of(20).pieces(), 1U);
  EXPECT_EQ(model_of(20).shape().width, Shape::kMinWidth);
  for (size_t i = 0; i < full; ++i) scalars[i * 100 + 1] = {this->engine_(), this->engine_(), this->engine_(), 1};
  const MsmModel<TypeParam> mixed = model_of(20);
  EXPECT_EQ(mixed.slots(), n / 2 + full * mixed.shape().reached(14)) << "of 193 bits";
  EXPECT_LT(mixed.shape().width, 9U);
  const MsmModel<TypeParam> small = model_of(12);  // full width it would be a window and all points at a time
  EXPECT_GT(small.shape().group, 1U);
  EXPECT_EQ(small.pieces(), (small.shape().windows - 1) / small.shape().group + 1);
}

}  // namespace
}  // namespace cuzk::cuda
