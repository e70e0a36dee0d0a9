#include "copy.hpp"

#include "select.hpp"

#include <cstddef>
#include <cstring>
#include <string>

namespace cuzk::cpu {

void copy_and_clear(void* dst, uint64_t dst_bytes, const void* src, uint64_t src_bytes) {
  if (dst_bytes < src_bytes) {
    throw sdk::Error(CUZK_BAD_ARGUMENT,
                     "a copy of " + std::to_string(src_bytes) + " bytes to a place of " + std::to_string(dst_bytes));
  }
  if ((src_bytes != 0 && src == nullptr) || (dst_bytes != 0 && dst == nullptr)) {
    throw sdk::Error(CUZK_BAD_ARGUMENT, "a copy from or to null");
  }
  constexpr uint64_t kGrain = uint64_t{1} << 20;
  auto* const to = static_cast<std::byte*>(dst);
  const auto* const from = static_cast<const std::byte*>(src);
  for_ranges(host_parallel(), src_bytes, kGrain,
             [&](uint64_t begin, uint64_t end) { std::memcpy(to + begin, from + begin, end - begin); });
  for_ranges(host_parallel(), dst_bytes - src_bytes, kGrain,
             [&](uint64_t begin, uint64_t end) { std::memset(to + src_bytes + begin, 0, end - begin); });
}

}  // namespace cuzk::cpu
