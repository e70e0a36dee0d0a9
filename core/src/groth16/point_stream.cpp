#include "groth16/point_stream.hpp"

#include "groth16/queries.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace cuzk::groth16 {
namespace {
constexpr uint64_t kDecodeGrain = 1024;
}

/// Steps over queries of which all points were brought.
bool PointStream::at_end() {
  while (query_ < queries_.size() && first_ == session_.key->query(queries_[query_]).points->count()) {
    ++query_;
    first_ = 0;
  }
  return query_ == queries_.size();
}

bool PointStream::next(QueryId id) {
  if (ahead_) return ahead_->query == id;
  return !at_end() && queries_[query_] == id;
}

PointStream::Chunk PointStream::take(const Lease& lease) {
  bring_ahead(lease);
  const Brought now = *std::exchange(ahead_, std::nullopt);
  Chunk chunk = now.chunk;
  if (session_.msm_on) {
    chunk.ready = worker_.fences.after(Fences::chunk_ready_0 + now.turn);
    chunk.free = worker_.fences.record(Fences::chunk_free_0 + now.turn);
  }
  return chunk;
}

void PointStream::bring_ahead(const Lease& lease) {
  if (!ahead_ && !at_end()) ahead_ = bring(lease);
}

PointStream::Brought PointStream::bring(const Lease& lease) {
  const QueryId id = queries_[query_];
  const uint64_t first = first_;
  const PointSource& points = *session_.key->query(id).points;
  session_.stop_if_cancelled(lease.call().ticket, "before point " + std::to_string(first) + " of query " +
                                                      std::string(name(id)) + " was read");
  const uint64_t count = std::min(points.count() - first, session_.layout.chunk_of(id));
  const uint32_t turn = turn_++ % session_.layout.chunks;
  const size_t size = point_bytes(session_.shape().curve, group_of(id));
  const uint64_t bytes = count * size;
  const std::byte* source = on_host(points, size, first, count, turn);
  first_ += count;
  if (!session_.msm_on) {
    const cuzk_mem only_read{const_cast<std::byte*>(source), bytes, {CUZK_SPACE_HOST, 0}};
    return {id, turn, {first, count, only_read, {}, {}}};
  }
  Fences& fences = worker_.fences;
  cuzk_mem chunk = session_.layout.adopted ? cuzk_mem{nullptr, bytes, session_.device->space()}
                                           : part(ring_, turn * (ring_.bytes / session_.layout.chunks), bytes);
  const uint32_t path =
      worker_.staging->upload(lease, chunk, {source, bytes}, session_.services.memory().pinned({source, bytes}),
                              fences.after(Fences::chunk_free_0 + turn), fences.record(Fences::chunk_ready_0 + turn));
  paths_ |= uint32_t{1} << path;
  if (!session_.layout.adopted) uploaded_ += bytes;
  return {id, turn, {first, count, chunk, {}, {}}};
}

const std::byte* PointStream::on_host(const PointSource& source, size_t point_bytes, uint64_t first, uint64_t count,
                                      uint32_t turn) {
  if (const std::byte* direct = source.direct()) return direct + first * point_bytes;
  worker_.fences.wait(Fences::chunk_ready_0 + turn);
  worker_.fences.wait(Fences::chunk_free_0 + turn);
  std::byte* block = worker_.decoded[turn].data();
  session_.services.cpu().ranges(count, kDecodeGrain, [&](uint64_t begin, uint64_t end) {
    source.read(first + begin, end - begin, block + begin * point_bytes);
  });
  return block;
}

}  // namespace cuzk::groth16
