#pragma once
/// Bucket accumulation: sums of runs of points by trees of batch-affine additions.

#include "../arena.hpp"
#include "sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <cuzk/arith/batch_affine.hpp>
#include <cuzk/arith/xyzz.hpp>

namespace cuzk::cpu {

/// Entries that one call of fold_segment() takes at most: the points and their scratch stay in a 512 KiB L2 cache.
template <class G>
constexpr uint64_t kMaxSegment = (uint64_t{256} << 10) / sizeof(arith::Affine<G>);

/// Neighbours in `points` that belong to the same bucket.
struct Run {
  uint32_t begin, end, bucket;
  bool whole;  ///< all of the bucket's points of this piece, none in a neighbouring segment
};

/// What one thread folds in. A segment of n entries needs 2n points: each bucket's old value may come on top.
template <class G>
struct FoldScratch {
  using Base = typename G::Base;

  std::span<arith::Affine<G>> points;
  std::span<Base> slopes;
  std::span<uint32_t> pairs;
  std::span<Run> runs;

  static FoldScratch lay_out(Arena& arena, uint64_t segment) {
    FoldScratch s;
    s.points = arena.take<arith::Affine<G>>(2 * segment);
    s.slopes = arena.take<Base>(segment);
    s.pairs = arena.take<uint32_t>(segment);
    s.runs = arena.take<Run>(segment);
    return s;
  }
};

/// Sums of buckets that a segment shares with its neighbours: at most its first and its last.
template <class G>
struct Border {
  arith::Affine<G> sum[2];
  uint32_t bucket[2];
  uint32_t count;
};

/// points[p] += points[p + stride] for every p of `pairs`, which are independent of each other and are lost.
template <class G>
void add_pairs(std::span<arith::Affine<G>> points, std::span<uint32_t> pairs, uint32_t stride,
               std::span<typename G::Base> slopes) {
  arith::batch_add<G>(
      pairs, [points](uint32_t p) -> arith::Affine<G>& { return points[p]; },
      [points, stride](uint32_t p) -> const arith::Affine<G>& { return points[p + stride]; }, slopes);
}

/// Leaves the sum of each run at its begin. One inversion for each level of the highest tree.
template <class G>
void fold_runs(const FoldScratch<G>& scratch, std::span<const Run> runs) {
  for (uint32_t stride = 1;; stride *= 2) {
    size_t pairs = 0;
    for (const Run& run : runs) {
      for (uint32_t p = run.begin; p + stride < run.end; p += 2 * stride) scratch.pairs[pairs++] = p;
    }
    if (pairs == 0) return;
    add_pairs<G>(scratch.points, scratch.pairs.first(pairs), stride, scratch.slopes);
  }
}

/// The points of one piece, where the caller has them: any alignment.
template <class G>
class PointSource {
 public:
  explicit PointSource(const void* data) : data_(static_cast<const std::byte*>(data)) {}

  void prefetch(uint32_t index) const {
    const std::byte* at = data_ + index * sizeof(arith::Affine<G>);
    for (size_t line = 0; line < sizeof(arith::Affine<G>); line += 64) __builtin_prefetch(at + line);
    __builtin_prefetch(at + sizeof(arith::Affine<G>) - 1);
  }
  arith::Affine<G> operator[](uint32_t index) const {
    arith::Affine<G> point;
    std::memcpy(&point, data_ + index * sizeof(point), sizeof(point));
    return point;
  }

 private:
  const std::byte* data_;
};

/// Adds the sorted entries [begin, end) of a piece to their buckets; sums of buckets that reach beyond go to `border`.
/// ends[b]: end of bucket b's entries. Points at infinity are left out.
template <class G>
void fold_segment(const FoldScratch<G>& scratch, const PointSource<G>& source, std::span<const Entry> entries,
                  std::span<const uint32_t> ends, uint32_t begin, uint32_t end, std::span<arith::Affine<G>> buckets,
                  Border<G>& border) {
  constexpr uint32_t kAhead = 16;  // gathers in flight
  uint32_t points = 0;
  size_t runs = 0;
  auto bucket = static_cast<uint32_t>(std::upper_bound(ends.begin(), ends.end(), begin) - ends.begin());
  for (uint32_t e = begin; e < end; ++bucket) {
    if (ends[bucket] <= e) continue;
    const uint32_t bucket_begin = bucket == 0 ? 0 : ends[bucket - 1];
    Run run{points, 0, bucket, bucket_begin >= begin && ends[bucket] <= end};
    if (run.whole && !buckets[bucket].is_infinity()) scratch.points[points++] = buckets[bucket];
    for (const uint32_t stop = std::min(ends[bucket], end); e < stop; ++e) {
      source.prefetch(entries[std::min(e + kAhead, end - 1)].index());
      const arith::Affine<G> point = source[entries[e].index()];
      if (point.is_infinity()) continue;
      scratch.points[points++] = entries[e].negative() ? -point : point;
    }
    run.end = points;
    if (run.begin < run.end) scratch.runs[runs++] = run;
  }
  fold_runs(scratch, scratch.runs.first(runs));
  border.count = 0;
  for (const Run& run : scratch.runs.first(runs)) {
    if (run.whole) {
      buckets[run.bucket] = scratch.points[run.begin];
    } else {
      border.bucket[border.count] = run.bucket;
      border.sum[border.count++] = scratch.points[run.begin];
    }
  }
}

/// Adds what the segments left in their borders to the buckets.
template <class G>
void fold_borders(const FoldScratch<G>& scratch, std::span<const Border<G>> borders,
                  std::span<arith::Affine<G>> buckets) {
  uint32_t points = 0;
  size_t runs = 0;
  const auto flush = [&] {
    fold_runs(scratch, scratch.runs.first(runs));
    for (const Run& run : scratch.runs.first(runs)) buckets[run.bucket] = scratch.points[run.begin];
    points = 0;
    runs = 0;
  };
  for (const Border<G>& border : borders) {
    for (uint32_t i = 0; i < border.count; ++i) {
      const uint32_t bucket = border.bucket[i];
      if (points + 2 > scratch.points.size()) flush();
      if (runs == 0 || scratch.runs[runs - 1].bucket != bucket) {
        scratch.runs[runs++] = {points, points, bucket, true};
        scratch.points[points++] = buckets[bucket];
      }
      scratch.points[points++] = border.sum[i];
      scratch.runs[runs - 1].end = points;
    }
  }
  flush();
}

}  // namespace cuzk::cpu
