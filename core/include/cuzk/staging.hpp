#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <cuzk/component.hpp>
#include <cuzk/lease.hpp>

namespace cuzk {

/// Moves bytes between host and device, both ways, and says which path they took. One instance per worker and device,
/// one thread at a time. Errors: cuzk::Error; then nothing started still runs.
class Staging {
 public:
  virtual ~Staging() = default;
  /// Brings src to dst and zeroes dst's tail. src stays valid until `done`. With an adopting component
  /// (host-addressable spaces) dst.data is null and comes back pointing at src. src_pinned: src lies in one pinned
  /// block of core's pool.
  /// @return the path used, CUZK_PATH_*
  virtual uint32_t upload(const Lease&, cuzk_mem& dst, std::span<const std::byte> src, bool src_pinned,
                          cuzk_fence after, cuzk_fence done) = 0;
  virtual uint32_t download(const Lease&, std::span<std::byte> dst, bool dst_pinned, cuzk_mem src, cuzk_fence after,
                            cuzk_fence done) = 0;
};

class StagingComponent : public Component {
 public:
  bool adopts() const { return (info().api_flags & CUZK_STAGING_ADOPTS) != 0; }
  /// Pure: bytes for an instance that moves vectors of at most largest_vector bytes.
  virtual cuzk_plan plan(const cuzk_device_info&, uint64_t largest_vector, uint64_t limit) const = 0;
  virtual std::unique_ptr<Staging> open(cuzk_space, const cuzk_plan&, cuzk_mem pinned_ring) const = 0;
};

}  // namespace cuzk
