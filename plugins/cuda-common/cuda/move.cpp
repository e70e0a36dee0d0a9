#include "move.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include <cuzk/sdk/error.hpp>
#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {
namespace {

/// So long that starting a piece costs nothing, so short that a cancelled call ends soon.
constexpr uint64_t kPiece = uint64_t{256} << 20;

void copy(const Stream& stream, std::byte* to, const std::byte* from, uint64_t size, const cuzk_call* call) {
  for (uint64_t at = 0; at < size; at += kPiece) {
    if (call != nullptr) sdk::host().throw_if_cancelled(*call);
    const uint64_t bytes = std::min(kPiece, size - at);
    check(cudaMemcpyAsync(to + at, from + at, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  }
}

}  // namespace

void require_move(const cuzk_mem& dst, const cuzk_mem& src) {
  if (dst.bytes < src.bytes) {
    throw sdk::Error(CUZK_BAD_ARGUMENT,
                     "a copy of " + std::to_string(src.bytes) + " bytes to a place of " + std::to_string(dst.bytes));
  }
  if ((src.bytes != 0 && src.data == nullptr) || (dst.bytes != 0 && dst.data == nullptr)) {
    throw sdk::Error(CUZK_BAD_ARGUMENT, "a copy from or to null");
  }
}

void move_and_clear(const Stream& stream, const cuzk_mem& dst, const cuzk_mem& src, cuzk_fence after, cuzk_fence done,
                    const MoveFor* made_for) {
  require_move(dst, src);
  auto* const to = static_cast<std::byte*>(dst.data);
  const auto* const from = static_cast<const std::byte*>(src.data);
  const bool up = dst.space.kind == CUZK_SPACE_CUDA;
  const uint64_t tail = dst.bytes - src.bytes;
  wait_on(stream, after);
  try {
    if (made_for == nullptr) {
      copy(stream, to, from, src.bytes, nullptr);
    } else if (src.bytes != 0) {
      made_for->spans.measure(made_for->call, up ? CUZK_SPAN_H2D : CUZK_SPAN_D2H, up ? "upload" : "download", src.bytes,
                              [&] { copy(stream, to, from, src.bytes, &made_for->call); });
    }
    if (tail != 0 && up) check(cudaMemsetAsync(to + src.bytes, 0, tail, stream), "cudaMemsetAsync");
    stream.synchronize();
    if (tail != 0 && !up) std::memset(to + src.bytes, 0, tail);
    record(done, stream);
  } catch (...) {
    stream.drain();
    throw;
  }
}

}  // namespace cuzk::cuda
