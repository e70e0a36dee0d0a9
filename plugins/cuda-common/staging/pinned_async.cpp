#include "pinned_async.hpp"

#include "cuda/driver.hpp"
#include "cuda/move.hpp"

#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {
namespace {

constexpr cuzk_space kHost{CUZK_SPACE_HOST, 0};

}  // namespace

cuzk_plan PinnedAsyncStaging::plan(const cuzk_device_info&, uint64_t largest_vector, uint64_t) {
  cuzk_plan plan{};
  plan.pinned = RingCut::for_vectors(largest_vector).bytes();
  return plan;
}

PinnedAsyncStaging::PinnedAsyncStaging(cuzk_space space, const cuzk_plan&, cuzk_mem pinned_ring)
    : space_(space),
      up_(space),
      down_(space),
      uploads_(space, up_),
      downloads_(space, down_),
      ring_(index_of(space), pinned_ring) {}

PinnedAsyncStaging::~PinnedAsyncStaging() {
  up_.drain();
  down_.drain();
}

uint32_t PinnedAsyncStaging::path_of(const void* data, uint64_t bytes, bool pinned) const {
  if (pinned || driver().page_locked(data, bytes)) return CUZK_PATH_PINNED;
  return ring_.there() ? CUZK_PATH_RING : CUZK_PATH_PAGEABLE;
}

template <class Body>
void PinnedAsyncStaging::settled(Body&& body) {
  try {
    body();
  } catch (...) {
    up_.drain();
    down_.drain();
    throw;
  }
}

void PinnedAsyncStaging::finish(const Stream& stream, cuzk_fence done) {
  if (event_of(done) != nullptr) {
    record(done, stream);
  } else {
    stream.synchronize();
  }
}

uint32_t PinnedAsyncStaging::upload(const cuzk_call& call, cuzk_mem& dst, const void* src, uint64_t src_bytes,
                                    bool src_pinned, cuzk_fence after, cuzk_fence done) {
  const DeviceGuard guard(space_);
  const cuzk_mem from{const_cast<void*>(src), src_bytes, kHost};  // the boundary's type; it is only read
  require_move(dst, from);
  sdk::host().throw_if_cancelled(call);
  const uint32_t path = path_of(src, src_bytes, src_pinned);
  if (path == CUZK_PATH_PAGEABLE) {
    const MoveFor made_for{call, uploads_};
    move_and_clear(up_, dst, from, after, done, &made_for);
    return path;
  }
  auto* const to = static_cast<std::byte*>(dst.data);
  settled([&] {
    wait_on(up_, after);
    const auto move = [&] {
      if (path == CUZK_PATH_RING) {
        ring_.upload(up_, call, to, static_cast<const std::byte*>(src), src_bytes);
      } else {
        check(cudaMemcpyAsync(to, src, src_bytes, cudaMemcpyHostToDevice, up_), "cudaMemcpyAsync");
      }
    };
    if (src_bytes != 0) uploads_.measure(call, CUZK_SPAN_H2D, "upload", src_bytes, move);
    const uint64_t tail = dst.bytes - src_bytes;
    if (tail != 0) check(cudaMemsetAsync(to + src_bytes, 0, tail, up_), "cudaMemsetAsync");
    finish(up_, done);
  });
  return path;
}

uint32_t PinnedAsyncStaging::download(const cuzk_call& call, void* dst, bool dst_pinned, cuzk_mem src, cuzk_fence after,
                                      cuzk_fence done) {
  const DeviceGuard guard(space_);
  const cuzk_mem to{dst, src.bytes, kHost};
  require_move(to, src);
  sdk::host().throw_if_cancelled(call);
  const uint32_t path = path_of(dst, src.bytes, dst_pinned);
  if (path == CUZK_PATH_PAGEABLE) {
    const MoveFor made_for{call, downloads_};
    move_and_clear(down_, to, src, after, done, &made_for);
    return path;
  }
  settled([&] {
    wait_on(down_, after);
    const auto move = [&] {
      if (path == CUZK_PATH_RING) {
        ring_.download(down_, call, static_cast<std::byte*>(dst), static_cast<const std::byte*>(src.data), src.bytes);
      } else {
        check(cudaMemcpyAsync(dst, src.data, src.bytes, cudaMemcpyDeviceToHost, down_), "cudaMemcpyAsync");
      }
    };
    if (src.bytes != 0) downloads_.measure(call, CUZK_SPAN_D2H, "download", src.bytes, move);
    finish(down_, done);
  });
  return path;
}

}  // namespace cuzk::cuda
