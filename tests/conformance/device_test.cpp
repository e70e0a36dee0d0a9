/// The plugin's devices: facts, memory, plain copies.

#include "engine.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include <cuzk/error.hpp>

namespace cuzk::conformance {
namespace {

class DeviceConformance : public testing::TestWithParam<uint32_t> {};

cuzk_mem host(std::vector<std::byte>& bytes) { return {bytes.data(), bytes.size(), {CUZK_SPACE_HOST, 0}}; }

void copy_and_wait(Device& device, cuzk_mem dst, cuzk_mem src) {
  const cuzk_fence done = device.host_addressable() ? cuzk_fence{} : device.make_fence();
  device.copy(dst, src, {}, done);
  if (device.host_addressable()) return;
  device.wait(done);
  device.free_fence(done);
}

TEST_P(DeviceConformance, SaysWhatItIs) {
  Engine engine;
  const auto device = engine.plugin().device(GetParam());
  const cuzk_device_info info = device->info();
  EXPECT_EQ(device->name(), engine.plugin().device_name() + ":" + std::to_string(GetParam()));
  EXPECT_EQ(info.space.index, static_cast<int32_t>(GetParam()));
  EXPECT_EQ(info.space.kind, engine.plugin().device_kind());
  EXPECT_GE(info.units, 1U);
  EXPECT_GT(info.memory_total, 0U);
  EXPECT_LE(info.memory_free, info.memory_total);
}

TEST_P(DeviceConformance, MemoryAndCopies) {
  Engine engine;
  const auto device = engine.plugin().device(GetParam());
  for (const uint64_t size : {uint64_t{1}, uint64_t{4096}, (uint64_t{5} << 20) + 3}) {
    SCOPED_TRACE(size);
    const cuzk_mem one = device->alloc(size + 10), two = device->alloc(size + 10);
    for (const cuzk_mem& memory : {one, two}) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data) % 256, 0U);
      EXPECT_EQ(memory.bytes, size + 10);
      EXPECT_EQ(memory.space.index, static_cast<int32_t>(GetParam()));
    }
    std::vector<std::byte> source(size, std::byte{7}), back(size + 10, std::byte{9});
    copy_and_wait(*device, one, host(source));
    copy_and_wait(*device, two, one);
    copy_and_wait(*device, host(back), two);
    source.resize(size + 10);
    EXPECT_TRUE(back == source) << "bytes, or a tail that is not zero";
    std::vector<std::byte> small(size - 1, std::byte{9});
    EXPECT_THROW(device->copy(host(small), one, {}, {}), Error);
    device->free(one);
    device->free(two);
  }
}

TEST_P(DeviceConformance, RefusesWhatCannotBe) {
  Engine engine;
  const auto device = engine.plugin().device(GetParam());
  try {
    device->free(device->alloc(uint64_t{1} << 60));
    ADD_FAILURE() << "allocated 2^60 bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
  }
}

/// The number of devices.
class DeviceCount : public testing::TestWithParam<uint32_t> {};

TEST_P(DeviceCount, NoDeviceBeyondTheLast) {
  Engine engine;
  EXPECT_THROW(engine.plugin().device(GetParam()), Error);
}

std::vector<uint32_t> device_count() {
  Engine engine(1);
  if (engine.plugin().device_name().empty()) return {};
  return {engine.plugin().device_count().count};
}

std::vector<uint32_t> some_devices() {
  Engine engine(1);
  if (engine.plugin().device_name().empty() || engine.plugin().device_count().count == 0) return {};
  const uint32_t last = engine.plugin().device_count().count - 1;
  return last == 0 ? std::vector<uint32_t>{0} : std::vector<uint32_t>{0, last};
}
INSTANTIATE_TEST_SUITE_P(Plugin, DeviceConformance, testing::ValuesIn(some_devices()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DeviceConformance);
INSTANTIATE_TEST_SUITE_P(Plugin, DeviceCount, testing::ValuesIn(device_count()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DeviceCount);

}  // namespace
}  // namespace cuzk::conformance
