#pragma once
#include <cstdint>

namespace cuzk::cpu {

/// Copies on the engine's threads and zeroes dst up to dst_bytes, which must not be less than src_bytes.
void copy_and_clear(void* dst, uint64_t dst_bytes, const void* src, uint64_t src_bytes);

}  // namespace cuzk::cpu
