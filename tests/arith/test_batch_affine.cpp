#include "curve_samples.hpp"

#include <gtest/gtest.h>
#include <span>
#include <vector>

#include <cuzk/arith/batch_affine.hpp>

namespace cuzk::arith {
namespace {

using samples::Rng;

template <class G>
class BatchAffine : public testing::Test {
 protected:
  Rng rng{11};

  std::vector<Affine<G>> random_points(std::size_t count) {
    std::vector<Affine<G>> points;
    for (std::size_t i = 0; i < count; ++i) points.push_back(samples::random_on_curve<G>(rng));
    return points;
  }
  static Xyzz<G> sum_of(std::span<const Affine<G>> points) {
    auto sum = Xyzz<G>::infinity();
    for (const auto& p : points) sum += p;
    return sum;
  }
};

using Groups = testing::Types<Bn254::G1, Bn254::G2, Bls12381::G1, Bls12381::G2>;
TYPED_TEST_SUITE(BatchAffine, Groups);

TYPED_TEST(BatchAffine, EveryKindOfPairInOneBatch) {
  using G = TypeParam;
  auto points = this->random_points(4);
  points.push_back(-points[0]);
  points.push_back(Affine<G>::infinity());
  const std::size_t n = points.size();
  const oracle::Group<G> group;
  std::vector<Affine<G>> sums(n * n);
  std::vector<typename G::Base> scratch(n * n);
  batch_add<G>(
      n * n, [&](std::size_t i) -> const Affine<G>& { return points[i / n]; },
      [&](std::size_t i) -> const Affine<G>& { return points[i % n]; },
      [&](std::size_t i, const Affine<G>& sum) { sums[i] = sum; }, scratch);
  for (std::size_t i = 0; i < n * n; ++i) {
    const auto expected = group.add(oracle::to_point(points[i / n]), oracle::to_point(points[i % n]));
    EXPECT_EQ(oracle::to_point(sums[i]), expected) << i;
  }
}

TYPED_TEST(BatchAffine, OperandsMayBeValues) {
  using G = TypeParam;
  const auto points = this->random_points(8);
  std::vector<Affine<G>> differences(4);
  std::vector<typename G::Base> scratch(100);
  batch_add<G>(
      4, [&](std::size_t i) { return points[i]; }, [&](std::size_t i) { return -points[i + 4]; },
      [&](std::size_t i, const Affine<G>& sum) { differences[i] = sum; }, scratch);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(differences[i], (Xyzz<G>::from_affine(points[i]) + -points[i + 4]).to_affine());
  }
}

TYPED_TEST(BatchAffine, BucketsAreUpdatedInPlace) {
  using G = TypeParam;
  auto buckets = this->random_points(6);
  buckets[2] = Affine<G>::infinity();
  auto addends = this->random_points(3);
  addends[0] = buckets[5];
  const std::array<std::size_t, 3> target{5, 2, 0};
  const auto before = buckets;
  std::vector<typename G::Base> scratch(3);
  batch_add<G>(
      3, [&](std::size_t i) -> const Affine<G>& { return buckets[target[i]]; },
      [&](std::size_t i) -> const Affine<G>& { return addends[i]; },
      [&](std::size_t i, const Affine<G>& sum) { buckets[target[i]] = sum; }, scratch);
  auto expected = before;
  for (std::size_t i = 0; i < 3; ++i) {
    expected[target[i]] = (Xyzz<G>::from_affine(before[target[i]]) + addends[i]).to_affine();
  }
  EXPECT_EQ(buckets, expected);
}

TYPED_TEST(BatchAffine, AnArrayFoldsInPlace) {
  using G = TypeParam;
  for (const std::size_t size : {1U, 2U, 3U, 13U, 64U}) {
    auto points = this->random_points(size);
    if (size > 8) {
      points[3] = points[2];
      points[5] = -points[4];
      points[7] = Affine<G>::infinity();
    }
    const auto expected = this->sum_of(points).to_affine();
    std::vector<typename G::Base> scratch(size / 2 + 1);
    for (std::size_t n = size; n > 1; n = (n + 1) / 2) {
      batch_add<G>(
          n / 2, [&](std::size_t i) -> const Affine<G>& { return points[2 * i]; },
          [&](std::size_t i) -> const Affine<G>& { return points[2 * i + 1]; },
          [&](std::size_t i, const Affine<G>& sum) { points[i] = sum; }, scratch);
      if (n % 2 == 1) points[n / 2] = points[n - 1];
    }
    EXPECT_EQ(points[0], expected) << size;
  }
}

TYPED_TEST(BatchAffine, AnEmptyBatchCallsNothing) {
  using G = TypeParam;
  const auto never = [](std::size_t) -> Affine<G> { throw std::logic_error("called"); };
  batch_add<G>(0, never, never, [](std::size_t, const Affine<G>&) { FAIL(); }, {});
  batch_to_affine<G>({}, {});
}

TYPED_TEST(BatchAffine, ToAffineMatchesOneByOne) {
  using G = TypeParam;
  std::vector<Xyzz<G>> points{Xyzz<G>::infinity()};
  for (const auto& p : this->random_points(9)) points.push_back(Xyzz<G>::doubled(p) + p);
  points.insert(points.begin() + 4, Xyzz<G>::infinity());
  points.push_back(Xyzz<G>::infinity());
  std::vector<Affine<G>> affine(points.size());
  batch_to_affine<G>(points, affine);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(affine[i], points[i].to_affine()) << i;
}

}  // namespace
}  // namespace cuzk::arith
