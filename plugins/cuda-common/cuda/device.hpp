#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// The memory spaces cuda:N, N as the driver numbers them: device memory of the primary context. Fences are events
/// without times, waited for asleep. Threads: any. Errors: sdk::Error; a card that this build has no kernels for is
/// refused by info(), and by count() where there is no other.
class CudaDevice {
 public:
  static uint32_t count();  ///< starts the driver; throws the reason where no card can be used
  static cuzk_device_info info(int32_t index);

  static cuzk_mem alloc(cuzk_space space, uint64_t bytes);
  static void free(cuzk_mem memory);
  static void pin(std::span<std::byte> block);
  static void unpin(void* block);
  /// Synchronous, through a stream of its own.
  static void copy(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done);

  static cuzk_fence make_fence(cuzk_space space);
  /// Then all work before the fence has its spans in the host's timeline.
  static void wait(cuzk_fence fence);
  static void free_fence(cuzk_fence fence);
};

}  // namespace cuzk::cuda
