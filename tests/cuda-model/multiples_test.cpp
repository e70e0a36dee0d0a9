/// The kernels of multiples on the host, one thread after the other.

#include "cuda-common/msm/multiples.hpp"

#include "cuda-common/field/field.cuh"
#include "cuda-common/msm/multiples_steps.hpp"
#include "msm_model.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

template <class G>
class MultiplesModel : public testing::Test {
 protected:
  using F = typename DeviceBase<G>::Type;
  using Scalar = typename G::Scalar;
  using Limbs = typename Scalar::Limbs;
  using Table = std::vector<Affine<F>>;
  static constexpr uint32_t kCurve = G::Curve::kId;
  static constexpr uint32_t kGroup = std::is_same_v<G, typename G::Curve::G1> ? CUZK_G1 : CUZK_G2;

  static arith::Affine<G> expected(const Limbs& scalar) {
    return arith::scalar_mul(point(), std::span<const uint64_t>(scalar)).to_affine();
  }
  static const arith::Affine<G>& point() {
    static const arith::Affine<G> made = arith::scalar_mul<G>(G::generator(), Scalar::from_u64(12345)).to_affine();
    return made;
  }
  static Table host_table() {
    const std::vector<std::byte> bytes = base_table(kCurve, kGroup, &point());
    Table table(bytes.size() / sizeof(Affine<F>));
    EXPECT_EQ(table.size(), (MultiplesShape{kCurve, kGroup, 4, 0}.base_entries()));
    std::memcpy(table.data(), bytes.data(), bytes.size());
    return table;
  }

  /// As the two kernels do it. scalar(i, limbs) answers a plain integer.
  template <class ScalarOf>
  static Table multiply(const Table& table, unsigned width, uint32_t count, const ScalarOf& scalar, uint32_t threads) {
    struct Entry {
      Affine<F> at;
      F x() const { return at.x; }
      F y() const { return at.y; }
    };
    const auto entry = [&](uint32_t at, bool negative) {
      Entry out{table.at(at)};
      if (negative) out.at.y = -out.at.y;
      return out;
    };
    Table out(count);
    std::vector<F> zzz(count), before(count);
    const Recoding cut = recoding(kCurve, width);
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t limbs[kScalarLimbs];
      scalar(i, limbs);
      store_sum(multiple_of<F>(cut, limbs, entry), &out[i], &zzz[i]);
    }
    for (uint32_t t = 0; t < threads; ++t) to_affine(t, threads, count, out.data(), zzz.data(), before.data());
    return out;
  }
  static arith::Affine<G> host(const Affine<F>& device) {
    arith::Affine<G> out;
    std::memcpy(static_cast<void*>(&out), &device, sizeof(out));
    return out;
  }
};

using Groups = testing::Types<arith::Bn254::G1, arith::Bn254::G2, arith::Bls12381::G1, arith::Bls12381::G2>;
TYPED_TEST_SUITE(MultiplesModel, Groups);

TYPED_TEST(MultiplesModel, AreThoseOfScalarMul) {
  using Fr = typename TypeParam::Scalar;
  using Words = typename Fr::Limbs;
  std::vector<Words> scalars{{}, {1}, {2}, {7}, {8}, {9}, Fr::Constants::kMinusOne, Fr::Constants::kHalf};
  for (size_t bit = 3; bit < Fr::kBits - 1; bit += 10) {
    Words power{}, minus{};
    power[bit / 64] = uint64_t{1} << (bit % 64);
    arith::limbs::sub(minus, Fr::modulus(), power);
    scalars.insert(scalars.end(), {power, minus});
  }
  scalars.insert(scalars.end(), 5, Words{});  // zeros behind and between
  std::mt19937_64 random(11);
  for (int i = 0; i < 40; ++i) scalars.push_back({random(), random(), random(), random() >> 3});
  scalars.push_back({});

  const auto given = [&](uint32_t i, uint64_t* limbs) { std::copy_n(scalars[i].begin(), kScalarLimbs, limbs); };
  const auto count = static_cast<uint32_t>(scalars.size());
  const auto base = this->host_table();
  std::vector<arith::Affine<TypeParam>> expected;
  for (const Words& scalar : scalars) expected.push_back(this->expected(scalar));
  for (const unsigned width : {4U, 5U, 7U}) {
    auto table = base;
    if (width != MultiplesShape::kBaseWidth) {
      const MultiplesShape shape{TypeParam::Curve::kId, this->kGroup, width, count};
      const auto entries = static_cast<uint32_t>(shape.table_entries());
      table = this->multiply(
          base, MultiplesShape::kBaseWidth, entries,
          [&](uint32_t i, uint64_t* limbs) { entry_scalar(limbs, i, width); }, entries / 32 + 1);
    }
    for (const uint32_t threads : {1U, 7U, count}) {
      const auto made = this->multiply(table, width, count, given, threads);
      for (uint32_t i = 0; i < count; ++i) {
        ASSERT_TRUE(this->host(made[i]) == expected[i]) << i << ", width " << width;
      }
    }
  }
}

