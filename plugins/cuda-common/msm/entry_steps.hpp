#pragma once
/// From scalars to entries: what one warp does with one block of a query's bases.
///
/// Bases are counted, and entries written, in blocks of a fixed size. The scalars of a block bound its entries; prefix
/// sums of these bounds give each block a range of slots, which it fills: from the front with its entries, in the order
/// of its bases by groups of lanes, behind them with entries that have no bucket.

#include "digits.hpp"
#include "lanes.hpp"
#include "lengths.hpp"

#include <cstdint>

namespace cuzk::cuda {

/// Some bases of a query whose entries are sorted at once, and the blocks that these lie in: all of each but the first
/// and the last.
struct Piece {
  uint64_t first;  ///< base of the query
  uint32_t count;  ///< bases; at most 2^31
  uint32_t first_block, blocks;
  uint32_t entries;  ///< slots of all blocks

  bool operator==(const Piece&) const = default;
};

/// How many of scalars [begin, end) are of each class; scalar_of(i, limbs) reads one. counts: [kLengthClasses], of at
/// most 2^15 scalars. All lanes of a warp call it.
template <class ScalarOf>
CUZK_DEVICE void count_lengths(const Recoding& recoding, uint64_t begin, uint64_t end, const ScalarOf& scalar_of,
                               uint16_t* counts) {
  uint32_t found[kLengthClasses] = {};
  for (uint64_t base = begin; base < end; base += kLanes) {
    unsigned own = kLengthClasses;
    if (base + lane() < end) {
      uint64_t scalar[kScalarLimbs], magnitude[kScalarLimbs];
      scalar_of(base + lane(), scalar);
      take_magnitude(recoding, scalar, magnitude);
      own = length_class(magnitude);
    }
    CUZK_UNROLL
    for (unsigned c = 0; c < kLengthClasses; ++c) found[c] += count_ones(ballot(own == c));
  }
  CUZK_UNROLL
  for (unsigned c = 0; c < kLengthClasses; ++c) {
    if (c % kLanes == lane()) counts[c] = static_cast<uint16_t>(found[c]);
  }
}

/// The entries of the piece's bases in its block number `block`, into slots [at, end): keys below no_bucket are buckets
/// of the windows, values places of bases from the piece's first on, with kNegative; tables are `table_points` apart.
/// All lanes of a warp call it.
template <class ScalarOf>
CUZK_DEVICE void write_entries(const Recoding& recoding, WindowRange windows, const Piece& piece, uint32_t table_points,
                               unsigned log2_block, uint32_t block, const ScalarOf& scalar_of, uint32_t at,
                               uint32_t end, uint32_t* keys, uint32_t* values) {
  const uint64_t front = uint64_t{piece.first_block + block} << log2_block, back = front + (uint64_t{1} << log2_block);
  const uint64_t last = piece.first + piece.count, stop = back < last ? back : last;
  const uint32_t no_bucket = windows.count << (recoding.width - 1);
  for (uint64_t base = front > piece.first ? front : piece.first; base < stop; base += kLanes) {
    const uint64_t i = base + lane();
    Digits digits;
    if (i < stop) {
      uint64_t scalar[kScalarLimbs];
      scalar_of(i, scalar);
      digits = Digits::of(recoding, scalar);
    }
    for (unsigned w = 0; w < windows.count; ++w) {
      auto place = static_cast<uint32_t>(i - piece.first);
      const unsigned window = windows.first + w;
      for (unsigned table = 0; table * recoding.windows + window < recoding.digits; ++table, place += table_points) {
        const int32_t digit = i < stop ? digits.at(recoding, window, table) : 0;
        const uint32_t present = ballot(digit != 0);
        if (digit != 0) {
          const uint32_t slot = at + count_ones(present & ((uint32_t{1} << lane()) - 1));
          keys[slot] = key_of(recoding, w, digit);
          values[slot] = place | (digit < 0 ? kNegative : 0);
        }
        at += count_ones(present);
      }
    }
  }
  for (at += lane(); at < end; at += kLanes) {
    keys[at] = no_bucket;
    values[at] = 0;
  }
}

}  // namespace cuzk::cuda
