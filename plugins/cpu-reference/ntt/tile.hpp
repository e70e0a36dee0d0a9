#pragma once
/// The butterflies, on a tile that fits the cache.

#include <bit>
#include <cstddef>
#include <span>

namespace cuzk::cpu {

/// The transform is the tree of x^m - w^2 = (x^(m/2) - w)(x^(m/2) + w) with x^n - 1 at its root: block b of level l
/// (2^l blocks of n / 2^l values) has one factor w = root^rev(b). Down the tree, (u, v) -> (u + wv, u - wv) takes
/// coefficients in natural order to values in bit-reversed order; the transposed steps, (u, v) -> (u + v, w(u - v)), up
/// the tree, take coefficients in bit-reversed order to values in natural order. The two meet in the middle of the
/// quotient without a permutation. J. von zur Gathen, J. Gerhard, "Modern computer algebra", section 8.2; D. J.
/// Bernstein, "Multidigit multiplication for mathematicians" (2001), section 3. Factors of block 0 are 1: n - 1
/// multiplications less.
///
/// A tile holds levels [l, l + log2_rows) of the tree for one block `block` of level l and `columns` neighbouring
/// values of each of 2^log2_rows rows, row after row.

/// Down, with the inverse roots: factor b is -roots[3 * 2^k - 1 - b] for 2^k <= b < 2^(k+1).
template <class Fr>
void inverse_levels(Fr* tile, unsigned log2_rows, size_t columns, size_t block, std::span<const Fr> roots) {
  for (unsigned level = 0; level < log2_rows; ++level) {
    const size_t half = columns << (log2_rows - 1 - level);
    for (size_t i = 0; i < size_t{1} << level; ++i) {
      const size_t b = (block << level) + i;
      Fr* const low = tile + 2 * half * i;
      Fr* const high = low + half;
      if (b == 0) {
        for (size_t j = 0; j < half; ++j) {
          const Fr u = low[j], v = high[j];
          low[j] = u + v;
          high[j] = u - v;
        }
      } else {
        const Fr w = roots[3 * std::bit_floor(b) - 1 - b];
        for (size_t j = 0; j < half; ++j) {
          const Fr u = low[j], v = w * high[j];
          low[j] = u - v;
          high[j] = u + v;
        }
      }
    }
  }
}

/// Up: factor b is roots[b].
template <class Fr>
void forward_levels(Fr* tile, unsigned log2_rows, size_t columns, size_t block, std::span<const Fr> roots) {
  for (unsigned level = log2_rows; level-- > 0;) {
    const size_t half = columns << (log2_rows - 1 - level);
    for (size_t i = 0; i < size_t{1} << level; ++i) {
      const size_t b = (block << level) + i;
      Fr* const low = tile + 2 * half * i;
      Fr* const high = low + half;
      if (b == 0) {
        for (size_t j = 0; j < half; ++j) {
          const Fr u = low[j], v = high[j];
          low[j] = u + v;
          high[j] = u - v;
        }
      } else {
        const Fr w = roots[b];
        for (size_t j = 0; j < half; ++j) {
          const Fr u = low[j], v = high[j];
          low[j] = u + v;
          high[j] = w * (u - v);
        }
      }
    }
  }
}

}  // namespace cuzk::cpu
