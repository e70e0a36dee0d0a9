#pragma once
#include "cuda/check.hpp"
#include "cuda/spans.hpp"

#include <cstdint>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// The staging component "sync": every move is over when its call returns. What is not page-locked crosses through the
/// driver's own buffers. Needs no memory.
class SyncStaging {
 public:
  static cuzk_plan plan(const cuzk_device_info& device, uint64_t largest_vector, uint64_t limit);
  SyncStaging(cuzk_space space, const cuzk_plan& plan, cuzk_mem pinned_ring);
  uint32_t upload(const cuzk_call& call, cuzk_mem& dst, const void* src, uint64_t src_bytes, bool src_pinned,
                  cuzk_fence after, cuzk_fence done);
  uint32_t download(const cuzk_call& call, void* dst, bool dst_pinned, cuzk_mem src, cuzk_fence after, cuzk_fence done);

 private:
  cuzk_space space_;
  Stream stream_;
  Spans spans_;
};

}  // namespace cuzk::cuda
