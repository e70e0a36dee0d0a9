// Page-locked blocks of the pool: each page locked once, unlocked before it is unmapped or its device may be gone.
#include "fake_device.hpp"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk::testing {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

/// Locks in its books alone. Counts what no device may be asked: pages that are locked already, unlocking what is not
/// locked, pages that are not there.
class LockingDevice final : public FakeDevice {
 public:
  LockingDevice() : FakeDevice(kMiB) {}
  ~LockingDevice() override { EXPECT_TRUE(locked_.empty()) << "blocks are locked by a device that is gone"; }

  bool can_pin() const override { return able; }
  void pin(std::span<std::byte> block) override {
    const std::lock_guard lock(mutex_);
    if (++pins == fail_at || fail_all) {
      throw Error(ErrorCode::device_failed, "fake/device: pin: operation not permitted (native code 712)");
    }
    const auto* const end = block.data() + block.size();
    for (const auto& [begin, bytes] : locked_) wrong += begin < end && block.data() < begin + bytes ? 1 : 0;
    wrong += reinterpret_cast<uintptr_t>(block.data()) % HostPool::whole_pages(1) == 0 ? 0 : 1;
    locked_[block.data()] = block.size();
  }
  void unpin(std::span<std::byte> block) noexcept override {
    const std::lock_guard lock(mutex_);
    block.front() = block.front();  // still mapped, else this ends the test
    const auto at = locked_.find(block.data());
    const bool whole = at != locked_.end() && at->second == block.size();
    wrong += whole ? 0 : 1;
    if (whole) locked_.erase(at);
  }
  bool holds(std::span<const std::byte> block) const {
    const std::lock_guard lock(mutex_);
    return locked_.contains(block.data());
  }
  size_t held() const {
    const std::lock_guard lock(mutex_);
    return locked_.size();
  }

  std::atomic<bool> able{true}, fail_all{false};
  std::atomic<uint64_t> pins{0}, fail_at{0}, wrong{0};

 private:
  mutable std::mutex mutex_;
  std::map<const std::byte*, uint64_t> locked_;
};

class Pinning : public ::testing::Test {
 protected:
  ~Pinning() override { EXPECT_EQ(device->wrong, 0u); }

  std::mutex mutex;
  std::vector<std::string> warnings;
  HostServices services{2, [this](LogLevel level, std::string_view component, std::string_view text) {
                          const std::lock_guard lock(mutex);
                          if (level == LogLevel::warn)
                            warnings.push_back(std::string(component) + ": " + std::string(text));
                        }};
  HostPool& pool = services.memory();
  const std::shared_ptr<LockingDevice> device = std::make_shared<LockingDevice>();
};

TEST_F(Pinning, LocksEachBlockOnceAsLongAsThePoolKeepsIt) {
  const auto before = pool.take(kMiB, "before");
  std::optional<HostPool::Pinning> pinning(std::in_place, services, device);
  EXPECT_FALSE(pool.pinned(before)) << "taken before";
  pool.give(before);
  const auto block = pool.take(kMiB, "block");
  EXPECT_EQ(block.data(), before.data());
  EXPECT_TRUE(pool.pinned(block)) << "taken again";
  for (int i = 0; i < 3; ++i) {
    pool.give(block);
    EXPECT_TRUE(device->holds(block)) << "kept by the pool";
    EXPECT_EQ(pool.take(kMiB, "again").data(), block.data());
  }
  EXPECT_EQ(device->pins, 1u);
  pool.give(block);
  pool.set_limit(kMiB);
  const auto other = pool.take(kMiB / 2, "other");  // makes room for itself
  EXPECT_FALSE(device->holds(block)) << "unlocked before it was unmapped";
  EXPECT_TRUE(pool.pinned(other));
  EXPECT_LE(pool.held(), kMiB);
  pool.give(other);
  pinning.reset();
  EXPECT_EQ(device->held(), 0u);
  EXPECT_EQ(device.use_count(), 1);
}

