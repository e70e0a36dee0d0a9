// The SDK beside hosts of other sizes: nothing is written past their structs, and what they lack is absent.
#include <cstring>
#include <gmock/gmock.h>
#include <string>

#include <cuzk/sdk/device.hpp>
#include <cuzk/sdk/lock_policy.hpp>
#include <cuzk/sdk/plugin.hpp>
#include <cuzk/sdk/staging.hpp>

namespace cuzk::test {
namespace {

using ::testing::HasSubstr;

struct ToyDevice {
  static uint32_t count() { return 1; }
  static cuzk_device_info info(int32_t index) {
    return {.struct_size = 0,
            .space = {CUZK_SPACE_MODEL, index},
            .units = 2,
            .arch = 3,
            .memory_total = 4,
            .memory_free = 5,
            .name = sdk::str("toy")};
  }
  static cuzk_mem alloc(cuzk_space, uint64_t) { return {}; }
  static void free(cuzk_mem) {}
  static void copy(cuzk_mem, cuzk_mem, cuzk_fence, cuzk_fence) {}
};

/// Answers with what it was handed.
struct ToyStaging {
  static cuzk_plan plan(const cuzk_device_info& device, uint64_t, uint64_t) {
    return {.resident = device.units,
            .workspace = device.memory_free,
            .unmanaged = device.name.size,
            .pinned = device.struct_size,
            .minimum = 0,
            .choice = {}};
  }
  ToyStaging(cuzk_space, const cuzk_plan&, cuzk_mem) {}
  uint32_t upload(const cuzk_call& call, cuzk_mem& dst, const void*, uint64_t, bool, cuzk_fence, cuzk_fence) {
    dst = call.pinned;
    return static_cast<uint32_t>(call.ticket);
  }
  uint32_t download(const cuzk_call&, void*, bool, cuzk_mem, cuzk_fence, cuzk_fence) { return 0; }
};

struct ToyPolicy {
  static constexpr uint32_t kStageWidth = 1, kComputeWidth = 1;
  static uint32_t pick(const cuzk_lock_view& view) { return view.count * 100 + view.slots_free * 10 + view.workers; }
};

constexpr cuzk_component kPolicy = sdk::lock_component<ToyPolicy>("toy", "answers");
constexpr sdk::Plugin kPlugin{.name = "toy", .version = "1", .license = "MIT", .author = "tests", .built_for = "cpu"};
constexpr cuzk_plugin kTable = sdk::detail::table(kPlugin);

TEST(Sdk, WritesNotPastTheHostsStruct) {
  for (const uint32_t size : {uint32_t{12}, uint32_t{offsetof(cuzk_device_info, memory_free)},
                              uint32_t{sizeof(cuzk_device_info)}, uint32_t{sizeof(cuzk_device_info) + 8}}) {
    unsigned char room[sizeof(cuzk_device_info) + 8];
    std::memset(room, 0xEE, sizeof room);
    std::memcpy(room, &size, sizeof size);
    cuzk_status status{};
    ASSERT_EQ(sdk::detail::DeviceTable<ToyDevice>::info(7, reinterpret_cast<cuzk_device_info*>(room), &status),
              CUZK_OK);
    const auto filled = sdk::read_table<cuzk_device_info>(room);
    EXPECT_EQ(filled.space.index, 7);
    EXPECT_EQ(filled.memory_free, size >= sizeof(cuzk_device_info) ? 5u : 0u);
    for (size_t i = std::min<size_t>(size, sizeof(cuzk_device_info)); i < sizeof room; ++i) EXPECT_EQ(room[i], 0xEE);
  }
}

/// A host's struct of `size` bytes, with rubbish behind.
template <class Table>
Table shortened(Table table, size_t size) {
  table.struct_size = static_cast<uint32_t>(size);
  std::memset(reinterpret_cast<unsigned char*>(&table) + size, 0xEE, sizeof table - size);
  return table;
}

TEST(Sdk, WhatAnOlderHostLacksIsZeroForTheAuthor) {
  cuzk_status status{};
  using Staging = sdk::detail::StagingTable<ToyStaging>;
  cuzk_device_info device = ToyDevice::info(0);
  device = shortened(device, offsetof(cuzk_device_info, memory_free));
  cuzk_plan plan{};
  ASSERT_EQ(Staging::plan(&device, 0, 0, &plan, &status), CUZK_OK);
  EXPECT_EQ(plan.resident, 2u);
  EXPECT_EQ(plan.workspace, 0u);
  EXPECT_EQ(plan.unmanaged, 0u);
  EXPECT_EQ(plan.pinned, sizeof(cuzk_device_info));

  cuzk_call call{};
  call.ticket = 9;
  call = shortened(call, offsetof(cuzk_call, pinned));
  ToyStaging staging({}, {}, {});
  cuzk_mem dst{&status, 1, {}};
  uint32_t path = 0;
  ASSERT_EQ(Staging::upload(&staging, &call, &dst, nullptr, 0, 0, {}, {}, &path, &status), CUZK_OK);
  EXPECT_EQ(path, 9u);
  EXPECT_EQ(dst.data, nullptr);
  EXPECT_EQ(dst.bytes, 0u);

  cuzk_lock_view view{};
  view.count = 4;
  view.slots_free = 5;
  view = shortened(view, offsetof(cuzk_lock_view, workers));
  EXPECT_EQ(static_cast<const cuzk_lock_api*>(kPolicy.api)->pick(nullptr, &view), 450u);
}

class SdkHandshake : public ::testing::Test {
 protected:
  static void log(void* self, uint32_t, cuzk_str, cuzk_str text) {
    static_cast<SdkHandshake*>(self)->logged = sdk::view(text);
  }
  static void forbidden_parallel(void*, uint64_t, void (*)(void*, uint64_t), void*) { ADD_FAILURE(); }
  ~SdkHandshake() override { sdk::detail::host_table = {}; }

