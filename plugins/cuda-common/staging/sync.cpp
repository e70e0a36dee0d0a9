#include "staging/sync.hpp"

#include "cuda/move.hpp"

namespace cuzk::cuda {
namespace {

constexpr cuzk_space kHost{CUZK_SPACE_HOST, 0};

uint32_t path(bool pinned) { return pinned ? CUZK_PATH_PINNED : CUZK_PATH_PAGEABLE; }

}  // namespace

cuzk_plan SyncStaging::plan(const cuzk_device_info&, uint64_t, uint64_t) { return {}; }

SyncStaging::SyncStaging(cuzk_space space, const cuzk_plan&, cuzk_mem)
    : space_(space), stream_(space), spans_(space, stream_) {}

uint32_t SyncStaging::upload(const cuzk_call& call, cuzk_mem& dst, const void* src, uint64_t src_bytes, bool src_pinned,
                             cuzk_fence after, cuzk_fence done) {
  const DeviceGuard guard(space_);
  const cuzk_mem from{const_cast<void*>(src), src_bytes, kHost};  // the boundary's type; it is only read
  const MoveFor made_for{call, spans_};
  move_and_clear(stream_, dst, from, after, done, &made_for);
  return path(src_pinned);
}

uint32_t SyncStaging::download(const cuzk_call& call, void* dst, bool dst_pinned, cuzk_mem src, cuzk_fence after,
                               cuzk_fence done) {
  const DeviceGuard guard(space_);
  const MoveFor made_for{call, spans_};
  move_and_clear(stream_, {dst, src.bytes, kHost}, src, after, done, &made_for);
  return path(dst_pinned);
}

}  // namespace cuzk::cuda
