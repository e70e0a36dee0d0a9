#include "staging.hpp"

#include "copy.hpp"
#include "select.hpp"

#include <string>

namespace cuzk::cpu {

cuzk_plan HostStaging::plan(const cuzk_device_info&, uint64_t, uint64_t) { return {}; }

HostStaging::HostStaging(cuzk_space, const cuzk_plan&, cuzk_mem) {}

uint32_t HostStaging::upload(const cuzk_call&, cuzk_mem& dst, const void* src, uint64_t src_bytes, bool src_pinned,
                             cuzk_fence, cuzk_fence) {
  if (dst.data == nullptr) {
    if (dst.bytes != src_bytes) {
      throw sdk::Error(CUZK_BAD_ARGUMENT, "an adopted source of " + std::to_string(src_bytes) +
                                              " bytes for a place of " + std::to_string(dst.bytes));
    }
    dst.data = const_cast<void*>(src);  // the boundary's promise: core knows what may be written
    return CUZK_PATH_DIRECT;
  }
  copy_and_clear(dst.data, dst.bytes, src, src_bytes);
  return src_pinned ? CUZK_PATH_PINNED : CUZK_PATH_PAGEABLE;
}

uint32_t HostStaging::download(const cuzk_call&, void* dst, bool dst_pinned, cuzk_mem src, cuzk_fence, cuzk_fence) {
  if (dst == src.data) return CUZK_PATH_DIRECT;
  copy_and_clear(dst, src.bytes, src.data, src.bytes);
  return dst_pinned ? CUZK_PATH_PINNED : CUZK_PATH_PAGEABLE;
}

}  // namespace cuzk::cpu
