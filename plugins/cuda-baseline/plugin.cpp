#include "cuda/cards.hpp"
#include "cuda/device.hpp"
#include "msm/msm.hpp"
#include "ntt/ntt.hpp"
#include "staging/sync.hpp"

#include <cuda_runtime_api.h>

#include <cuzk/sdk/device.hpp>
#include <cuzk/sdk/msm.hpp>
#include <cuzk/sdk/ntt.hpp>
#include <cuzk/sdk/plugin.hpp>
#include <cuzk/sdk/staging.hpp>

#ifndef CUZK_PLUGIN_NAME  // tests build variants under other names
#define CUZK_PLUGIN_NAME "cuda-baseline"
#endif

namespace {

namespace sdk = cuzk::sdk;

constexpr uint32_t kCuda = sdk::bits(CUZK_SPACE_CUDA);

constexpr cuzk_component kStaging = sdk::staging_component<cuzk::cuda::SyncStaging>(
    {.name = "sync", .summary = "moves are over when their call returns", .space_kinds = kCuda});
constexpr cuzk_component kNtt =
    sdk::ntt_component<cuzk::cuda::Ntt>({.name = "ntt",
                                         .summary = "transforms and the quotient in two halves, all on the device",
                                         .space_kinds = kCuda,
                                         .curves = sdk::kBothCurves,
                                         .max_log2_size = 28});
constexpr cuzk_component kMsm =
    sdk::msm_component<cuzk::cuda::Msm>({.name = "pippenger",
                                         .summary = "signed-digit Pippenger, up to the last points on the device",
                                         .space_kinds = kCuda,
                                         .curves = sdk::kBothCurves,
                                         .groups = sdk::kBothGroups});
constexpr const cuzk_component* kComponents[] = {&kStaging, &kNtt, &kMsm};
constexpr cuzk_device_api kDevice = sdk::device<cuzk::cuda::CudaDevice>(CUZK_SPACE_CUDA, "cuda");
// No lock of its own: core's default is interlocks/single-lock.
constexpr sdk::Plugin kPlugin{.name = CUZK_PLUGIN_NAME,
                              .version = "0.1.0",
                              .license = "Apache-2.0",
                              .author = "the cuzk authors",
                              .built_for = cuzk::cuda::kBuiltFor,
                              .components = kComponents,
                              .device = &kDevice,
                              .cuda_major = CUDART_VERSION / 1000};

}  // namespace

CUZK_PLUGIN(kPlugin);
