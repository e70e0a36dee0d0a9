#include "device.hpp"
#include "msm/pippenger.hpp"
#include "ntt/radix2.hpp"
#include "staging.hpp"

#include <cuzk/sdk/device.hpp>
#include <cuzk/sdk/msm.hpp>
#include <cuzk/sdk/ntt.hpp>
#include <cuzk/sdk/plugin.hpp>
#include <cuzk/sdk/staging.hpp>

namespace {

namespace sdk = cuzk::sdk;

constexpr uint32_t kHostAddressable = sdk::bits(CUZK_SPACE_HOST, CUZK_SPACE_MODEL);

constexpr cuzk_component kStaging = sdk::staging_component<cuzk::cpu::HostStaging>(
    {.name = "host", .summary = "adopts host memory, moves nothing", .space_kinds = kHostAddressable});
constexpr cuzk_component kNtt = sdk::ntt_component<cuzk::cpu::Radix2>(
    {.name = "radix-2",
     .summary = "cache-blocked radix-2 transforms, no permutation in the quotient",
     .space_kinds = kHostAddressable,
     .curves = sdk::kBothCurves,
     .max_log2_size = 28});
constexpr cuzk_component kMsm =
    sdk::msm_component<cuzk::cpu::Pippenger>({.name = "pippenger",
                                              .summary = "signed-digit Pippenger with batch-affine buckets",
                                              .space_kinds = kHostAddressable,
                                              .curves = sdk::kBothCurves,
                                              .groups = sdk::kBothGroups});
constexpr const cuzk_component* kComponents[] = {&kStaging, &kNtt, &kMsm};
constexpr cuzk_device_api kDevice = sdk::device<cuzk::cpu::CpuDevice>(CUZK_SPACE_MODEL, "cpu");
constexpr sdk::Plugin kPlugin{.name = "cpu-reference",
                              .version = "0.1.0",
                              .license = "Apache-2.0",
                              .author = "the cuzk authors",
                              .built_for = "cpu",
                              .components = kComponents,
                              .device = &kDevice};

}  // namespace

CUZK_PLUGIN(kPlugin);
