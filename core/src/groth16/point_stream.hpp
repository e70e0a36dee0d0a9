#pragma once
#include "groth16/session.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <cuzk/groth16/proving_key.hpp>

namespace cuzk::groth16 {

/// Brings the points of streamed bases chunk by chunk to where the MSM runs: through the ring of a workspace by
/// staging, or, adopted or in host space, as they lie. Points that a file stores in another form are decoded first, on
/// the engine's threads.
class PointStream {
 public:
  struct Chunk {
    uint64_t first, count;  ///< points of the query
    cuzk_mem points;
    cuzk_fence ready;  ///< to wait for before the first access
    cuzk_fence free;   ///< to record when the chunk may be reused
  };

  /// ring: `layout.chunks` chunks of equal size; unused when nothing is copied. queries: in the order they are wanted.
  PointStream(const Session& session, Worker& worker, cuzk_mem ring, std::vector<QueryId> queries)
      : session_(session), worker_(worker), ring_(ring), queries_(std::move(queries)) {}

  /// Whether the next chunk is one of this query.
  bool next(QueryId id);
  /// The next chunk. What took the one before it has been enqueued. Error cancelled says where.
  Chunk take(const Lease&);
  /// Begins to bring the next chunk, of whatever query, so that it crosses while the ones before are worked on.
  void bring_ahead(const Lease&);
  uint64_t uploaded() const { return uploaded_; }
  uint32_t paths() const { return paths_; }  ///< bits 1 << CUZK_PATH_* of the uploads

 private:
  struct Brought {
    QueryId query;
    uint32_t turn;
    Chunk chunk;  ///< without its fences
  };
  bool at_end();
  Brought bring(const Lease&);
  const std::byte* on_host(const PointSource&, size_t point_bytes, uint64_t first, uint64_t count, uint32_t turn);

  const Session& session_;
  Worker& worker_;
  cuzk_mem ring_;
  const std::vector<QueryId> queries_;
  size_t query_ = 0;    ///< index of the one that the next chunk to be brought is of,
  uint64_t first_ = 0;  ///< and its first point
  std::optional<Brought> ahead_;
  uint64_t uploaded_ = 0;
  uint32_t paths_ = 0;
  uint32_t turn_ = 0;
};

}  // namespace cuzk::groth16
