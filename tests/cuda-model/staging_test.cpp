#include "cuda-common/cuda/clock_map.hpp"
#include "cuda-common/staging/ring_cut.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace cuzk::cuda {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(RingCut, BlocksAreWholePagesAndNoLargerThanUseful) {
  EXPECT_EQ(RingCut::for_vectors(0).bytes(), 0u);
  EXPECT_EQ(RingCut::for_vectors(1).block, RingCut::kLeastBlock);
  EXPECT_EQ(RingCut::for_vectors(64 * kMiB).block, 16 * kMiB);
  EXPECT_EQ(RingCut::for_vectors(64 * kMiB - 1).block, 16 * kMiB);
  EXPECT_EQ(RingCut::for_vectors(32 * kMiB + 1).block, 8 * kMiB + RingCut::kPage) << "four turns, not five";
  for (const uint64_t largest : {uint64_t{1}, 3 * kMiB + 5, 100 * kMiB, uint64_t{4} << 30, UINT64_MAX}) {
    const RingCut cut = RingCut::for_vectors(largest);
    EXPECT_EQ(cut.block % RingCut::kPage, 0u) << largest;
    EXPECT_LE(cut.bytes(), 64 * kMiB) << largest;
    EXPECT_LE(cut.turns(std::min(largest, 64 * kMiB)), RingCut::kBlocks) << largest;
  }
}

TEST(RingCut, ARingIsCutAsItWasPlanned) {
  for (const uint64_t largest : {uint64_t{0}, uint64_t{1}, 3 * kMiB + 5, 100 * kMiB}) {
    const RingCut planned = RingCut::for_vectors(largest);
    EXPECT_EQ(RingCut::of_ring(planned.bytes()).block, planned.block) << largest;
  }
  EXPECT_EQ(RingCut::of_ring(RingCut::kBlocks * RingCut::kPage - 1).block, 0u) << "too little for a block of a page";
}

/// Turns and the pieces of a turn cover every byte once, in order.
TEST(RingCut, TurnsAndPiecesCoverAll) {
  const RingCut cut{3 * kMiB};
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, 3 * kMiB - 1, 3 * kMiB, 3 * kMiB + 1, 40 * kMiB + 17}) {
    uint64_t sum = 0;
    for (uint64_t turn = 0; turn < cut.turns(bytes); ++turn) {
      EXPECT_EQ(turn * cut.block, sum);
      const uint64_t size = cut.turn_bytes(turn, bytes);
      ASSERT_GT(size, 0u);
      ASSERT_LE(size, cut.block);
      uint64_t inside = 0;
      for (uint64_t piece = 0; piece < RingCut::pieces(size); ++piece) {
        EXPECT_EQ(piece * RingCut::kGrain, inside);
        inside += RingCut::piece_bytes(piece, size);
      }
      EXPECT_EQ(inside, size);
      sum += size;
    }
    EXPECT_EQ(sum, bytes);
  }
}

TEST(ClockMap, TimesCountFromTheMiddleOfTheWindow) {
  ClockMap map;
  EXPECT_FALSE(map.set());
  EXPECT_TRUE(map.offer(1'000'000, 1'010'000));
  EXPECT_EQ(map.host_ns(0), 1'005'000u);
  EXPECT_EQ(map.host_ns(2.5), 3'505'000u);
  EXPECT_EQ(map.host_ns(-0.5), 505'000u);
  EXPECT_EQ(map.host_ns(-100), 0u) << "nothing was before the clock";
  EXPECT_EQ(map.error_ns(1'005'000), 5'000u);
  EXPECT_EQ(map.error_ns(1'001'005'000), 5'000u + 50'000u) << "after a second of drift";
}

/// A newer anchor counts where it errs less: a sharp one at once, a blurred one when the clocks have drifted as far.
TEST(ClockMap, TheBetterAnchorCounts) {
  constexpr uint64_t kSecond = 1'000'000'000;
  ClockMap map;
  EXPECT_TRUE(map.offer(0, 200'000)) << "the first, however blurred";
  EXPECT_TRUE(map.offer(300'000, 310'000));
  EXPECT_FALSE(map.offer(400'000, 600'000));
  EXPECT_EQ(map.host_ns(0), 305'000u);
  EXPECT_FALSE(map.offer(kSecond, kSecond + 200'000));
  EXPECT_TRUE(map.offer(3 * kSecond, 3 * kSecond + 200'000)) << "100 us beside 150 us of drift";
  EXPECT_EQ(map.host_ns(0), 3 * kSecond + 100'000);
}

TEST(ClockMap, AnchorsAreSoughtOnceASecond) {
  ClockMap map;
  EXPECT_TRUE(map.wants_anchor(5));
  EXPECT_FALSE(map.wants_anchor(6));
  EXPECT_FALSE(map.wants_anchor(5 + ClockMap::kRenewNs - 1)) << "though none was found";
  EXPECT_TRUE(map.wants_anchor(5 + ClockMap::kRenewNs));
  EXPECT_FALSE(map.wants_anchor(6 + ClockMap::kRenewNs));
}

}  // namespace
}  // namespace cuzk::cuda
