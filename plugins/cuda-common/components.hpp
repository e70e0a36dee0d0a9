#pragma once
/// What the CUDA plugins are put together of. A plugin picks from these; its first component of a role is its default.

#include "cuda/cards.hpp"
#include "cuda/device.hpp"
#include "msm/msm.hpp"
#include "ntt/ntt.hpp"
#include "staging/pinned_async.hpp"
#include "staging/sync.hpp"

#include <cuda_runtime_api.h>
#include <span>
#include <string_view>

#include <cuzk/sdk/device.hpp>
#include <cuzk/sdk/msm.hpp>
#include <cuzk/sdk/ntt.hpp>
#include <cuzk/sdk/plugin.hpp>
#include <cuzk/sdk/staging.hpp>

namespace cuzk::cuda {

inline constexpr uint32_t kCuda = sdk::bits(CUZK_SPACE_CUDA);

inline constexpr cuzk_component kSync = sdk::staging_component<SyncStaging>(
    {.name = "sync", .summary = "moves are over when their call returns", .space_kinds = kCuda});
inline constexpr cuzk_component kPinnedAsync = sdk::staging_component<PinnedAsyncStaging>(
    {.name = "pinned-async",
     .summary = "page-locked memory moves beside kernels, other memory through a page-locked ring",
     .space_kinds = kCuda});
inline constexpr cuzk_component kNtt =
    sdk::ntt_component<Ntt>({.name = "ntt",
                             .summary = "transforms and the quotient in two halves, all on the device",
                             .space_kinds = kCuda,
                             .curves = sdk::kBothCurves,
                             .max_log2_size = 28});
inline constexpr cuzk_component kMsm =
    sdk::msm_component<Msm>({.name = "pippenger",
                             .summary = "signed-digit Pippenger, up to the last points on the device",
                             .space_kinds = kCuda,
                             .curves = sdk::kBothCurves,
                             .groups = sdk::kBothGroups});
inline constexpr cuzk_device_api kDevice = sdk::device<CudaDevice>(CUZK_SPACE_CUDA, "cuda");

/// A plugin of these components, with the spaces cuda:N. No lock of its own: core's default is interlocks/single-lock.
constexpr sdk::Plugin plugin_of(std::string_view name, std::span<const cuzk_component* const> components) {
  return {.name = name,
          .version = "0.1.0",
          .license = "Apache-2.0",
          .author = "the cuzk authors",
          .built_for = kBuiltFor,
          .components = components,
          .device = &kDevice,
          .cuda_major = CUDART_VERSION / 1000};
}

}  // namespace cuzk::cuda
