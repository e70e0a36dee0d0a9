#pragma once
/// The bit-reversal permutation.

#include "../lanes.hpp"
#include "passes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cuzk::cpu {

/// The low `bits` bits of i, mirrored.
inline size_t reverse_bits(size_t i, unsigned bits) {
  size_t r = 0;
  for (unsigned k = 0; k < bits; ++k) r |= ((i >> k) & 1) << (bits - 1 - k);
  return r;
}

/// In place, scale(value) applied to each value on the way. Index = (high, middle, low) with high and low of kBlock
/// bits: square blocks of neighbours go through a buffer, so that memory is touched in whole lines. L. Carter, K. S.
/// Gatlin, "Towards an optimal bit-reversal permutation program" (1998).
template <class Fr, class Scale>
void bit_reverse(const Parallel& parallel, TileBuffers<Fr> buffers, unsigned log2_size, Fr* values, Scale&& scale) {
  constexpr unsigned kBlock = 4;
  if (log2_size < 2 * kBlock) {
    const size_t n = size_t{1} << log2_size;
    for (size_t i = 0; i < n; ++i) {
      const size_t j = reverse_bits(i, log2_size);
      if (j < i) continue;
      const Fr u = values[i];
      values[i] = scale(values[j]);
      values[j] = scale(u);
    }
    return;
  }
  constexpr size_t kSide = size_t{1} << kBlock;
  const unsigned middle_bits = log2_size - 2 * kBlock;
  const size_t row_stride = size_t{1} << (log2_size - kBlock);
  const auto read = [&](const Fr* from, Fr* block) {
    for (size_t high = 0; high < kSide; ++high) {
      for (size_t low = 0; low < kSide; ++low) {
        block[reverse_bits(low, kBlock) * kSide + reverse_bits(high, kBlock)] = scale(from[high * row_stride + low]);
      }
    }
  };
  const auto write = [&](const Fr* block, Fr* to) {
    for (size_t high = 0; high < kSide; ++high) std::copy_n(block + high * kSide, kSide, to + high * row_stride);
  };
  constexpr uint64_t kGrain = 16;
  const uint64_t middles = uint64_t{1} << middle_bits;
  for_lanes(parallel, buffers.size(), (middles + kGrain - 1) / kGrain, [&](uint64_t lane, uint64_t task) {
    Fr* const one = buffers[lane];
    Fr* const other = one + kSide * kSide;
    for (uint64_t middle = task * kGrain; middle < std::min(middles, (task + 1) * kGrain); ++middle) {
      const size_t mirrored = reverse_bits(middle, middle_bits);
      if (mirrored < middle) continue;
      read(values + middle * kSide, one);
      if (mirrored != middle) {
        read(values + mirrored * kSide, other);
        write(other, values + middle * kSide);
      }
      write(one, values + mirrored * kSide);
    }
  });
}

}  // namespace cuzk::cpu
