#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/runtime/host_pool.hpp>

namespace cuzk {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

uint64_t page() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }
uint64_t address(std::span<const std::byte> block) { return reinterpret_cast<uintptr_t>(block.data()); }

uint64_t mapped_pages() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

template <class F>
std::string out_of_memory_message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    return error.what();
  }
  ADD_FAILURE() << "nothing thrown";
  return {};
}

TEST(HostPool, BlocksAreWholePagesAndWritable) {
  HostPool pool;
  for (const uint64_t bytes : {uint64_t{1}, page(), page() + 1, kMiB, 2 * kMiB, 2 * kMiB + 1, 33 * kMiB + 12345}) {
    const auto block = pool.take(bytes, "test");
    EXPECT_GE(block.size(), bytes);
    EXPECT_EQ(block.size() % page(), 0u);
    EXPECT_EQ(address(block) % (bytes >= 2 * kMiB ? 2 * kMiB : page()), 0u) << bytes;
    std::memset(block.data(), 0xab, block.size());
    pool.give(block);
  }
  EXPECT_TRUE(pool.take(0, "nothing").empty());
}

TEST(HostPool, ReusesTheBestFit) {
  HostPool pool;
  const auto large = pool.take(40 * kMiB, "large"), middle = pool.take(36 * kMiB, "middle");
  pool.give(large);
  pool.give(middle);
  EXPECT_EQ(pool.take(35 * kMiB, "again").data(), middle.data());
  EXPECT_EQ(pool.take(35 * kMiB, "again").data(), large.data());
  EXPECT_EQ(pool.held(), 76 * kMiB);
  pool.give(large);
  pool.give(middle);
}

TEST(HostPool, WastesNoLargeBlockOnASmallRequest) {
  HostPool pool;
  const auto large = pool.take(64 * kMiB, "large");
  pool.give(large);
  const auto small = pool.take(page(), "small");
  EXPECT_NE(small.data(), large.data());
  EXPECT_EQ(small.size(), page());
  EXPECT_LE(pool.held(), pool.high_water());
  pool.give(small);
}

/// Under a limit blocks serve requests of their own size alone, and idle ones make room.
TEST(HostPool, HoldsNoMoreThanItsLimitAndRefusesAtOnce) {
  HostPool pool;
  pool.set_limit(8 * kMiB);
  for (int round = 0; round < 3; ++round) {
    const auto a = pool.take(3 * kMiB, "a"), b = pool.take(5 * kMiB, "b");
    const std::string message = out_of_memory_message([&] { pool.take(1, "one more"); });
    EXPECT_EQ(message, "host memory: one more wants 4.0 KiB, 0 B of 8.0 MiB left (--host-memory)");
    pool.give(a);
    pool.give(b);
    const auto c = pool.take(4 * kMiB, "c");
    EXPECT_EQ(c.size(), 4 * kMiB);
    EXPECT_LE(pool.held(), 8 * kMiB);
    pool.give(c);
  }
  EXPECT_EQ(pool.high_water(), 8 * kMiB);
  EXPECT_EQ(pool.in_use(), 0u);
  pool.set_limit(kMiB);
  EXPECT_LE(pool.held(), kMiB) << "idle blocks go when the limit sinks";
  out_of_memory_message([&] { pool.take(2 * kMiB, "too much"); });
  pool.set_limit({});
  pool.give(pool.take(9 * kMiB, "unlimited"));
}

TEST(HostPool, FiguresCountWhatIsInUseAndWhatIsHeld) {
  HostPool pool;
  EXPECT_EQ(pool.held(), 0u);
  EXPECT_EQ(pool.high_water(), 0u);
  const auto a = pool.take(3 * page(), "a"), b = pool.take(5 * page(), "b");
  EXPECT_EQ(pool.held(), 8 * page());
  EXPECT_EQ(pool.high_water(), 8 * page());
  pool.give(a);
  pool.give(b);
  EXPECT_EQ(pool.held(), 8 * page());
  const auto c = pool.take(7 * page(), "c");  // neither fits: what is idle makes room
  EXPECT_LE(pool.held(), 8 * page());
  EXPECT_EQ(pool.high_water(), 8 * page());
  pool.give(c);
}