TEST_F(Pinning, AnswersForRangesOfOneBlock) {
  const HostPool::Pinning pinning(services, device);
  const auto a = pool.take(kMiB, "a"), b = pool.take(kMiB, "b"), plain = pool.take(kMiB, "plain", HostPool::Use::local);
  EXPECT_FALSE(pool.pinned(plain));
  EXPECT_EQ(device->held(), 2u);
  for (const auto block : {a, b}) {
    EXPECT_TRUE(pool.pinned(block));
    EXPECT_TRUE(pool.pinned(block.first(1)));
    EXPECT_TRUE(pool.pinned(block.last(1)));
    EXPECT_FALSE(pool.pinned({block.data() + 1, block.size()})) << "a byte too far";
    EXPECT_FALSE(pool.pinned({block.data() - 1, 2})) << "a byte too early";
    EXPECT_FALSE(pool.pinned({block.data(), SIZE_MAX}));
  }
  const std::vector<std::byte> elsewhere(100);
  EXPECT_FALSE(pool.pinned(elsewhere));
  EXPECT_TRUE(pool.pinned({}));
  EXPECT_TRUE(pool.pinned(std::span(elsewhere).first(0)));
  EXPECT_TRUE(pool.take(0, "nothing").empty());
  EXPECT_EQ(device->pins, 2u) << "nothing to lock";
  for (const auto block : {a, b, plain}) pool.give(block);
}

TEST_F(Pinning, LocalBlocksAndMovedOnesReuseTheirOwn) {
  const HostPool::Pinning pinning(services, device);
  const auto moved = pool.take(kMiB, "moved"), local = pool.take(kMiB, "local", HostPool::Use::local);
  pool.give(moved);
  pool.give(local);
  for (int i = 0; i < 2; ++i) {
    const auto again = pool.take(kMiB, "local", HostPool::Use::local), other = pool.take(kMiB, "moved");
    EXPECT_EQ(again.data(), local.data());
    EXPECT_EQ(other.data(), moved.data());
    pool.give(again);
    pool.give(other);
  }
  EXPECT_EQ(device->pins, 1u);
}

/// A witness may outlive the engine.
TEST_F(Pinning, BlocksInUseAreUnlockedWhenTheyComeBack) {
  std::optional<HostPool::Pinning> pinning(std::in_place, services, device);
  const auto used = pool.take(kMiB, "used"), idle = pool.take(kMiB, "idle");
  pool.give(idle);
  pinning.reset();
  EXPECT_FALSE(device->holds(idle));
  EXPECT_TRUE(device->holds(used));
  EXPECT_GT(device.use_count(), 1) << "the block keeps its device";
  std::memset(used.data(), 1, used.size());
  pool.give(used);
  EXPECT_EQ(device->held(), 0u);
  EXPECT_EQ(device.use_count(), 1);
  pool.give(pool.take(kMiB, "later"));
  EXPECT_EQ(device->pins, 2u) << "nobody locks any more";
}

TEST_F(Pinning, OfSeveralTheOldestLocks) {
  const auto second_device = std::make_shared<LockingDevice>();
  std::optional<HostPool::Pinning> first(std::in_place, services, device);
  std::optional<HostPool::Pinning> second(std::in_place, services, second_device);
  const auto a = pool.take(kMiB, "a"), b = pool.take(kMiB, "b");
  EXPECT_EQ(device->held(), 2u);
  pool.give(a);
  first.reset();
  EXPECT_EQ(device->held(), 1u);
  const auto again = pool.take(kMiB, "a again");
  EXPECT_EQ(again.data(), a.data());
  EXPECT_TRUE(second_device->holds(again));
  EXPECT_TRUE(pool.pinned(b));
  pool.give(b);
  EXPECT_EQ(device->held(), 0u);
  EXPECT_FALSE(pool.pinned(b));
  pool.give(again);
  second.reset();
  EXPECT_EQ(second_device->held(), 0u);
  EXPECT_EQ(second_device->wrong, 0u);
}

