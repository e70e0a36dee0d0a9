#pragma once
/// One query of a job: Pippenger's buckets, kept between chunks.

#include "../lanes.hpp"
#include "selection.hpp"
#include "shape.hpp"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace cuzk::cpu {

/// The job's scalar vector, any alignment.
struct ScalarSource {
  const std::byte* data;
  bool montgomery;

  template <class Fr>
  CenteredScalar<Fr> get(uint64_t index) const {
    typename Fr::Limbs limbs;
    std::memcpy(&limbs, data + index * sizeof(limbs), sizeof(limbs));
    return CenteredScalar<Fr>::from(montgomery ? Fr::from_raw(limbs).to_canonical() : limbs);
  }
};

/// Sum of scalar times point over a query. N. Pippenger, "On the evaluation of powers and related problems" (1976),
/// with signed digits; the additions into buckets are affine and share inversions. Piece by piece the digits are sorted
/// by bucket, the sorted sequence is cut into segments of equal length, and each segment is folded by itself: work is
/// balanced however the scalars are distributed, and scalars of 0 and +-1 cost nothing and one addition.
template <class G>
class Accumulator {
 public:
  using Point = arith::Affine<G>;
  using Fr = typename G::Scalar;
  using Shape = QueryShape<G>;

  /// `buckets`: shape.buckets() of them, for the accumulator's life. `scalars` and `selection` start at the query's
  /// first scalar.
  Accumulator(const Parallel& parallel, const Shape& shape, ScalarSource scalars, Selection selection,
              std::span<Point> buckets)
      : shape_(shape), recoding_(shape.width), scalars_(scalars), selection_(selection), buckets_(buckets) {
    sums_.resize(shape.ranges());
    for_ranges(parallel, buckets_.size(), kClearGrain, [&](uint64_t begin, uint64_t end) {
      std::fill(buckets_.begin() + static_cast<ptrdiff_t>(begin), buckets_.begin() + static_cast<ptrdiff_t>(end),
                Point::infinity());
    });
  }

  /// The next `count` bases. keep_going() is asked between pieces. @return false where it said no
  template <class KeepGoing>
  bool feed(const Parallel& parallel, const SortScratch<G>& sort, std::span<const FoldScratch<G>> folds,
            const void* bases, uint64_t count, KeepGoing&& keep_going) {
    for (uint64_t at = 0; at < count; at += shape_.piece) {
      if (!keep_going()) return false;
      feed_piece(parallel, sort, folds, static_cast<const std::byte*>(bases) + at * sizeof(Point),
                 std::min(shape_.piece, count - at));
    }
    return true;
  }

  /// Sums up the buckets, which are dead afterwards.
  void reduce(const Parallel& parallel, std::span<const FoldScratch<G>> folds) {
    const uint64_t range = shape_.range();
    const uint64_t group = std::max<uint64_t>(1, Shape::kMaxRange / range);  // ranges that share inversions
    const std::span<RangeSum<G>> sums(sums_);
    for_lanes(parallel, folds.size(), (sums.size() + group - 1) / group, [&](uint64_t lane, uint64_t i) {
      const uint64_t first = i * group, ranges = std::min(group, sums.size() - first);
      reduce_ranges(folds[lane], buckets_.subspan(first * range, ranges * range), sums.subspan(first, ranges));
    });
  }

  /// After reduce().
  Point result() const {
    const uint64_t range = shape_.range(), ranges = shape_.window_buckets() / range;
    std::vector<arith::Xyzz<G>> windows(shape_.windows());
    for (size_t w = 0; w < windows.size(); ++w) {
      windows[w] =
          window_sum<G>(std::span(sums_).subspan(w * ranges, ranges), static_cast<unsigned>(std::countr_zero(range)));
    }
    return join_windows<G>(windows, shape_.width).to_affine();
  }

 private:
  static constexpr uint64_t kClearGrain = uint64_t{1} << 14;
  static constexpr uint64_t kRecodeBlock = uint64_t{1} << 10;

  void feed_piece(const Parallel& parallel, const SortScratch<G>& sort, std::span<const FoldScratch<G>> folds,
                  const std::byte* bases, uint64_t count) {
    recode(parallel, sort, count);
    const uint32_t entries = sort_entries(parallel, sort, folds.size(), count);
    if (entries == 0) return;
    const uint64_t segment = shape_.segment_for(entries), segments = (entries + segment - 1) / segment;
    const PointSource<G> source(bases);
    for_lanes(parallel, folds.size(), segments, [&](uint64_t lane, uint64_t i) {
      const auto begin = static_cast<uint32_t>(i * segment);
      const auto end = static_cast<uint32_t>(std::min<uint64_t>(entries, begin + segment));
      fold_segment<G>(folds[lane], source, sort.entries, sort.ends, begin, end, buckets_, sort.borders[i]);
    });
    fold_borders<G>(folds[0], sort.borders.first(segments), buckets_);
  }

  /// Digits of the piece's scalars, window by window.
  void recode(const Parallel& parallel, const SortScratch<G>& sort, uint64_t count) {
    const uint64_t row = shape_.digit_row();
    std::array<uint64_t, kMaxPiece / kRecodeBlock + 1> starts;
    for (uint64_t i = 0; i * kRecodeBlock < count; ++i) {
      starts[i] = position_;
      position_ = selection_.skip(position_, std::min(kRecodeBlock, count - i * kRecodeBlock));
    }
    for_ranges(parallel, count, kRecodeBlock, [&](uint64_t begin, uint64_t end) {
      for (unsigned w = 0; w < shape_.windows(); ++w) {
        std::memset(&sort.digits[w * row + begin], 0, ((end - begin + 3) / 4 * 4) * sizeof(int16_t));
      }
      uint64_t position = starts[begin / kRecodeBlock];
      for (uint64_t i = begin; i < end; ++i, ++position) {
        position = selection_.next(position);
        recoding_(scalars_.get<Fr>(position), &sort.digits[i], row);
      }
    });
  }

  /// @return the number of entries
  uint32_t sort_entries(const Parallel& parallel, const SortScratch<G>& sort, uint64_t lanes, uint64_t count) {
    const uint64_t window_buckets = shape_.window_buckets();
    std::array<uint32_t, Recoding<Fr>::windows(Recoding<Fr>::kMinWidth) + 1> begins{};
    const auto digits = [&](uint64_t w) {
      return std::span<const int16_t>(sort.digits).subspan(w * shape_.digit_row(), count);
    };
    const auto ends = [&](uint64_t w) { return sort.ends.subspan(w * window_buckets, window_buckets); };
    for_lanes(parallel, lanes, shape_.windows(),
              [&](uint64_t, uint64_t w) { begins[w + 1] = count_digits(digits(w), ends(w)); });
    for (unsigned w = 0; w < shape_.windows(); ++w) begins[w + 1] += begins[w];
    for_lanes(parallel, lanes, shape_.windows(),
              [&](uint64_t, uint64_t w) { place_entries(digits(w), begins[w], ends(w), sort.entries); });
    return begins[shape_.windows()];
  }

  Shape shape_;
  Recoding<Fr> recoding_;
  ScalarSource scalars_;
  Selection selection_;
  uint64_t position_ = 0;  ///< in the selection: right behind the last base's scalar
  std::span<Point> buckets_;
  std::vector<RangeSum<G>> sums_;
};

}  // namespace cuzk::cpu
