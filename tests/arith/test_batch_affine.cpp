#include "curve_samples.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
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

std::vector<std::uint32_t> first(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

TYPED_TEST(BatchAffine, EveryKindOfPairInOneBatch) {
  using G = TypeParam;
  auto points = this->random_points(4);
  points.push_back(-points[0]);
  points.push_back(Affine<G>::infinity());
  const std::size_t n = points.size();
  const oracle::Group<G> group;
  std::vector<Affine<G>> sums(n * n);
  for (std::size_t i = 0; i < n * n; ++i) sums[i] = points[i / n];
  auto pairs = first(n * n);
  std::vector<typename G::Base> slopes(n * n);
  batch_add<G>(
      pairs, [&](std::uint32_t i) -> Affine<G>& { return sums[i]; },
      [&](std::uint32_t i) -> const Affine<G>& { return points[i % n]; }, slopes);
  for (std::size_t i = 0; i < n * n; ++i) {
    const auto expected = group.add(oracle::to_point(points[i / n]), oracle::to_point(points[i % n]));
    EXPECT_EQ(oracle::to_point(sums[i]), expected) << i;
  }
}

TYPED_TEST(BatchAffine, AnAddendMayBeAValue) {
  using G = TypeParam;
  const auto points = this->random_points(8);
  auto differences = points;
  auto pairs = first(4);
  std::vector<typename G::Base> slopes(100);
  batch_add<G>(
      pairs, [&](std::uint32_t i) -> Affine<G>& { return differences[i]; },
      [&](std::uint32_t i) { return -points[i + 4]; }, slopes);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(differences[i], i < 4 ? (Xyzz<G>::from_affine(points[i]) + -points[i + 4]).to_affine() : points[i]);
  }
}

TYPED_TEST(BatchAffine, BucketsInAnyOrder) {
  using G = TypeParam;
  auto buckets = this->random_points(6);
  buckets[2] = Affine<G>::infinity();
  auto addends = this->random_points(6);
  addends[5] = buckets[5];
  const auto before = buckets;
  std::vector<std::uint32_t> pairs{5, 2, 0};
  std::vector<typename G::Base> slopes(3);
  batch_add<G>(
      pairs, [&](std::uint32_t i) -> Affine<G>& { return buckets[i]; },
      [&](std::uint32_t i) -> const Affine<G>& { return addends[i]; }, slopes);
  auto expected = before;
  for (const std::size_t i : {5U, 2U, 0U}) expected[i] = (Xyzz<G>::from_affine(before[i]) + addends[i]).to_affine();
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
    std::vector<typename G::Base> slopes(size);
    for (std::size_t stride = 1; stride < size; stride *= 2) {
      std::vector<std::uint32_t> pairs;
      for (std::size_t p = 0; p + stride < size; p += 2 * stride) pairs.push_back(static_cast<std::uint32_t>(p));
      batch_add<G>(
          pairs, [&](std::uint32_t p) -> Affine<G>& { return points[p]; },
          [&](std::uint32_t p) -> const Affine<G>& { return points[p + stride]; }, slopes);
    }
    EXPECT_EQ(points[0], expected) << size;
  }
}

TYPED_TEST(BatchAffine, AnEmptyBatchCallsNothing) {
  using G = TypeParam;
  const auto never = [](std::uint32_t) -> Affine<G>& { throw std::logic_error("called"); };
  batch_add<G>({}, never, never, {});
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
