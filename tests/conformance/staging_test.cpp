/// Staging: what comes across, what is zeroed, which path is reported; and the device behind it.

#include "engine.hpp"
#include "random.hpp"

#include <algorithm>
#include <gtest/gtest.h>

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

class StagingConformance : public testing::TestWithParam<std::string> {
 protected:
  StagingConformance()
      : component_(engine_.component<StagingComponent>(Role::staging, GetParam())),
        place_(engine_.place_for(*component_)) {
    const cuzk_plan plan = component_->plan(place_->info(), kSizes[5], UINT64_MAX);
    ring_.resize(plan.pinned);
    staging_ = component_->open(place_->space(), plan, {ring_.data(), ring_.size(), {CUZK_SPACE_HOST, 0}});
  }

  Engine engine_;
  std::shared_ptr<const StagingComponent> component_;
  std::unique_ptr<Place> place_;
  std::vector<std::byte> ring_;
  std::unique_ptr<Staging> staging_;
};

TEST_P(StagingConformance, BytesCrossBothWaysAndTheTailIsZero) {
  for (const uint64_t size : kSizes) {
    for (const uint64_t tail : {0U, 1U, 1000U}) {
      SCOPED_TRACE(std::to_string(size) + " bytes, tail " + std::to_string(tail));
      auto expected = random_bytes(size);
      Buffer memory(*place_, size + tail);
      cuzk_mem dst = memory.mem();
      const cuzk_fence up = place_->fence(), down = place_->fence();
      const uint32_t path = staging_->upload(place_->lease(), dst, expected, false, {}, up);
      place_->wait(up);
      EXPECT_LE(path, static_cast<uint32_t>(CUZK_PATH_RESIDENT));
      EXPECT_EQ(dst.data, memory.mem().data);
      expected.resize(size + tail);
      EXPECT_TRUE(read(memory) == expected);

      std::vector<std::byte> back(size + tail, std::byte{1});
      staging_->download(place_->lease(), back, false, memory.mem(), {}, down);
      place_->wait(down);
      EXPECT_TRUE(back == expected);
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

std::vector<std::string> staging_names(bool only_adopting) {
  std::vector<std::string> names;
  for (const Offer& offer : offers(Role::staging)) {
    if (!only_adopting || (offer.adopts && offer.host_addressable)) names.push_back(offer.name);
  }
  return names;
}
std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string text = info.param;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}
INSTANTIATE_TEST_SUITE_P(Plugin, StagingConformance, testing::ValuesIn(staging_names(false)), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StagingConformance);
INSTANTIATE_TEST_SUITE_P(Plugin, StagingAdoption, testing::ValuesIn(staging_names(true)), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StagingAdoption);

}  // namespace
}  // namespace cuzk::conformance
