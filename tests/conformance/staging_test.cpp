/// Staging: what comes across, what is zeroed, which path is reported; and the device behind it.

#include "engine.hpp"
#include "random.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <span>

#include <cuzk/error.hpp>
#include <cuzk/staging.hpp>

namespace cuzk::conformance {
namespace {

constexpr uint64_t kSizes[] = {0, 1, 255, 4096, 100000, (uint64_t{3} << 20) + 5};

std::vector<std::byte> random_bytes(uint64_t size) {
  Random random(size + 1);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.word());
  return bytes;
}

std::vector<std::byte> read(const Buffer& buffer) {
  std::vector<std::byte> bytes(buffer.mem().bytes);
  buffer.read(bytes.data());
  return bytes;
}

/// Whole pages of ordinary memory; page-locked by a device where asked for.
class Pages {
 public:
  Pages(Device* locker, uint64_t bytes)
      : locker_(locker), bytes_((bytes / kPage + 1) * kPage), data_(std::aligned_alloc(kPage, bytes_)) {
    if (data_ == nullptr) throw std::bad_alloc();
    if (locker_ != nullptr) locker_->pin(all());
  }
  ~Pages() {
    if (locker_ != nullptr) locker_->unpin(all());
    std::free(data_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::span<std::byte> first(uint64_t bytes) const { return all().first(bytes); }

 private:
  static constexpr uint64_t kPage = 4096;
  std::span<std::byte> all() const { return {static_cast<std::byte*>(data_), bytes_}; }

  Device* locker_;
  uint64_t bytes_;
  void* data_;
};

class StagingConformance : public testing::TestWithParam<std::string> {
 protected:
  StagingConformance()
      : component_(engine_.component<StagingComponent>(Role::staging, GetParam())),
        place_(engine_.place_for(*component_)),
        plan_(component_->plan(place_->info(), kSizes[5], UINT64_MAX)),
        ring_(locker(), plan_.pinned) {
    open(plan_.pinned);
  }

  bool moves_locked_pages() const { return (component_->info().api_flags & CUZK_STAGING_PINNED) != 0; }
  /// Who locks pages for a component that moves such memory without the CPU; null where it is all one.
  Device* locker() const {
    Device* const device = place_->device();
    return moves_locked_pages() && device != nullptr && device->can_pin() ? device : nullptr;
  }
  /// A new instance. No bytes of ring: their pages could not be locked.
  void open(uint64_t ring_bytes) {
    staging_.reset();
    const std::span<std::byte> ring = ring_.first(ring_bytes);
    staging_ = component_->open(place_->space(), plan_,
                                {ring_bytes == 0 ? nullptr : ring.data(), ring_bytes, {CUZK_SPACE_HOST, 0}});
  }

  /// Up, with a tail, and down again, from and to the given memory. @return the path both took
  uint32_t there_and_back(std::span<std::byte> memory, uint64_t tail, bool pinned) {
    const auto expected = random_bytes(memory.size());
    std::copy(expected.begin(), expected.end(), memory.begin());
    Buffer buffer(*place_, memory.size() + tail);
    cuzk_mem dst = buffer.mem();
    const cuzk_fence up = place_->fence(), down = place_->fence();
    const uint32_t path = staging_->upload(place_->lease(), dst, memory, pinned, {}, up);
    place_->wait(up);
    EXPECT_EQ(dst.data, buffer.mem().data);
    auto with_tail = expected;
    with_tail.resize(memory.size() + tail);
    EXPECT_TRUE(read(buffer) == with_tail);
    std::fill(memory.begin(), memory.end(), std::byte{1});
    cuzk_mem src = buffer.mem();
    src.bytes = memory.size();
    EXPECT_EQ(staging_->download(place_->lease(), memory, pinned, src, up, down), path);
    place_->wait(down);
    EXPECT_TRUE(std::equal(memory.begin(), memory.end(), expected.begin()));
    return path;
  }

  Engine engine_;
  std::shared_ptr<const StagingComponent> component_;
  std::unique_ptr<Place> place_;
  cuzk_plan plan_;
  Pages ring_;
  std::unique_ptr<Staging> staging_;
};

TEST_P(StagingConformance, BytesCrossBothWaysAndTheTailIsZero) {
  for (const uint64_t size : kSizes) {
    for (const uint64_t tail : {0U, 1U, 1000U}) {
      SCOPED_TRACE(std::to_string(size) + " bytes, tail " + std::to_string(tail));
      std::vector<std::byte> memory(size);
      EXPECT_LE(there_and_back(memory, tail, false), static_cast<uint32_t>(CUZK_PATH_RESIDENT));
    }
  }
}

/// Several moves are under way before the first is waited for, and each fence stands for its own.
TEST_P(StagingConformance, MovesThatAreUnderWayTogether) {
  constexpr uint64_t kCount = 5;
  std::vector<std::vector<std::byte>> sources, back;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<cuzk_fence> ups, downs;
  for (uint64_t i = 0; i < kCount; ++i) {
    sources.push_back(random_bytes(kSizes[5] - i));
    back.emplace_back(sources[i].size());
    buffers.push_back(std::make_unique<Buffer>(*place_, sources[i].size()));
    cuzk_mem dst = buffers[i]->mem();
    ups.push_back(place_->fence());
    staging_->upload(place_->lease(), dst, sources[i], false, {}, ups[i]);
  }
  for (uint64_t i = kCount; i-- > 0;) {
    downs.insert(downs.begin(), place_->fence());
    staging_->download(place_->lease(), back[i], false, buffers[i]->mem(), ups[i], downs[0]);
  }
  for (uint64_t i = 0; i < kCount; ++i) {
    place_->wait(downs[i]);
    EXPECT_TRUE(back[i] == sources[i]) << i;
    place_->wait(ups[i]);
  }
}

using StagingPinned = StagingConformance;  ///< components that move page-locked memory without the CPU

TEST_P(StagingPinned, LockedPagesMoveAsTheyLie) {
  if (locker() == nullptr) GTEST_SKIP() << "the device locks no pages";
  for (const uint64_t size : kSizes) {
    SCOPED_TRACE(size);
    const Pages pages(locker(), size + 5);
    EXPECT_EQ(there_and_back(pages.first(size), 1000, true), static_cast<uint32_t>(CUZK_PATH_PINNED));
    EXPECT_LE(there_and_back(pages.first(size + 5).subspan(5), 0, true), static_cast<uint32_t>(CUZK_PATH_PINNED));
  }
}

TEST_P(StagingPinned, OtherMemoryCrossesWithAndWithoutARing) {
  for (const bool ring : {true, false}) {
    open(ring ? plan_.pinned : 0);
    for (const uint64_t size : kSizes) {
      SCOPED_TRACE(std::to_string(size) + (ring ? " bytes" : " bytes, no ring"));
      std::vector<std::byte> memory(size + 3);
      const uint32_t path = there_and_back(std::span(memory).subspan(3), 1000, false);
      EXPECT_TRUE(size == 0 || path != CUZK_PATH_PINNED);
      EXPECT_TRUE(ring || path != CUZK_PATH_RING);
    }
  }
}

using StagingAdoption = StagingConformance;  ///< components that adopt

TEST_P(StagingAdoption, MovesNothing) {
  const auto bytes = random_bytes(1000);
  for (const size_t offset : {0U, 1U, 4U}) {  // any alignment
    const std::span<const std::byte> src = std::span(bytes).subspan(offset);
    cuzk_mem dst{nullptr, src.size(), place_->space()};
    EXPECT_EQ(staging_->upload(place_->lease(), dst, src, false, {}, {}), static_cast<uint32_t>(CUZK_PATH_DIRECT));
    EXPECT_EQ(dst.data, src.data());
    EXPECT_EQ(dst.bytes, src.size());
  }
  cuzk_mem larger{nullptr, bytes.size() + 1, place_->space()};
  EXPECT_THROW(staging_->upload(place_->lease(), larger, bytes, false, {}, {}), Error);
  EXPECT_EQ(larger.data, nullptr);
}

TEST_P(StagingConformance, TooSmallAPlaceIsRefused) {
  const auto bytes = random_bytes(1000);
  Buffer memory(*place_, 999);
  const auto before = read(memory);
  cuzk_mem dst = memory.mem();
  EXPECT_THROW(staging_->upload(place_->lease(), dst, bytes, false, {}, place_->fence()), Error);
  EXPECT_TRUE(read(memory) == before);
}

std::vector<std::string> staging_names(bool (*wanted)(const Offer&)) {
  std::vector<std::string> names;
  for (const Offer& offer : offers(Role::staging)) {
    if (wanted(offer)) names.push_back(offer.name);
  }
  return names;
}
bool any(const Offer&) { return true; }
bool adopts(const Offer& offer) { return offer.adopts && offer.host_addressable; }
bool pinned(const Offer& offer) { return offer.pinned; }
std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string text = info.param;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}
INSTANTIATE_TEST_SUITE_P(Plugin, StagingConformance, testing::ValuesIn(staging_names(any)), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StagingConformance);
INSTANTIATE_TEST_SUITE_P(Plugin, StagingAdoption, testing::ValuesIn(staging_names(adopts)), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StagingAdoption);
INSTANTIATE_TEST_SUITE_P(Plugin, StagingPinned, testing::ValuesIn(staging_names(pinned)), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StagingPinned);

}  // namespace
}  // namespace cuzk::conformance
