/// The CUDA MSM's logic and its points' arithmetic, without a device.

#include "cuda-common/msm/tables.hpp"
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
  static Shape shape(size_t count, unsigned width, unsigned log2_entries = Budget::kMinLog2Entries,
                     unsigned stride = 0) {
    cuzk_query q = query(count);
    q.plan.resident = 1;
    q.plan.choice[0] = stride;
    return Budget{width, log2_entries, 1, false}.shape(q);
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

template <class Fr>
class MsmDigits : public testing::Test {};
using Scalars = testing::Types<arith::Bn254Fr, arith::Bls12381Fr>;
TYPED_TEST_SUITE(MsmDigits, Scalars);

constexpr std::array<unsigned, 7> kStrides{0, 32, 37, 53, 64, 127, 253};

/// What `body` says of each width and stride.
template <class Body>
void for_each_cut(Body&& body) {
  for (unsigned width = Shape::kMinWidth; width <= Shape::kMaxWidth; ++width) {
    for (const unsigned stride : kStrides) {
      SCOPED_TRACE("width " + std::to_string(width) + ", stride " + std::to_string(stride));
      ASSERT_NO_FATAL_FAILURE(body(width, stride));
    }
  }
}

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
  for_each_cut([&](unsigned width, unsigned stride) {
    const Recoding r = recoding(curve, width, stride);
    const auto power = [](unsigned bits) { return Fr::from_u64(2).pow(std::array<uint64_t, 1>{bits}); };
    const Fr base = power(width), next_table = power(r.stride);
    for (const auto& limbs : cases) {
      auto plain = limbs;
      while (!Fr::is_reduced(plain)) arith::limbs::sub(plain, plain, Fr::modulus());
      const Digits digits = Digits::of(r, limbs.data());
      Fr sum = Fr::zero(), table = Fr::zero();
      for (unsigned d = r.digits; d-- > 0;) {
        const int64_t digit = digits.at(r, d % r.windows, d / r.windows);
        ASSERT_LE(std::abs(digit), int64_t{1} << (width - 1)) << "digit " << d;
        const Fr magnitude = Fr::from_u64(static_cast<uint64_t>(std::abs(digit)));
        table = table * base + (digit < 0 ? -magnitude : magnitude);
        if (d % r.windows != 0) continue;
        sum = sum * next_table + table;
        table = Fr::zero();
      }
      ASSERT_TRUE(sum == Fr::from_canonical(plain));
    }
  });
}

