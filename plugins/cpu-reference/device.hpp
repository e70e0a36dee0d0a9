#pragma once
#include <cstdint>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cpu {

/// The memory spaces cpu:0 to cpu:15: host memory that is counted like a device's. All share the host's threads and
/// memory; more than one serves to try several devices, workers and memory pressure where no GPU is. Calls are
/// synchronous, so there are no fences, and nothing needs pinning.
class CpuDevice {
 public:
  static constexpr uint32_t kCount = 16;

  static uint32_t count() { return kCount; }
  static cuzk_device_info info(int32_t index);
  static cuzk_mem alloc(cuzk_space space, uint64_t bytes);  ///< page-aligned, zero
  static void free(cuzk_mem memory);
  static void copy(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done);
};

}  // namespace cuzk::cpu
