#pragma once
/// How a query is cut: window width, piece and segment sizes, and the memory that follows from them.

#include "digits.hpp"
#include "fold.hpp"
#include "reduce.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace cuzk::cpu {

constexpr uint64_t kMaxPiece = uint64_t{1} << 18;  ///< points sorted at once

/// Of one query of group G.
template <class G>
struct QueryShape {
  using Digits = Recoding<typename G::Scalar>;

  static constexpr uint64_t kMinPiece = 256;
  static constexpr uint64_t kMinSegment = 64;
  static constexpr uint64_t kMaxRange = uint64_t{1} << 12;

  unsigned width;    ///< bits of a digit
  uint64_t piece;    ///< most points sorted at once
  uint64_t segment;  ///< most entries folded at once
  uint64_t lanes;    ///< threads that fold

  unsigned windows() const { return Digits::windows(width); }
  uint64_t window_buckets() const { return Digits::buckets(width); }
  uint64_t buckets() const { return windows() * window_buckets(); }
  /// The reduction sums up ranges of so many neighbouring buckets.
  uint64_t range() const { return std::min(window_buckets(), kMaxRange); }
  uint64_t ranges() const { return buckets() / range(); }
  uint64_t digit_row() const { return (piece + 3) / 4 * 4; }
  /// Small pieces are cut finer, so that every lane has work.
  uint64_t segment_for(uint64_t entries) const {
    return std::clamp(entries / (4 * lanes) + 1, std::min(kMinSegment, segment), segment);
  }
  uint64_t max_segments() const { return std::max(windows() * piece / segment, 4 * lanes) + 1; }

  static uint64_t segment_of(uint64_t count) { return std::clamp(count, kMinSegment, kMaxSegment<G>); }

  /// The width with the fewest additions for so many bits of scalars: one for each digit that is not zero, two a
  /// bucket, and in the reduction of a window one inversion, worth about 17 additions, a bit.
  static unsigned best_width(double bits) {
    const auto cost = [bits](unsigned w) {
      const double window = 2.0 * static_cast<double>(Digits::buckets(w)) + 17.0 * w;
      return bits / w + Digits::windows(w) * window;
    };
    unsigned best = Digits::kMinWidth;
    for (unsigned w = best + 1; w <= Digits::kMaxWidth; ++w) {
      if (cost(w) < cost(best)) best = w;
    }
    return best;
  }
};

/// What a piece is sorted in; shared by the queries of a job, one after the other.
template <class G>
struct SortScratch {
  std::span<int16_t> digits;  ///< [window][digit_row]
  std::span<Entry> entries;   ///< of all windows
  std::span<uint32_t> ends;   ///< [window][bucket]
  std::span<Border<G>> borders;

  static SortScratch lay_out(Arena& arena, const QueryShape<G>& shape) {
    SortScratch s;
    s.digits = arena.take<int16_t>(shape.windows() * shape.digit_row());
    s.entries = arena.take<Entry>(shape.windows() * shape.piece);
    s.ends = arena.take<uint32_t>(shape.buckets());
    s.borders = arena.take<Border<G>>(shape.max_segments());
    return s;
  }
  static uint64_t bytes(const QueryShape<G>& shape) {
    Arena arena;
    lay_out(arena, shape);
    return arena.used();
  }
};

}  // namespace cuzk::cpu
