#pragma once
/// Transforms as few passes over memory.

#include "tables.hpp"
#include "tile.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace cuzk::cpu {

/// How the levels of a transform are shared out: the lowest `tile` levels act within 2^tile neighbours; those above in
/// passes of at most `tile` - kLog2MinColumns levels, through tiles of equally many values.
struct NttPlan {
  static constexpr unsigned kLog2MinTile = 10;
  static constexpr unsigned kLog2MaxTile = 13;  ///< 256 KiB, half of an L2 cache
  static constexpr unsigned kLog2MinColumns = 4;
  static constexpr unsigned kLog2MinTasks = 6;  ///< so many tiles, if they don't get too small for that

  unsigned log2_size, tile;

  explicit NttPlan(unsigned log2_n)
      : log2_size(log2_n),
        tile(std::min(log2_n, std::clamp(log2_n - std::min(log2_n, kLog2MinTasks), kLog2MinTile, kLog2MaxTile))) {}

  unsigned upper_levels() const { return log2_size - tile; }
  unsigned upper_passes() const {
    if (upper_levels() == 0) return 0;
    const unsigned most = tile - kLog2MinColumns;
    return (upper_levels() + most - 1) / most;
  }
  uint64_t tiles() const { return uint64_t{1} << (log2_size - tile); }
  uint64_t tile_size() const { return uint64_t{1} << tile; }
};

/// One thread's scratch: one tile.
template <class Fr>
using TileBuffers = std::span<Fr* const>;

/// Runs levels(tile, log2_rows, columns, block) over levels [level, level + count) of the tree. Tiles are copied out
/// and back: in place their rows would compete for the same cache sets.
template <class Fr, class Levels>
void upper_pass(const Parallel& parallel, TileBuffers<Fr> buffers, const NttPlan& plan, Fr* values, unsigned level,
                unsigned count, Levels&& levels) {
  const size_t rows = size_t{1} << count;
  const size_t columns = plan.tile_size() / rows;
  const size_t row_stride = size_t{1} << (plan.log2_size - level - count);
  const size_t tiles_a_block = row_stride / columns;
  for_lanes(parallel, buffers.size(), plan.tiles(), [&](uint64_t lane, uint64_t i) {
    const size_t block = i / tiles_a_block;
    Fr* const at = values + block * rows * row_stride + i % tiles_a_block * columns;
    Fr* const tile = buffers[lane];
    for (size_t r = 0; r < rows; ++r) std::copy_n(at + r * row_stride, columns, tile + r * columns);
    levels(tile, count, columns, block);
    for (size_t r = 0; r < rows; ++r) std::copy_n(tile + r * columns, columns, at + r * row_stride);
  });
}

/// Levels of upper pass i of `passes`, from the top of the tree down, as even as possible.
inline unsigned first_level(const NttPlan& plan, unsigned i) { return plan.upper_levels() * i / plan.upper_passes(); }

/// The inverse transform's levels above the tiles; values in natural order.
template <class Fr>
void inverse_upper(const Parallel& parallel, TileBuffers<Fr> buffers, const NttPlan& plan, std::span<const Fr> roots,
                   Fr* values) {
  for (unsigned i = 0; i < plan.upper_passes(); ++i) {
    const unsigned level = first_level(plan, i);
    upper_pass(parallel, buffers, plan, values, level, first_level(plan, i + 1) - level,
               [&](Fr* tile, unsigned log2_rows, size_t columns, size_t block) {
                 inverse_levels(tile, log2_rows, columns, block, roots);
               });
  }
}

/// The forward transform's levels above the tiles; leaves natural order.
template <class Fr>
void forward_upper(const Parallel& parallel, TileBuffers<Fr> buffers, const NttPlan& plan, std::span<const Fr> roots,
                   Fr* values) {
  for (unsigned i = plan.upper_passes(); i-- > 0;) {
    const unsigned level = first_level(plan, i);
    upper_pass(parallel, buffers, plan, values, level, first_level(plan, i + 1) - level,
               [&](Fr* tile, unsigned log2_rows, size_t columns, size_t block) {
                 forward_levels(tile, log2_rows, columns, block, roots);
               });
  }
}

/// work(tile, block, first) on each run of 2^tile neighbours: the lowest levels, in place.
template <class Fr, class Work>
void lower_pass(const Parallel& parallel, const NttPlan& plan, Fr* values, Work&& work) {
  parallel(plan.tiles(), [&](uint64_t i) { work(values + i * plan.tile_size(), i, i * plan.tile_size()); });
}

}  // namespace cuzk::cpu
