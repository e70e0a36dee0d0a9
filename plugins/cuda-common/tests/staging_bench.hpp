#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cuzk::cuda {

/// How fast one path moves, each way.
struct Speed {
  std::string path;  ///< "cudaMemcpyAsync" of page-locked memory, which the others are held against; "pinned", ...
  unsigned threads;  ///< of the engine
  double up, down;   ///< GB/s
};

/// Moves `bytes` by each path, the ring with several numbers of threads; medians.
std::vector<Speed> measure_staging(uint64_t bytes);

}  // namespace cuzk::cuda
