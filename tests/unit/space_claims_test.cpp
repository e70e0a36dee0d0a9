#include <atomic>
#include <gtest/gtest.h>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/runtime/space_claims.hpp>

namespace cuzk {
namespace {

constexpr cuzk_space kCpu0{CUZK_SPACE_MODEL, 0}, kCpu1{CUZK_SPACE_MODEL, 1}, kCuda0{CUZK_SPACE_CUDA, 0};

TEST(SpaceClaims, OneHolderASpaceAtATime) {
  SpaceClaims claims;
  std::optional<SpaceClaims::Claim> cpu(claims.take(kCpu0, "cpu:0"));
  const SpaceClaims::Claim cpu1 = claims.take(kCpu1, "cpu:1"), cuda = claims.take(kCuda0, "cuda:0");
  try {
    const SpaceClaims::Claim again = claims.take(kCpu0, "cpu:0");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unusable);
    EXPECT_STREQ(error.what(), "cpu:0 is already in use by another prover of this process");
  }
  cpu.reset();
  const SpaceClaims::Claim after = claims.take(kCpu0, "cpu:0");
  EXPECT_THROW(auto unused = claims.take(kCpu1, "cpu:1"), Error) << "others kept theirs";
}

TEST(SpaceClaims, AMovedClaimHoldsOn) {
  SpaceClaims claims;
  std::optional<SpaceClaims::Claim> second;
  {
    SpaceClaims::Claim first = claims.take(kCpu0, "cpu:0");
    second.emplace(std::move(first));
  }
  EXPECT_THROW(auto unused = claims.take(kCpu0, "cpu:0"), Error);
  second.reset();
  EXPECT_NO_THROW(auto unused = claims.take(kCpu0, "cpu:0"));
}

TEST(SpaceClaims, OfManyThreadsOneGetsIt) {
  SpaceClaims claims;
  std::atomic<int> holders{0}, most{0}, got{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        try {
          const SpaceClaims::Claim claim = claims.take(kCpu0, "cpu:0");
          const int now = ++holders;
          if (now > most) most = now;
          ++got;
          --holders;
        } catch (const Error&) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  EXPECT_GE(got, 1);
}

}  // namespace
}  // namespace cuzk