/// Row w of a table holds the multiples of 2^(width w) that fit into 256 bits.
TEST(MultiplesTable, EntriesAreShiftedDigits) {
  for (unsigned width = MultiplesShape::kBaseWidth; width <= MultiplesShape::kMaxWidth; ++width) {
    for (unsigned window = 0; window * width + width <= 256; ++window) {
      for (const uint32_t d : {1U, 2U, 3U, 1U << (width - 1)}) {
        uint64_t limbs[kScalarLimbs], expected[kScalarLimbs] = {};
        entry_scalar(limbs, (window << (width - 1)) + d - 1, width);
        for (unsigned bit = 0; bit < width; ++bit) {
          const unsigned at = window * width + bit;
          if ((d >> bit & 1U) != 0) expected[at / 64] |= uint64_t{1} << (at % 64);
        }
        ASSERT_TRUE(std::equal(limbs, limbs + kScalarLimbs, expected)) << width << " " << window << " " << d;
      }
    }
  }
}

TEST(MultiplesPlan, MoreMemoryNeverMakesASmallerPlan) {
  for (const uint32_t curve : {CUZK_BN254, CUZK_BLS12_381}) {
    for (const uint32_t group : {CUZK_G1, CUZK_G2}) {
      for (const uint64_t count :
           {uint64_t{0}, uint64_t{1}, uint64_t{5000}, uint64_t{1} << 20, MultiplesShape::kMost}) {
        const cuzk_plan most = plan_multiples(curve, group, count, UINT64_MAX);
        EXPECT_EQ(plan_multiples(curve, group, count, 0).workspace, most.minimum);
        uint64_t before = 0;
        for (uint64_t limit = most.minimum; limit < 2 * most.workspace; limit += limit / 5 + 1) {
          const cuzk_plan plan = plan_multiples(curve, group, count, limit);
          EXPECT_LE(plan.workspace, limit);
          EXPECT_GE(plan.workspace, before);
          EXPECT_EQ(plan.minimum, most.minimum);
          const auto shape = MultiplesShape::from(plan, curve, group, count);
          EXPECT_EQ(MultiplesWorkspace::lay_out(nullptr, shape).bytes, plan.workspace);
          before = plan.workspace;
        }
      }
    }
  }
  EXPECT_EQ(plan_multiples(CUZK_BLS12_381, CUZK_G1, uint64_t{1} << 20, UINT64_MAX).choice[0], 14U);
}

TEST(MultiplesPlan, RefusesWhatItDidNotAnswer) {
  const auto from = [](const cuzk_plan& plan, uint64_t count) {
    return MultiplesShape::from(plan, CUZK_BN254, CUZK_G1, count);
  };
  const cuzk_plan plan = plan_multiples(CUZK_BN254, CUZK_G1, 100, UINT64_MAX);
  EXPECT_NO_THROW(from(plan, 100));
  EXPECT_NO_THROW(from(plan, 0));
  EXPECT_THROW(from(plan, 101), sdk::Error);
  EXPECT_THROW(from(cuzk_plan{}, 0), sdk::Error);
  cuzk_plan changed = plan;
  changed.choice[3] = 1;
  EXPECT_THROW(from(changed, 100), sdk::Error);
  EXPECT_THROW(plan_multiples(3, CUZK_G1, 1, 0), sdk::Error);
  EXPECT_THROW(plan_multiples(CUZK_BN254, 3, 1, 0), sdk::Error);
  EXPECT_THROW(plan_multiples(CUZK_BN254, CUZK_G1, MultiplesShape::kMost + 1, 0), sdk::Error);
}

}  // namespace
}  // namespace cuzk::cuda