/// No digit behind those of the length's class; nor is a class longer than it must be.
TYPED_TEST(MsmDigits, EndWhereTheLengthSays) {
  using Fr = TypeParam;
  const uint32_t curve = std::is_same_v<Fr, arith::Bn254Fr> ? CUZK_BN254 : CUZK_BLS12_381;
  std::mt19937_64 random(6);
  std::vector<typename Fr::Limbs> cases{{0, 0, 0, 0}};
  for (unsigned bits = 1; bits < Fr::kBits; ++bits) {
    typename Fr::Limbs ones{}, power{}, any{}, same{};
    power[(bits - 1) / 64] = uint64_t{1} << ((bits - 1) % 64);
    arith::limbs::sub(ones, power, typename Fr::Limbs{1});
    for (unsigned i = 0; i < kScalarLimbs; ++i) {
      ones[i] |= power[i];
      any[i] = (random() & ones[i]) | power[i];
      same[i] = (0x7777777777777777 & ones[i]) | power[i];
    }
    cases.insert(cases.end(), {ones, power, any, same});
  }
  for_each_cut([&](unsigned width, unsigned stride) {
    const Recoding r = recoding(curve, width, stride);
    const Places places = Places::of(Fr::kBits - 1, width, stride);
    ASSERT_EQ(places.tables(), stride == 0 ? 1 : (Fr::kBits - 1) / stride + 1);
    for (const auto& limbs : cases) {
      uint64_t magnitude[kScalarLimbs];
      take_magnitude(r, limbs.data(), magnitude);
      const unsigned most = places.reached(length_class(magnitude));
      const Digits digits = Digits::of(r, limbs.data());
      unsigned last = 0;
      for (unsigned d = 0; d < r.digits; ++d) {
        if (digits.at(r, d % r.windows, d / r.windows) != 0) last = d + 1;
      }
      ASSERT_LE(last, most);
      ASSERT_LE(most, last + 16 / width + 3);
    }
  });
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

/// What is known of the scalars never makes any part of the workspace larger, and each window group has its share.
TEST(MsmPlan, NarrowedShapesNeedNoMoreMemory) {
  std::mt19937_64 random(11);
  for (const uint32_t curve : {CUZK_BN254, CUZK_BLS12_381}) {
    for (const uint64_t n :
         {uint64_t{0}, uint64_t{1}, uint64_t{40}, uint64_t{5000}, uint64_t{1} << 22, uint64_t{1} << 27}) {
      for (const unsigned entries : {Budget::kMinLog2Entries, 17U, Budget::kMaxLog2Entries}) {
        for (unsigned width = Shape::kMinWidth; width <= Shape::kMaxWidth; ++width) {
          cuzk_query q{};
          q.count = q.span = n;
          q.curve = curve;
          q.group = CUZK_G1;
          q.plan.resident = 1;
          q.plan.choice[0] = kStrides[random() % kStrides.size()];
          const Shape planned = Budget{width, entries, width % 2 == 0 ? 132U : 1U, false}.shape(q);
          Profile profile{};
          uint64_t left = n;
          for (unsigned c = kLengthClasses; c-- > 1 && left != 0;) {
            profile[c] = random() % (left + 1);
            if (random() % 2 == 0) profile[c] /= 16;
            left -= profile[c];
          }
          profile[0] = left;
          for (const Profile& one : {profile, Profile{n}, full_width(n)}) {
            const Shape shape = planned.narrowed(one);
            EXPECT_LE(shape.width, planned.width);
            EXPECT_LE(shape.buckets(), planned.buckets());
            EXPECT_LE(shape.group_buckets(), planned.group_buckets());
            EXPECT_LE(shape.ranges(), planned.ranges());
            EXPECT_LE(shape.partials(), planned.partials());
            EXPECT_EQ(shape.entries, planned.entries);
            EXPECT_LE(shape.windows, Shape::kMaxWindows);
            EXPECT_LT(shape.log2_range, shape.width);
            for (unsigned w = 0; w < shape.windows; w += shape.group) {
              const EntryBound bound = EntryBound::of(shape, shape.group_from(w));
              const uint64_t fullest = std::min<uint64_t>(one.back(), uint64_t{1} << shape.log2_block);
              EXPECT_LE(bound.sum(full_width(fullest).data()), shape.entries) << "a block";
            }
            if (n == 0 || one != full_width(n)) continue;
            EXPECT_EQ(shape.width, planned.width);
            EXPECT_EQ(shape.group, planned.group);
          }
        }
      }
    }
  }
}

TEST(MsmPlan, TablesWhereMemoryAllows) {
  constexpr uint64_t kDevice = uint64_t{140} << 30;
  for (const uint32_t group : {CUZK_G1, CUZK_G2}) {
    for (const uint64_t n : {uint64_t{1}, uint64_t{700}, uint64_t{1} << 20, uint64_t{1} << 22, uint64_t{1} << 27}) {
      cuzk_query q{};
      q.count = q.span = n;
      q.curve = CUZK_BLS12_381;
      q.group = group;
      const uint64_t plain = BaseTables::bytes(q, 1);
      EXPECT_EQ(plan_bases(kDevice, q, plain - 1).resident, 0U);
      uint64_t before = 0;
      for (uint64_t limit = plain; limit < 10 * plain; limit += plain / 3 + 1) {
        q.plan = plan_bases(kDevice, q, limit);
        EXPECT_LE(q.plan.resident, limit);
        EXPECT_GE(q.plan.resident, before);
        before = q.plan.resident;
        const BaseTables tables = BaseTables::of(q);
        EXPECT_EQ(BaseTables::bytes(q, tables.count), q.plan.resident);
        EXPECT_LE(tables.count, 8U);
        EXPECT_EQ((Budget{20, 25, 132, false}.shape(q).tables()), tables.count);
        EXPECT_EQ(q.plan.workspace == 0, tables.count == 1);
      }
      EXPECT_EQ(plan_bases(kDevice, q, UINT64_MAX).resident, before);
      cuzk_query other = q;
      other.group = 3 - group;
      EXPECT_EQ(plan_bases(kDevice, other, UINT64_MAX).choice[0], q.plan.choice[0]) << "b1 and b2 share entries";
      EXPECT_EQ(before > plain, n < uint64_t{1} << 27) << n;
      EXPECT_EQ(plan_bases(0, q, UINT64_MAX).resident, plain) << "a device of which nothing is known";
    }
  }
  cuzk_query q{};
  q.curve = CUZK_BN254;
  q.group = CUZK_G1;
  EXPECT_EQ(plan_bases(kDevice, q, UINT64_MAX).resident, 0U);
  q.plan.resident = 1;
  q.plan.choice[0] = 31;
  EXPECT_THROW(BaseTables::of(q), sdk::Error);
  q.plan.choice[0] = 254;
  EXPECT_THROW(BaseTables::of(q), sdk::Error);
}

/// A run's length serves a piece of any size within the planned partial sums.
TEST(MsmPlan, PartialSumsOfAnyPieceFit) {
  for (const uint32_t units : {1U, 16U, 132U}) {
    for (const uint64_t n : {uint64_t{3}, uint64_t{70000}, uint64_t{1} << 22}) {
      cuzk_query q{};
      q.count = q.span = n;
      q.curve = CUZK_BN254;
      q.group = CUZK_G1;
      const Shape shape = Budget{20, 25, units, false}.shape(q);
      for (uint64_t count = 1; count <= shape.entries; count += count / 64 + 1) {
        const uint64_t runs = ((count - 1) >> shape.log2_run(count)) + 1;
        ASSERT_LE(runs + shape.group_buckets(), shape.partials()) << count << " entries";
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
  EXPECT_EQ(first_alike(queries), (std::vector<uint32_t>{0, 1, 0, 0}));
  const cuzk_plan ample = plan_msm(132, queries, UINT64_MAX);
  EXPECT_TRUE(Budget::from(ample).shared);
  EXPECT_FALSE(Budget::from(plan_msm(132, queries, ample.minimum)).shared);
  queries[0].plan.choice[0] = 64;  // tables
  EXPECT_FALSE(Budget::from(plan_msm(132, queries, UINT64_MAX)).shared);
  queries[2].plan.choice[0] = 64;
  EXPECT_TRUE(Budget::from(plan_msm(132, queries, UINT64_MAX)).shared);
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
