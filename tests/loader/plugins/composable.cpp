// Plugins to compose: they say what they bring and do nothing. By macros:
//   PLUGIN_NAME, DEVICE_COUNT (negative: count() throws), KIND (CUZK_SPACE_* of device and components), CUDA_MAJOR,
//   DEVICE_NAME (absent: no device), DEVICE_KIND (KIND), MSM_ONLY, LOCK (absent: no lock policy), GROUPS, CURVES,
//   PINNED (the staging moves page-locked memory beside the CPU), COUNT_ESCAPES (count() lets an exception out),
//   LOSES_DEVICE (copy() loses it)
#include <memory>
#include <stdexcept>

#include <cuzk/sdk/device.hpp>
#include <cuzk/sdk/lock_policy.hpp>
#include <cuzk/sdk/msm.hpp>
#include <cuzk/sdk/ntt.hpp>
#include <cuzk/sdk/plugin.hpp>
#include <cuzk/sdk/staging.hpp>

#ifndef CUDA_MAJOR
#define CUDA_MAJOR 0
#endif
#ifndef DEVICE_COUNT
#define DEVICE_COUNT 1
#endif
#ifndef DEVICE_KIND
#define DEVICE_KIND KIND
#endif
#ifndef GROUPS
#define GROUPS sdk::kBothGroups
#endif
#ifndef CURVES
#define CURVES sdk::kBothCurves
#endif

namespace {

namespace sdk = cuzk::sdk;

struct Staging {
#ifdef PINNED
  static constexpr uint32_t kFlags = CUZK_STAGING_PINNED;
#endif
  static cuzk_plan plan(const cuzk_device_info&, uint64_t, uint64_t) { return {}; }
  Staging(cuzk_space, const cuzk_plan&, cuzk_mem) {}
  uint32_t upload(const cuzk_call&, cuzk_mem&, const void*, uint64_t, bool, cuzk_fence, cuzk_fence) { return 0; }
  uint32_t download(const cuzk_call&, void*, bool, cuzk_mem, cuzk_fence, cuzk_fence) { return 0; }
};
struct Ntt {
  static cuzk_plan plan(const cuzk_device_info&, const cuzk_domain&, uint64_t) { return {}; }
  Ntt(cuzk_space, const cuzk_domain&, const cuzk_plan&, cuzk_mem) {}
  void transform(const cuzk_call&, cuzk_vec, uint32_t, cuzk_fence) {}
  void pointwise(const cuzk_call&, cuzk_vec, cuzk_vec, cuzk_vec, uint32_t, cuzk_fence) {}
};
struct Msm {
  struct Job {
    void feed(const cuzk_call&, uint32_t, cuzk_mem, uint64_t, uint64_t, cuzk_fence, cuzk_fence) {}
    void end(const cuzk_call&, cuzk_fence) {}
    void finish(std::span<void* const>) {}
  };
  static cuzk_plan plan_job(const cuzk_device_info&, std::span<const cuzk_query>, uint64_t) { return {}; }
  explicit Msm(cuzk_space) {}
  std::unique_ptr<Job> start(const cuzk_call&, cuzk_vec, std::span<const cuzk_query>, const cuzk_plan&) {
    return std::make_unique<Job>();
  }
};
struct Lock {
  static constexpr uint32_t kStageWidth = 1, kComputeWidth = 1;
  static uint32_t pick(const cuzk_lock_view& view) { return sdk::oldest(view, CUZK_WAIT_STAGE); }
};
struct Device {
  static uint32_t count() {
    if (DEVICE_COUNT < 0) throw sdk::Error(CUZK_REFUSED, "no driver", 35);
    return DEVICE_COUNT < 0 ? 0 : DEVICE_COUNT;
  }
  static cuzk_device_info info(int32_t index) {
    cuzk_device_info info{};
    info.space = {DEVICE_KIND, index};
    return info;
  }
  static cuzk_mem alloc(cuzk_space, uint64_t) { throw sdk::Error(CUZK_OUT_OF_MEMORY, "no memory at all"); }
  static void free(cuzk_mem) {}
  static void copy(cuzk_mem, cuzk_mem, cuzk_fence, cuzk_fence) {
#ifdef LOSES_DEVICE
    throw sdk::Error(CUZK_DEVICE_LOST, "fell off the bus", 79);
#endif
  }
  static cuzk_fence make_fence(cuzk_space) { return {}; }
  static void wait(cuzk_fence) {}
  static void free_fence(cuzk_fence) {}
};

[[maybe_unused]] constexpr cuzk_component kStaging =
    sdk::staging_component<Staging>({.name = "mover", .summary = "moves", .space_kinds = sdk::bits(KIND)});
[[maybe_unused]] constexpr cuzk_component kNtt = sdk::ntt_component<Ntt>(
    {.name = "radix", .summary = "transforms", .space_kinds = sdk::bits(KIND), .curves = CURVES, .max_log2_size = 10});
constexpr cuzk_component kMsm = sdk::msm_component<Msm>({.name = PLUGIN_NAME "-msm",
                                                         .summary = "multiplies",
                                                         .space_kinds = sdk::bits(KIND),
                                                         .curves = CURVES,
                                                         .groups = GROUPS});
[[maybe_unused]] constexpr cuzk_component kLock = sdk::lock_component<Lock>("own-lock", "locks");
constexpr const cuzk_component* kComponents[] = {
    &kMsm,
#ifndef MSM_ONLY
    &kStaging,
    &kNtt,
#endif
#ifdef LOCK
    &kLock,
#endif
};
#ifdef DEVICE_NAME
constexpr cuzk_device_api kDevice = [] {
  cuzk_device_api api = sdk::device<Device>(DEVICE_KIND, DEVICE_NAME);
#ifdef COUNT_ESCAPES
  api.count = [](uint32_t*, cuzk_status*) -> int32_t { throw std::runtime_error("out of count"); };
#endif
  return api;
}();
constexpr const cuzk_device_api* kDevicePointer = &kDevice;
#else
constexpr const cuzk_device_api* kDevicePointer = nullptr;
#endif

constexpr sdk::Plugin kPlugin{.name = PLUGIN_NAME,
                              .version = "1",
                              .license = "MIT",
                              .author = "tests",
                              .built_for = "nothing",
                              .components = kComponents,
                              .device = kDevicePointer,
                              .cuda_major = CUDA_MAJOR};

}  // namespace

CUZK_PLUGIN(kPlugin);