TEST(HostPool, IdleBlocksStayBoundedUnderAnyMix) {
  HostPool pool;
  std::mt19937_64 random(7);
  std::vector<std::span<std::byte>> blocks;
  for (int step = 0; step < 4000; ++step) {
    if (blocks.size() < 8 && random() % 2 == 0) {
      blocks.push_back(pool.take(1 + random() % (6 * kMiB), "mix"));
      blocks.back().front() = std::byte{1};
    } else if (!blocks.empty()) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      pool.give(blocks.back());
      blocks.pop_back();
    }
    ASSERT_LE(pool.held(), pool.high_water());
  }
  for (const auto block : blocks) pool.give(block);
}

TEST(HostPool, BlocksInUseNeverOverlap) {
  HostPool pool;
  std::vector<std::thread> threads;
  for (uint8_t t = 1; t <= 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int round = 0; round < 200; ++round) {
        const auto block = pool.take(page() * (1 + static_cast<uint64_t>(round % 5)), "thread");
        std::memset(block.data(), t, block.size());
        std::this_thread::yield();
        for (const std::byte byte : block) ASSERT_EQ(byte, std::byte{t});
        pool.give(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HostPool, GivesEverythingBackWhenItGoes) {
  const uint64_t before = mapped_pages();
  {
    HostPool pool;
    const auto a = pool.take(256 * kMiB, "a"), b = pool.take(128 * kMiB, "b");
    EXPECT_GE(mapped_pages(), before + 384 * kMiB / page());
    pool.give(a);
    pool.give(b);
  }
  EXPECT_LT(mapped_pages(), before + 16 * kMiB / page());
}

TEST(HostPool, RefusalNamesBytesAndPurpose) {
  HostPool pool;
  for (const uint64_t bytes : {uint64_t{1} << 62, UINT64_MAX, UINT64_MAX - page() + 1}) {
    const std::string message = out_of_memory_message([&] { pool.take(bytes, "vector a"); });
    EXPECT_NE(message.find("vector a wants "), std::string::npos) << message;
    EXPECT_NE(message.find(" EiB"), std::string::npos) << message;
  }
  EXPECT_EQ(pool.held(), 0u);
  EXPECT_EQ(pool.high_water(), 0u);
  pool.give(pool.take(page(), "the next one"));
}

TEST(FrVector, OwnsItsBlockAndMoves) {
  HostPool pool;
  {
    FrVector a(pool, 1000, "a");
    ASSERT_EQ(a.size(), 1000u);
    EXPECT_EQ(a.span().size(), 1000u);
    EXPECT_EQ(a.bytes().size(), 32000u);
    a.span()[999] = {{1, 2, 3, 4}};
    FrVector b = std::move(a);
    EXPECT_EQ(b.span()[999].limb[3], 4u);
    FrVector c(pool, 10, "c");
    c = std::move(b);
    EXPECT_EQ(c.size(), 1000u);
    EXPECT_EQ(c.span()[999].limb[0], 1u);
  }
  const uint64_t held = pool.held();
  {
    const FrVector again(pool, 1000, "again"), small(pool, 10, "small");
    EXPECT_EQ(pool.held(), held) << "both blocks came back and serve again";
  }
  const FrVector none(pool, 0, "none"), nothing;
  EXPECT_TRUE(none.span().empty());
  EXPECT_TRUE(nothing.bytes().empty());
}

TEST(HostBlock, GoesBackOnceWhoeverHoldsIt) {
  HostPool pool;
  {
    HostBlock a(pool, 5000, "a");
    std::byte* const data = a.data();
    HostBlock b = std::move(a);
    EXPECT_EQ(a.data(), nullptr);
    EXPECT_EQ(b.memory(5000).data, data);
    EXPECT_EQ(b.memory(5000).bytes, 5000u);
    HostBlock c(pool, 5000, "c");
    c = std::move(b);
    EXPECT_EQ(c.data(), data);
    HostBlock& same = c;
    c = std::move(same);
    EXPECT_EQ(c.data(), data);
    const HostBlock again(pool, 5000, "again");
    EXPECT_NE(again.data(), data) << "a block in use was handed out";
  }
  const uint64_t held = pool.held();
  const HostBlock x(pool, 5000, "x"), y(pool, 5000, "y"), none(pool, 0, "none"), nothing;
  EXPECT_EQ(pool.held(), held) << "both blocks came back and serve again";
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(nothing.data(), nullptr);
}

TEST(FrVector, CountThatOverflowsIsRefused) {
  HostPool pool;
  const std::string message = out_of_memory_message([&] { FrVector(pool, (uint64_t{1} << 59) + 1, "vector a"); });
  EXPECT_NE(message.find("vector a wants 576460752303423489 elements"), std::string::npos) << message;
}

}  // namespace
}  // namespace cuzk
