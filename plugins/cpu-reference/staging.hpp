#pragma once
#include <cstdint>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cpu {

/// The staging component: between host memory and host-addressable spaces nothing has to move, so uploads without a
/// place of their own adopt the source; the others are copied on the engine's threads. Needs no memory.
class HostStaging {
 public:
  static constexpr uint32_t kFlags = CUZK_STAGING_ADOPTS;

  static cuzk_plan plan(const cuzk_device_info& device, uint64_t largest_vector, uint64_t limit);
  HostStaging(cuzk_space space, const cuzk_plan& plan, cuzk_mem pinned_ring);
  uint32_t upload(const cuzk_call& call, cuzk_mem& dst, const void* src, uint64_t src_bytes, bool src_pinned,
                  cuzk_fence after, cuzk_fence done);
  uint32_t download(const cuzk_call& call, void* dst, bool dst_pinned, cuzk_mem src, cuzk_fence after, cuzk_fence done);
};

}  // namespace cuzk::cpu
