#pragma once
/// A transform as few passes over memory.

#include "index.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace cuzk::cuda::ntt {

inline constexpr uint32_t kMaxLog2Size = 28;
inline constexpr uint32_t kLog2Tile = 10;       ///< 32 KiB of shared memory
inline constexpr uint32_t kLog2MinColumns = 2;  ///< 128 bytes in a row
inline constexpr uint32_t kThreads = 128;       ///< eight values each of a full tile
inline constexpr uint32_t kBlocksPerSm = 5;     ///< at most 96 registers a thread

/// The passes from the top of the tree down. The last one works within 2^tile neighbours; the levels above are shared
/// out evenly. The way up is the reverse.
struct Schedule {
  static constexpr uint32_t kMost = 4;  ///< 18 upper levels at most 8 at a time, and the last

  std::array<Pass, kMost> passes{};
  uint32_t count = 0;

  explicit constexpr Schedule(uint32_t log2_size) {
    const uint32_t lower = std::min(log2_size, kLog2Tile);
    const uint32_t upper = log2_size - lower;
    const uint32_t most = kLog2Tile - kLog2MinColumns;
    const uint32_t uppers = (upper + most - 1) / most;
    for (uint32_t i = 0; i < uppers; ++i) {
      const uint32_t level = upper * i / uppers;
      const uint32_t levels = upper * (i + 1) / uppers - level;
      passes[count++] = {log2_size, level, levels, kLog2Tile - levels};
    }
    passes[count++] = {log2_size, upper, lower, 0};
  }
  constexpr const Pass& last() const { return passes[count - 1]; }
};

}  // namespace cuzk::cuda::ntt
