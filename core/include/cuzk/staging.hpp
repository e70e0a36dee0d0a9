#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <cuzk/component.hpp>
#include <cuzk/lease.hpp>

namespace cuzk {

/// Moves bytes between host and device, both ways, and says which path they took. One instance per worker and device,
/// one thread at a time. Errors: cuzk::Error; then nothing started still runs and outputs are untouched.
class Staging {
 public:
  virtual ~Staging() = default;
  /// Brings src to dst and zeroes dst's tail: dst.bytes >= src.size(). src stays valid until `done`. dst is left as it
  /// is, but for adoption: with an adopting component (host-addressable spaces) dst.data may be null, dst.bytes is then
  /// src.size(), and data comes back pointing at src. src_pinned: HostPool::pinned(src).
  /// @return the path used, CUZK_PATH_*
  virtual uint32_t upload(const Lease&, cuzk_mem& dst, std::span<const std::byte> src, bool src_pinned,
                          cuzk_fence after, cuzk_fence done) = 0;
  /// Brings the src.bytes of src to the front of dst: dst.size() >= src.bytes; what lies behind in dst is untouched.
  /// dst may be read after `done` and stays valid until then. dst_pinned: HostPool::pinned(dst).
  /// @return the path used, CUZK_PATH_*
  virtual uint32_t download(const Lease&, std::span<std::byte> dst, bool dst_pinned, cuzk_mem src, cuzk_fence after,
                            cuzk_fence done) = 0;
};

class StagingComponent : public Component {
 public:
  bool adopts() const { return (info().api_flags & CUZK_STAGING_ADOPTS) != 0; }
  /// Wants the engine's vectors in page-locked memory.
  bool wants_pinned() const { return (info().api_flags & CUZK_STAGING_PINNED) != 0; }
  /// Pure: what an instance needs that moves vectors of at most largest_vector bytes; pinned is its ring, unmanaged
  /// counts against `limit` (device bytes), resident and workspace are 0. Threads: any. Error out_of_memory: cannot do
  /// within the limit.
  virtual cuzk_plan plan(const cuzk_device_info&, uint64_t largest_vector, uint64_t limit) const = 0;
  /// plan: as plan() answered. pinned_ring: plan.pinned bytes of host memory, the caller's until the instance is gone;
  /// for a component that wants_pinned() page-locked, or null and empty where the pages could not be locked.
  virtual std::unique_ptr<Staging> open(cuzk_space, const cuzk_plan&, cuzk_mem pinned_ring) const = 0;
};

}  // namespace cuzk
