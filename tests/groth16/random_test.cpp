#include "groth16/random.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

#include <cuzk/arith/fields.hpp>
#include <cuzk/error.hpp>

namespace cuzk::groth16 {
namespace {

using arith::Bls12381Fr;
using arith::Bn254Fr;

template <class Fr>
class RandomScalar : public ::testing::Test {};
using Fields = ::testing::Types<Bn254Fr, Bls12381Fr>;
TYPED_TEST_SUITE(RandomScalar, Fields);

/// Pearson's chi-square over 64 buckets of equal probability has 63 degrees of freedom: beyond 165 less than once in
/// 10^10 runs.
constexpr double kLimit = 165;

template <class Bucket>
double chi_square(const arith::LimbArray<4>& modulus, const RandomSource& source, Bucket&& bucket) {
  constexpr size_t kDraws = 100000;
  std::array<double, 64> seen{};
  for (size_t i = 0; i < kDraws; ++i) {
    const auto value = random_scalar(source, modulus);
    EXPECT_TRUE(arith::limbs::less(value, modulus));
    seen[bucket(value)] += 1;
  }
  constexpr double kExpected = kDraws / 64.0;
  double sum = 0;
  for (const double count : seen) sum += (count - kExpected) * (count - kExpected) / kExpected;
  return sum;
}

TYPED_TEST(RandomScalar, IsUniform) {
  const auto& modulus = TypeParam::modulus();
  // The top: 64 value / modulus, to 53 bits. A draw that is reduced instead of drawn again shows here.
  const auto top = [&](const arith::LimbArray<4>& value) {
    const double share = static_cast<double>(value[3]) / static_cast<double>(modulus[3]);
    return std::min<size_t>(63, static_cast<size_t>(share * 64));
  };
  const auto low = [](const arith::LimbArray<4>& value) { return static_cast<size_t>(value[0] % 64); };
  EXPECT_LT(chi_square(modulus, system_random(), top), kLimit);
  EXPECT_LT(chi_square(modulus, system_random(), low), kLimit);
  EXPECT_LT(chi_square(modulus, insecure_random(1), top), kLimit);
  EXPECT_LT(chi_square(modulus, insecure_random(1), low), kLimit);
}

TYPED_TEST(RandomScalar, DrawsAgainWhileTooLarge) {
  int call = 0;
  const RandomSource source = [&](void* dst, size_t bytes) {
    std::memset(dst, call++ < 3 ? 0xff : 0x01, bytes);
    return static_cast<std::ptrdiff_t>(bytes);
  };
  const auto value = random_scalar(source, TypeParam::modulus());
  EXPECT_EQ(call, 4);
  EXPECT_EQ(value[0], 0x0101010101010101);
}

TYPED_TEST(RandomScalar, AShortAnswerIsAnError) {
  for (const std::ptrdiff_t got : {0, 1, 31}) {
    const RandomSource source = [got](void*, size_t) { return got; };
    EXPECT_THROW(random_scalar(source, TypeParam::modulus()), Error) << got;
  }
}

TYPED_TEST(RandomScalar, AFailureIsAnErrorAndAnInterruptionIsNot) {
  const RandomSource broken = [](void*, size_t) -> std::ptrdiff_t {
    errno = ENOSYS;
    return -1;
  };
  EXPECT_THROW(random_scalar(broken, TypeParam::modulus()), Error);
  int call = 0;
  const RandomSource interrupted = [&](void* dst, size_t bytes) -> std::ptrdiff_t {
    if (call++ == 0) {
      errno = EINTR;
      return -1;
    }
    std::memset(dst, 2, bytes);
    return static_cast<std::ptrdiff_t>(bytes);
  };
  EXPECT_EQ(random_scalar(interrupted, TypeParam::modulus())[0], 0x0202020202020202);
}

TEST(InsecureRandom, IsSplitMix64) {
  // The generator's published first outputs from state 1234567.
  std::array<unsigned char, 24> bytes{};
  ASSERT_EQ(insecure_random(1234567)(bytes.data(), bytes.size()), 24);
  constexpr std::array<uint64_t, 3> kWords{6457827717110365317U, 3203168211198807973U, 9817491932198370423U};
  for (size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], (kWords[i / 8] >> (8 * (i % 8))) & 0xff) << i;
}

TEST(StreamSeed, IsAnotherForEverySeedAndStream) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 32; ++seed) {
    for (uint64_t stream = 0; stream < 32; ++stream) {
      seen.insert(stream_seed(seed, stream));
    }
  }
  EXPECT_EQ(seen.size(), 1024U);
}

}  // namespace
}  // namespace cuzk::groth16