  cuzk_host offered() {
    cuzk_host host{};
    host.struct_size = sizeof host;
    host.abi_min = host.abi_max = CUZK_ABI_VERSION;
    host.self = this;
    host.log = &log;
    host.now_ns = [](void*) -> uint64_t { return 77; };
    host.parallel = &forbidden_parallel;
    return host;
  }
  int32_t answer(const cuzk_host& host) {
    const cuzk_plugin* out = nullptr;
    const int32_t code = sdk::detail::answer(kTable, &host, &out, &status);
    EXPECT_EQ(out, code == CUZK_OK ? &kTable : nullptr);
    return code;
  }

  std::string logged;
  cuzk_status status{};
};

TEST_F(SdkHandshake, AHostWithOnlyTheEssentialsIsServedByDefaults) {
  const cuzk_host least = shortened(offered(), offsetof(cuzk_host, now_ns));
  ASSERT_EQ(answer(least), CUZK_OK) << status.message;
  const sdk::Host host = sdk::host();
  host.log(CUZK_LOG_INFO, "toy", "hello");
  EXPECT_EQ(logged, "hello");
  const uint64_t before = host.now_ns();
  EXPECT_GT(before, 77u);
  EXPECT_GE(host.now_ns(), before);
  EXPECT_EQ(host.threads(), 1u);
  EXPECT_FALSE(host.cancelled({}));
  host.span({}, CUZK_SPAN_CPU, "nothing", 0, 1);
  std::string order;
  host.parallel(3, [&](uint64_t i) { order += std::to_string(i); });
  EXPECT_EQ(order, "012");
  EXPECT_THROW(host.parallel(3, [](uint64_t i) { throw sdk::Error(CUZK_INTERNAL, std::to_string(i)); }), sdk::Error);

  ASSERT_EQ(answer(shortened(offered(), offsetof(cuzk_host, span))), CUZK_OK);
  EXPECT_EQ(sdk::host().now_ns(), 77u);
}

TEST_F(SdkHandshake, AHostWithoutTheEssentialsIsRefused) {
  EXPECT_EQ(answer(shortened(offered(), offsetof(cuzk_host, log))), CUZK_REFUSED);
  EXPECT_THAT(status.message, HasSubstr("the host's table has 24 bytes, expected at least 32 and a log function"));
  cuzk_host mute = offered();
  mute.log = nullptr;
  EXPECT_EQ(answer(mute), CUZK_REFUSED);
  cuzk_host later = offered();
  later.abi_min = later.abi_max = CUZK_ABI_VERSION + 1;
  EXPECT_EQ(answer(later), CUZK_REFUSED);
  EXPECT_EQ(sdk::detail::host_table.log, nullptr);
}

}  // namespace
}  // namespace cuzk::test
