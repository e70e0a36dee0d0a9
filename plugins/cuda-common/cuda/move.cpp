#include "move.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {
namespace {

/// So long that starting a piece costs nothing, so short that a cancelled call ends soon.
constexpr uint64_t kPiece = uint64_t{256} << 20;

void require(cuzk_mem dst, cuzk_mem src) {
  if (dst.bytes < src.bytes) {
    throw sdk::Error(CUZK_BAD_ARGUMENT,
                     "a copy of " + std::to_string(src.bytes) + " bytes to a place of " + std::to_string(dst.bytes));
  }
  if ((src.bytes != 0 && src.data == nullptr) || (dst.bytes != 0 && dst.data == nullptr)) {
    throw sdk::Error(CUZK_BAD_ARGUMENT, "a copy from or to null");
  }
}

}  // namespace

void move_and_clear(const Stream& stream, cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done,
                    const cuzk_call* call) {
  require(dst, src);
  auto* const to = static_cast<std::byte*>(dst.data);
  const auto* const from = static_cast<const std::byte*>(src.data);
  const uint64_t tail = dst.bytes - src.bytes;
  wait_on(stream, after);
  try {
    for (uint64_t at = 0; at < src.bytes; at += kPiece) {
      if (call != nullptr) sdk::host().throw_if_cancelled(*call);
      const uint64_t bytes = std::min(kPiece, src.bytes - at);
      check(cudaMemcpyAsync(to + at, from + at, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    }
    if (tail != 0 && dst.space.kind == CUZK_SPACE_CUDA) {
      check(cudaMemsetAsync(to + src.bytes, 0, tail, stream), "cudaMemsetAsync");
    }
    stream.synchronize();
    if (tail != 0 && dst.space.kind != CUZK_SPACE_CUDA) std::memset(to + src.bytes, 0, tail);
    record(done, stream);
  } catch (...) {
    stream.drain();
    throw;
  }
}

}  // namespace cuzk::cuda
