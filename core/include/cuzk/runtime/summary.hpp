#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cuzk/runtime/timeline.hpp>

namespace cuzk {

/// What a timeline says of the proofs on one device; what loads and makes keys there does not count. Times in
/// nanoseconds. The window is the wall time between the first and the last kernel after warm-up, which is the first
/// partition's compute where there are several.
struct DeviceSummary {
  std::string device;
  uint64_t partitions = 0;      ///< that left compute
  uint64_t window_ns = 0;       ///< 0: no kernel was seen
  uint64_t kernel_ns = 0;       ///< of the window: some kernel ran (the union of their intervals)
  uint64_t lock_held_ns = 0;    ///< of the window: some ticket was in stage or compute
  uint64_t overlapped_ns = 0;   ///< of the window: bytes were uploaded while a kernel ran
  uint64_t held_ns = 0;         ///< some ticket was in stage or compute, in all
  uint64_t lock_wait_ns = 0;    ///< all tickets' waits for stage and compute, added up
  uint64_t uploaded_bytes = 0;  ///< host to device
  uint64_t upload_ns = 0;       ///< some upload ran
  bool from_steps = false;  ///< the device reports no kernels and copies of its own: core's steps stand for them, so
                            ///< that an upload inside a step counts as kernel time

  double kernel_busy() const { return share(kernel_ns); }
  double lock_held() const { return share(lock_held_ns); }
  /// Device time a partition: of one worker, what it holds its leases for.
  uint64_t held_ns_per_partition() const { return partitions == 0 ? 0 : held_ns / partitions; }
  uint64_t bytes_per_partition() const { return partitions == 0 ? 0 : uploaded_bytes / partitions; }
  double bytes_per_second() const {
    return upload_ns == 0 ? 0 : 1e9 * static_cast<double>(uploaded_bytes) / static_cast<double>(upload_ns);
  }

 private:
  double share(uint64_t ns) const {
    return window_ns == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(window_ns);
  }
};

/// One for each device of the events, by name.
std::vector<DeviceSummary> summarise(std::span<const Event> events);

/// The smallest of the durations that is no less than `share` of them (nearest rank); 0 for none. share in (0, 1].
uint64_t percentile(std::vector<uint64_t> durations, double share);

}  // namespace cuzk