TEST_F(Pinning, RefusedOnceItTriesNoMoreAndWarnsOnce) {
  for (uint64_t k = 1; k <= 6; ++k) {
    SCOPED_TRACE(k);
    device->pins = 0;
    device->fail_at = k;
    warnings.clear();
    const HostPool::Pinning pinning(services, device);
    std::vector<std::span<std::byte>> blocks;
    for (uint64_t i = 1; i <= 5; ++i) {
      blocks.push_back(pool.take(i * kMiB, "block"));
      EXPECT_EQ(pool.pinned(blocks.back()), i < k);
      std::memset(blocks.back().data(), 1, blocks.back().size());
    }
    EXPECT_EQ(device->pins, std::min<uint64_t>(k, 5));
    EXPECT_EQ(device->held(), std::min<uint64_t>(k - 1, 5));
    if (k > 5) {
      EXPECT_TRUE(warnings.empty());
    } else {
      ASSERT_EQ(warnings.size(), 1u);
      EXPECT_EQ(warnings[0], "host memory: cpu:0 cannot page-lock " + std::to_string(k) +
                                 ".0 MiB of host memory, and is not asked again: fake/device: pin: operation not "
                                 "permitted (native code 712)");
    }
    for (const auto block : blocks) pool.give(block);
  }
  EXPECT_EQ(device->held(), 0u);
}

TEST_F(Pinning, EachInTurnMayTryAgain) {
  device->fail_all = true;
  for (size_t engines = 1; engines <= 3; ++engines) {
    const HostPool::Pinning pinning(services, device);
    const auto a = pool.take(kMiB, "a"), b = pool.take(kMiB, "b");
    EXPECT_EQ(warnings.size(), engines);
    EXPECT_EQ(device->pins, engines);
    pool.give(a);
    pool.give(b);
  }
  device->fail_all = false;
  const HostPool::Pinning pinning(services, device);
  const auto block = pool.take(kMiB, "block");
  EXPECT_TRUE(pool.pinned(block));
  pool.give(block);
}

TEST_F(Pinning, WhatCannotLockIsNotAsked) {
  device->able = false;
  const HostPool::Pinning none(services, nullptr), unable(services, device);
  const auto block = pool.take(kMiB, "block");
  EXPECT_FALSE(pool.pinned(block));
  pool.give(block);
  EXPECT_EQ(device->pins, 0u);
  EXPECT_TRUE(warnings.empty());
}

/// Takers, refusals and engines that come and go, all at once.
TEST_F(Pinning, NoPageIsLockedTwiceUnderAnyMix) {
  device->fail_at = 300;
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      std::vector<std::span<std::byte>> blocks;
      for (int step = 0; step < 600 || device->pins < device->fail_at; ++step) {
        if (blocks.size() < 4 && random() % 2 == 0) {
          const auto use = random() % 4 == 0 ? HostPool::Use::local : HostPool::Use::moved;
          blocks.push_back(pool.take(1 + random() % (kMiB / 4), "mix", use));
          blocks.back().back() = std::byte{1};
          pool.pinned(blocks.back());
        } else if (!blocks.empty()) {
          pool.give(blocks.back());
          blocks.pop_back();
        }
      }
      for (const auto block : blocks) pool.give(block);
    });
  }
  std::thread engines([&] {
    while (!over) {
      const uint64_t before = device->pins;
      const HostPool::Pinning pinning(services, device);
      do std::this_thread::yield();
      while (!over && device->pins == before);  // nothing is locked for it yet, so the next block taken will be
    }
  });
  for (std::thread& thread : threads) thread.join();
  over = true;
  engines.join();
  EXPECT_EQ(device->held(), 0u);
  EXPECT_EQ(pool.in_use(), 0u);
  EXPECT_GE(device->pins, device->fail_at);
  EXPECT_EQ(warnings.size(), 1u) << "of the pin that failed";
  EXPECT_LE(pool.held(), pool.high_water());
}

/// The limit is the same, and what is locked counts as what is not.
TEST_F(Pinning, LockedBlocksCountAgainstTheLimit) {
  const HostPool::Pinning pinning(services, device);
  pool.set_limit(4 * kMiB);
  for (int round = 0; round < 3; ++round) {
    const auto a = pool.take(3 * kMiB, "a"), b = pool.take(kMiB, "b");
    EXPECT_THROW(pool.take(1, "one more"), Error);
    pool.give(a);
    pool.give(b);
    const auto c = pool.take(2 * kMiB, "c", HostPool::Use::local);
    EXPECT_LE(pool.held(), 4 * kMiB);
    pool.give(c);
  }
  EXPECT_EQ(pool.high_water(), 4 * kMiB);
  pool.set_limit(0);
  EXPECT_EQ(pool.held(), 0u);
  EXPECT_EQ(device->held(), 0u);
}

}  // namespace
}  // namespace cuzk::testing
