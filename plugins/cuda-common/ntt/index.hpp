#pragma once
/// Where a pass finds its values and factors: index arithmetic for device code and its tests, no data.
///
/// A transform is the tree of x^m - w^2 = (x^(m/2) - w)(x^(m/2) + w) with x^n - 1 at its root: block b of level l (2^l
/// blocks of n / 2^l values) has one factor w = omega^rev(b), rev over log2(n) - 1 bits. Down the tree, (u, v) -> (u +
/// wv, u - wv) takes coefficients in natural order to values in bit-reversed order; the transposed steps, (u, v) -> (u
/// + v, w(u - v)), up the tree, take coefficients in bit-reversed order to values in natural order. J. von zur Gathen,
/// J. Gerhard, "Modern computer algebra", section 8.2; D. J. Bernstein, "Multidigit multiplication for mathematicians"
/// (2001), section 3. Sizes are at most 2^28: 32-bit indices.

#include <cstdint>

#if defined(__CUDACC__)
#define CUZK_HOST_DEVICE __host__ __device__
#else
#define CUZK_HOST_DEVICE
#endif

namespace cuzk::cuda::ntt {

/// The low `bits` bits of i, mirrored; bits <= 32.
CUZK_HOST_DEVICE constexpr uint32_t reverse_bits(uint32_t i, uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return bits == 0 ? 0 : __brev(i) >> (32 - bits);
#else
  uint32_t r = 0;
  for (uint32_t k = 0; k < bits; ++k) r |= ((i >> k) & 1U) << (bits - 1 - k);
  return r;
#endif
}

/// The inverse of factor b is -(factor mirror(b)), b >= 1: all bits below the highest flipped.
CUZK_HOST_DEVICE constexpr uint32_t mirror(uint32_t b) {
#if defined(__CUDA_ARCH__)
  return b ^ (0x7fffffffU >> __clz(static_cast<int>(b)));
#else
  return b ^ (0x7fffffffU >> __builtin_clz(b));
#endif
}

/// Two or four places of a tile and the block, within the tile, that they belong to: first, first + step, ...
struct Places {
  uint32_t first, step, block;
};

/// Levels [level, level + levels) of the tree, done tile by tile. A tile holds, of one block of `level`, 2^columns
/// neighbours of each of 2^levels rows, row after row.
struct Pass {
  uint32_t log2_size, level, levels, columns;

  CUZK_HOST_DEVICE constexpr uint32_t log2_stride() const { return log2_size - level - levels; }
  CUZK_HOST_DEVICE constexpr uint32_t log2_tile() const { return levels + columns; }
  CUZK_HOST_DEVICE constexpr uint32_t tiles() const { return 1U << (log2_size - log2_tile()); }
  /// The block of `level` that a tile is part of.
  CUZK_HOST_DEVICE constexpr uint32_t block(uint32_t tile) const { return tile >> (log2_stride() - columns); }
  /// Where a tile's place i stands in the vector.
  CUZK_HOST_DEVICE constexpr uint32_t position(uint32_t tile, uint32_t i) const {
    const uint32_t tiles_a_row = 1U << (log2_stride() - columns);
    const uint32_t row = i >> columns;
    const uint32_t column = ((tile & (tiles_a_row - 1)) << columns) + (i & ((1U << columns) - 1));
    return (block(tile) << (log2_size - level)) + (row << log2_stride()) + column;
  }

  /// Butterfly g < 2^(log2_tile - 1) of the pass's level l.
  CUZK_HOST_DEVICE constexpr Places pair(uint32_t l, uint32_t g) const {
    const uint32_t log2_half = log2_tile() - 1 - l;
    const uint32_t block = g >> log2_half;
    return {(block << (log2_half + 1)) + (g & ((1U << log2_half) - 1)), 1U << log2_half, block};
  }
  /// Group g < 2^(log2_tile - 2) of four butterflies: two of level l, in `block`, and one each of the blocks 2 block
  /// and 2 block + 1 of level l + 1.
  CUZK_HOST_DEVICE constexpr Places quad(uint32_t l, uint32_t g) const {
    const uint32_t log2_quarter = log2_tile() - 2 - l;
    const uint32_t block = g >> log2_quarter;
    return {(block << (log2_quarter + 2)) + (g & ((1U << log2_quarter) - 1)), 1U << log2_quarter, block};
  }
};

/// Where a tile's place i stands in shared memory, in units of 16 bytes: a linear map over GF(2) under which every 8
/// lanes that a round's accesses are served for meet 8 different bank groups, whatever the step between their places.
CUZK_HOST_DEVICE constexpr uint32_t swizzle(uint32_t i) { return i ^ (((i >> 3) & 1U) * 7U) ^ (((i >> 4) & 1U) * 5U); }

}  // namespace cuzk::cuda::ntt
