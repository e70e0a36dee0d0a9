#include "fake_device.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cuzk/format_bytes.hpp>
#include <cuzk/runtime/ledger.hpp>

namespace cuzk {
namespace {

using testing::FakeDevice;

constexpr uint64_t kMiB = uint64_t{1} << 20, kGiB = uint64_t{1} << 30;

class LedgerTest : public ::testing::Test {
 protected:
  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>(8 * kGiB);
};

template <class F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing thrown";
  return {ErrorCode::internal, ""};
}

TEST(FormatBytes, SpeaksBinaryUnits) {
  const std::pair<uint64_t, const char*> cases[] = {{0, "0 B"},
                                                    {1, "1 B"},
                                                    {1023, "1023 B"},
                                                    {1024, "1.0 KiB"},
                                                    {1536, "1.5 KiB"},
                                                    {kMiB - 1, "1.0 MiB"},
                                                    {kMiB, "1.0 MiB"},
                                                    {kGiB * 3 / 2, "1.5 GiB"},
                                                    {12 * kGiB, "12.0 GiB"},
                                                    {1023 * kGiB, "1023.0 GiB"},
                                                    {1024 * kGiB, "1.0 TiB"},
                                                    {UINT64_MAX, "16.0 EiB"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(format_bytes(bytes), text);
  EXPECT_EQ(format_exact_bytes(1), "1 B");
  EXPECT_EQ(format_exact_bytes(1023), "1023 B");
  EXPECT_EQ(format_exact_bytes(1537), "1.5 KiB (1537 bytes)");
}

TEST_F(LedgerTest, CapacityLeavesHalfAGibibyteToTheDevice) {
  Ledger ledger(device_);
  EXPECT_EQ(ledger.figures().capacity, 8 * kGiB - 512 * kMiB);
  EXPECT_EQ(ledger.figures().held, 0u);
  const auto region = ledger.take(3 * kGiB, "slot");
  EXPECT_EQ(ledger.figures().capacity, 8 * kGiB - 512 * kMiB) << "what is held counts as capacity";
  EXPECT_EQ(ledger.available(), 5 * kGiB - 512 * kMiB);
}

TEST_F(LedgerTest, LimitBitesWhereItIsLess) {
  Ledger ledger(device_, 4 * kGiB);
  EXPECT_EQ(ledger.figures().capacity, 4 * kGiB);
  device_->others_use = 6 * kGiB;  // looked at anew: others took the device's memory
  EXPECT_EQ(ledger.figures().capacity, 2 * kGiB - 512 * kMiB);
  EXPECT_EQ(Ledger(device_, 100 * kGiB).figures().capacity, 2 * kGiB - 512 * kMiB);
}

TEST_F(LedgerTest, RefusalNamesBothFigures) {
  Ledger ledger(device_, 4 * kGiB);
  const auto held = ledger.take(3 * kGiB, "keys");
  const Error error = error_of([&] { ledger.take(kGiB * 3 / 2, "slot"); });
  EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
  EXPECT_STREQ(error.what(), "cpu:0: slot wants 1.5 GiB, 1.0 GiB of 4.0 GiB left");
  EXPECT_EQ(ledger.figures().held, 3 * kGiB);
  EXPECT_EQ(device_->blocks(), 1u);
  const auto last = ledger.take(kGiB, "the rest");
  EXPECT_EQ(ledger.available(), 0u);
  EXPECT_EQ(error_of([&] { ledger.take(1, "one byte"); }).code(), ErrorCode::out_of_memory);
  EXPECT_EQ(error_of([&] { ledger.book(1, "one byte"); }).code(), ErrorCode::out_of_memory);
  EXPECT_EQ(error_of([&] { ledger.take(UINT64_MAX, "all"); }).code(), ErrorCode::out_of_memory);
}

TEST_F(LedgerTest, SmallDeviceSaturates) {
  device_->others_use = 8 * kGiB - 100 * kMiB;
  Ledger ledger(device_);
  EXPECT_EQ(ledger.figures().capacity, 0u);
  EXPECT_EQ(error_of([&] { ledger.take(1, "slot"); }).code(), ErrorCode::out_of_memory);
  device_->others_use = 0;
  const auto held = ledger.take(2 * kGiB, "slot");
  device_->others_use = 6 * kGiB - 1;
  EXPECT_EQ(ledger.figures().capacity, 2 * kGiB) << "what is held stays";
  EXPECT_EQ(ledger.available(), 0u);
}

TEST_F(LedgerTest, HeldBeyondAShrunkenCapacityLeavesNothing) {
  Ledger ledger(device_, 1 * kGiB);
  const auto held = ledger.take(kGiB, "slot");
  EXPECT_EQ(ledger.available(), 0u);
}

TEST_F(LedgerTest, BooksWithoutAllocating) {
  Ledger ledger(device_, 4 * kGiB);
  {
    const auto region = ledger.book(3 * kGiB, "adopted");
    EXPECT_EQ(region.memory().data, nullptr);
    EXPECT_EQ(region.memory().bytes, 3 * kGiB);
    EXPECT_EQ(region.memory().space.kind, static_cast<uint32_t>(CUZK_SPACE_MODEL));
    EXPECT_EQ(region.part(kGiB, kGiB).data, nullptr);
    EXPECT_EQ(ledger.available(), kGiB);
    EXPECT_EQ(device_->blocks(), 0u);
  }
  EXPECT_EQ(ledger.figures().held, 0u);
  EXPECT_EQ(ledger.figures().high_water, 3 * kGiB);
  EXPECT_EQ(device_->wrong_frees, 0);
}

TEST_F(LedgerTest, RegionsGiveTheirBytesBackOnce) {
  Ledger ledger(device_);
  {
    Ledger::Region a = ledger.take(kGiB, "a"), b = ledger.take(2 * kGiB, "b");
    Ledger::Region moved = std::move(a);
    EXPECT_EQ(ledger.figures().held, 3 * kGiB);
    moved = std::move(b);
    EXPECT_EQ(ledger.figures().held, 2 * kGiB) << "what was assigned over is given back";
    EXPECT_EQ(moved.memory().bytes, 2 * kGiB);
    EXPECT_EQ(device_->blocks(), 1u);
  }
  EXPECT_EQ(ledger.figures().held, 0u);
  EXPECT_EQ(ledger.figures().high_water, 3 * kGiB);
  EXPECT_EQ(device_->blocks(), 0u);
  EXPECT_EQ(device_->wrong_frees, 0);
}

TEST_F(LedgerTest, NothingIsAllocatedForNoBytes) {
  Ledger ledger(device_);
  const auto region = ledger.take(0, "empty");
  EXPECT_EQ(region.memory().bytes, 0u);
  EXPECT_EQ(device_->blocks(), 0u);
}

TEST_F(LedgerTest, EveryFailingAllocationLeavesTheBooksUnchanged) {
  for (int64_t k = 0; k < 4; ++k) {
    device_->allocations_until_failure = k;
    Ledger ledger(device_);
    std::vector<Ledger::Region> regions;
    const Error error = error_of([&] {
      for (int i = 0; i < 4; ++i) regions.push_back(ledger.take(kMiB, "slot"));
    });
    EXPECT_EQ(error.code(), ErrorCode::device_failed);
    EXPECT_STREQ(error.what(), "slot of 1.0 MiB: cpu:0: injected failure");
    EXPECT_EQ(ledger.figures().held, static_cast<uint64_t>(k) * kMiB);
    regions.push_back(ledger.take(kMiB, "the next one"));
    EXPECT_EQ(ledger.figures().held, static_cast<uint64_t>(k + 1) * kMiB);
  }
  EXPECT_EQ(device_->blocks(), 0u);
}

TEST_F(LedgerTest, PartsLieInsideTheirRegion) {
  Ledger ledger(device_);
  const auto region = ledger.take(kMiB, "slot");
  EXPECT_EQ(region.part(0, kMiB).data, region.memory().data);
  const cuzk_mem part = region.part(256, 512);
  EXPECT_EQ(static_cast<std::byte*>(part.data) - static_cast<std::byte*>(region.memory().data), 256);
  EXPECT_EQ(part.bytes, 512u);
  EXPECT_EQ(region.part(kMiB, 0).bytes, 0u);
  const std::pair<uint64_t, uint64_t> outside[] = {{0, kMiB + 1}, {kMiB, 1}, {kMiB + 1, 0}, {1, UINT64_MAX}};
  for (const auto& [offset, bytes] : outside) {
    EXPECT_EQ(error_of([&, o = offset, b = bytes] { (void)region.part(o, b); }).code(), ErrorCode::internal);
  }
}

TEST_F(LedgerTest, ManyThreadsNeverOverbook) {
  Ledger ledger(device_, 4 * kMiB);
  std::vector<std::thread> threads;
  std::atomic<int> refused{0}, served{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        try {
          const auto region = ledger.book(kMiB * 3 / 2, "slot");
          ++served;
          if (ledger.figures().held > 4 * kMiB) ADD_FAILURE() << "overbooked";
          std::this_thread::yield();
        } catch (const Error&) {
          ++refused;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served + refused, 1200);
  EXPECT_GT(served, 0);
  EXPECT_EQ(ledger.figures().held, 0u);
  EXPECT_LE(ledger.figures().high_water, 3 * kMiB);
}

}  // namespace
}  // namespace cuzk
