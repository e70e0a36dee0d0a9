#pragma once

namespace cuzk::cuda {

/// A range of this thread in the NVTX domain "cuzk", from construction to destruction, which profilers show. Without a
/// profiler it costs a comparison. name: lives as long as the process.
class Range {
 public:
  explicit Range(const char* name) noexcept;
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace cuzk::cuda
