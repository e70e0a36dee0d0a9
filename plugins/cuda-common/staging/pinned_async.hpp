#pragma once
#include "cuda/check.hpp"
#include "cuda/spans.hpp"
#include "pinned_ring.hpp"

#include <cstdint>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// The staging component "pinned-async". Host memory that one page-locked range holds moves without the CPU: the call
/// returns when the copy is enqueued on the instance's own stream for uploads, or that for downloads, and the fence
/// says when it is over. Other memory crosses through a ring of page-locked blocks; where core could not lock that,
/// through the driver's buffers, and the call returns when all is over. An upload through the ring returns when the
/// source has been read, a download when the bytes are there. Without a fence to record, every call is over when it
/// returns. Takes page-locked memory for the ring, 64 MiB for large vectors, and none of the device's.
class PinnedAsyncStaging {
 public:
  static constexpr uint32_t kFlags = CUZK_STAGING_PINNED;

  static cuzk_plan plan(const cuzk_device_info& device, uint64_t largest_vector, uint64_t limit);
  /// pinned_ring: page-locked, or null.
  PinnedAsyncStaging(cuzk_space space, const cuzk_plan& plan, cuzk_mem pinned_ring);
  ~PinnedAsyncStaging();
  uint32_t upload(const cuzk_call& call, cuzk_mem& dst, const void* src, uint64_t src_bytes, bool src_pinned,
                  cuzk_fence after, cuzk_fence done);
  uint32_t download(const cuzk_call& call, void* dst, bool dst_pinned, cuzk_mem src, cuzk_fence after, cuzk_fence done);

 private:
  /// The best path for host memory.
  uint32_t path_of(const void* data, uint64_t bytes, bool pinned) const;
  /// Runs body; after an error waits until nothing runs.
  template <class Body>
  void settled(Body&& body);
  /// Records the fence, or waits where there is none.
  static void finish(const Stream& stream, cuzk_fence done);

  cuzk_space space_;
  Stream up_, down_;
  Spans uploads_, downloads_;
  PinnedRing ring_;
};

}  // namespace cuzk::cuda
