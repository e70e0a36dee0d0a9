#pragma once
#include "groth16/session.hpp"

#include <cuzk/groth16/proving_key.hpp>

namespace cuzk::groth16 {

/// Brings the points of streamed bases chunk by chunk to where the MSM runs: through the ring of a workspace by
/// staging, or, adopted or in host space, as they lie. Points that a file stores in another form are decoded first, on
/// the engine's threads.
class PointStream {
 public:
  struct Chunk {
    cuzk_mem points;
    cuzk_fence ready;  ///< to wait for before the first access
    cuzk_fence free;   ///< to record when the chunk may be reused
  };

  /// ring: `layout.chunks` chunks of equal size; unused when nothing is copied.
  PointStream(const Session& session, Worker& worker, cuzk_mem ring)
      : session_(session), worker_(worker), ring_(ring) {}

  /// Points [first, first + count) of the query; count is at most the layout's chunk_points. Error cancelled says
  /// where.
  Chunk bring(const Lease&, QueryId, uint64_t first, uint64_t count);
  uint64_t uploaded() const { return uploaded_; }
  uint32_t paths() const { return paths_; }  ///< bits 1 << CUZK_PATH_* of the uploads

 private:
  const std::byte* on_host(const PointSource&, size_t point_bytes, uint64_t first, uint64_t count, uint32_t turn);

  const Session& session_;
  Worker& worker_;
  cuzk_mem ring_;
  uint64_t uploaded_ = 0;
  uint32_t paths_ = 0;
  uint32_t turn_ = 0;
};

}  // namespace cuzk::groth16
