#pragma once
/// Which scalar meets a base, where a mask selects some of them.

#include "lanes.hpp"

#include <cstdint>

namespace cuzk::cuda {

constexpr unsigned kBlockWords = 8;  ///< words of a mask to one entry of its ranks

/// Scalars of a range whose bit is set in a mask (u64 words, LSB first; bits behind the range mean nothing).
struct Selection {
  const uint64_t* mask;   ///< null: all
  const uint32_t* ranks;  ///< ones before each block of kBlockWords words; [blocks()] is the sum
  uint64_t span;

  static constexpr uint64_t words(uint64_t span) { return (span + 63) / 64; }
  static constexpr uint64_t blocks(uint64_t span) { return (words(span) + kBlockWords - 1) / kBlockWords; }

  CUZK_DEVICE uint64_t word(uint64_t at) const {
    const uint64_t left = span - at * 64;
    return left < 64 ? mask[at] & ((uint64_t{1} << left) - 1) : mask[at];
  }

  /// Ones of one block.
  CUZK_DEVICE uint32_t count(uint64_t block) const {
    uint32_t ones = 0;
    for (uint64_t w = block * kBlockWords; w < (block + 1) * kBlockWords && w * 64 < span; ++w) {
      ones += count_ones(word(w));
    }
    return ones;
  }

  CUZK_DEVICE uint64_t last_rank() const { return ((span + 63) / 64 + kBlockWords - 1) / kBlockWords; }

  /// How many are selected of `all` scalars.
  CUZK_DEVICE uint64_t selected_of(uint64_t all) const { return mask == nullptr ? all : ranks[last_rank()]; }

  /// Position of the n-th selected scalar in the range, from 0; there must be one. By bisection of the ranks.
  CUZK_DEVICE uint64_t position(uint64_t n) const {
    if (mask == nullptr) return n;
    uint64_t low = 0, high = last_rank();  // ranks[low] <= n < ranks[high]
    while (high - low > 1) {
      const uint64_t middle = (low + high) / 2;
      if (ranks[middle] <= n) {
        low = middle;
      } else {
        high = middle;
      }
    }
    auto left = static_cast<uint32_t>(n - ranks[low]);
    uint64_t at = low * kBlockWords;
    uint64_t bits = word(at);
    for (uint32_t ones = count_ones(bits); ones <= left; ones = count_ones(bits)) {
      left -= ones;
      bits = word(++at);
    }
    for (; left > 0; --left) bits &= bits - 1;
    return at * 64 + count_ones((bits & (~bits + 1)) - 1);
  }
};

}  // namespace cuzk::cuda
