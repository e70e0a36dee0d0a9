/// How the CUDA MSM cuts scalars into digits and jobs into pieces, and what it plans. No device.

#include "cuda-common/msm/plan.hpp"
#include "cuda-common/msm/tables.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include <cuzk/arith/fields.hpp>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

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
          EXPECT_EQ(Workspace::lay_out(nullptr, {&q, 1}, {&shape, 1}, false, false).bytes, plan.workspace);
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
          q.plan.resident = random() % 2;
          q.plan.choice[0] = q.plan.resident == 0 ? 0 : kStrides[random() % kStrides.size()];
          const Shape planned =
              Budget{width, entries, width % 2 == 0 ? 132U : 1U, false, random() % 2 == 0, false}.shape(q);
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
        EXPECT_EQ((Budget{20, 25, 132, false, false, false}.shape(q).tables()), tables.count);
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
      const Shape shape = Budget{20, 25, units, false, false, false}.shape(q);
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

/// However little memory there is for the windows of all points, those of a chunk are added up in few steps.
TEST(MsmPlan, StreamedBasesHaveManyWindowsInAStep) {
  cuzk_query q{};
  q.count = q.span = uint64_t{1} << 22;
  q.curve = CUZK_BLS12_381;
  q.group = CUZK_G1;
  for (const uint64_t mebibytes : {8, 16, 48, 128, 512}) {
    const Shape shape = Budget::from(plan_msm(132, {&q, 1}, mebibytes << 20)).shape(q);
    EXPECT_LE(shape.windows, 2 * shape.group) << mebibytes << " MiB";
    EXPECT_LE(16 * shape.group_buckets(), uint64_t{1} << Budget::kMaxLog2Entries);
  }
}

/// Resident groups that are apart have no bucket in common with any other; else all take turns.
TEST(MsmPlan, BucketsOfGroupsApart) {
  std::vector<cuzk_query> queries(5);
  for (size_t q = 0; q < queries.size(); ++q) {
    queries[q].count = queries[q].span = q < 3 ? 1000 + q : 5000;  // the last two have the same entries
    queries[q].curve = CUZK_BN254;
    queries[q].group = q % 2 == 0 ? CUZK_G1 : CUZK_G2;
    queries[q].plan.resident = q == 0 || q == 2 ? 0 : 1;
  }
  for (const bool apart : {false, true}) {
    const Budget budget{10, 20, 132, true, false, apart};
    std::vector<Shape> shapes;
    for (const cuzk_query& q : queries) shapes.push_back(budget.shape(q));
    std::vector<std::byte> memory(Workspace::lay_out(nullptr, queries, shapes, true, apart).bytes);
    const Workspace w = Workspace::lay_out(memory.data(), queries, shapes, true, apart);
    const auto disjoint = [&](size_t a, size_t b) {
      return w.buckets[a] + shapes[a].bucket_bytes() <= w.buckets[b] ||
             w.buckets[b] + shapes[b].bucket_bytes() <= w.buckets[a];
    };
    EXPECT_EQ(w.buckets[0], w.buckets[2]);
    EXPECT_EQ(disjoint(1, 3), apart);
    EXPECT_TRUE(disjoint(3, 4)) << "of one group";
    for (const size_t q : {1U, 3U, 4U}) {
      EXPECT_LE(w.buckets[q] + shapes[q].bucket_bytes(), static_cast<std::byte*>(w.partials));
      const bool own = disjoint(0, q) && disjoint(2, q) && (q == 1 || disjoint(1, q));
      EXPECT_TRUE(own || !apart);
    }
  }
  for (cuzk_query& q : queries) q.plan.resident = 1;
  EXPECT_TRUE(Budget::from(plan_msm(132, queries, UINT64_MAX)).apart);
  EXPECT_FALSE(Budget::from(plan_msm(132, queries, 0)).apart);
}

TEST(MsmPlan, RefusesWhatItDidNotAnswer) {
  cuzk_plan plan{};
  EXPECT_THROW(Budget::from(plan), sdk::Error);
  Budget{10, 20, 132, true, true, true}.write(plan);
  EXPECT_TRUE((Budget::from(plan) == Budget{10, 20, 132, true, true, true}));
  plan.choice[3] = 8;
  EXPECT_THROW(Budget::from(plan), sdk::Error);
  EXPECT_THROW(affine_bytes(3, CUZK_G1), sdk::Error);
  EXPECT_THROW(affine_bytes(CUZK_BN254, 3), sdk::Error);
}

}  // namespace
}  // namespace cuzk::cuda
