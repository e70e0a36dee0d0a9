#pragma once
/// From buckets to the sum of a window, and from windows to the result.

#include "fold.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace cuzk::cpu {

/// Sums over a range of 2^k buckets a[0], a[1], ...
template <class G>
struct RangeSum {
  arith::Xyzz<G> plain;     ///< sum of a[j]
  arith::Xyzz<G> weighted;  ///< sum of j a[j]
};

/// Sums up `buckets`, which it destroys: sums.size() ranges of the same power of two. In step l (stride s = 2^l) each
/// block of 2s buckets gets its halves added at offset 0, the sum of all, and at offsets 2^i < s. What then stands at
/// offset 2^i is the sum of the a[j] whose j has bit i: the upper half's total becomes that of the new bit. Two affine
/// additions a bucket, as many as running sums take, but independent of each other, so that they share inversions.
template <class G>
void reduce_ranges(const FoldScratch<G>& scratch, std::span<arith::Affine<G>> buckets, std::span<RangeSum<G>> sums) {
  const auto total = static_cast<uint32_t>(buckets.size());
  const auto range = static_cast<uint32_t>(total / sums.size());
  for (uint32_t stride = 1; stride < range; stride *= 2) {
    size_t pairs = 0;
    const auto add = [&](uint32_t at) {
      scratch.pairs[pairs++] = at;
      if (pairs < scratch.pairs.size()) return;
      add_pairs<G>(buckets, scratch.pairs, stride, scratch.slopes);
      pairs = 0;
    };
    for (uint32_t block = 0; block < total; block += 2 * stride) {
      add(block);
      for (uint32_t offset = 1; offset < stride; offset *= 2) add(block + offset);
    }
    add_pairs<G>(buckets, scratch.pairs.first(pairs), stride, scratch.slopes);
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto a = buckets.subspan(i * range, range);
    sums[i] = {arith::Xyzz<G>::from_affine(a[0]), arith::Xyzz<G>::infinity()};
    for (uint32_t bit = range / 2; bit > 0; bit /= 2) sums[i].weighted = sums[i].weighted.doubled() + a[bit];
  }
}

/// Sum of (j + 1) a[j] over a window whose ranges, each of 2^log2_range buckets, were reduced.
template <class G>
arith::Xyzz<G> window_sum(std::span<const RangeSum<G>> ranges, unsigned log2_range) {
  using Point = arith::Xyzz<G>;
  Point sum = Point::infinity(), running = Point::infinity(), weighted = Point::infinity();
  for (size_t i = ranges.size(); i-- > 0;) {
    weighted += running;  // gives range i the weight i
    running += ranges[i].plain;
    sum += ranges[i].weighted;
  }
  for (unsigned i = 0; i < log2_range; ++i) weighted = weighted.doubled();
  return sum + weighted + running;
}

/// Sum of 2^(width w) sums[w]: Horner's rule from the top window down.
template <class G>
arith::Xyzz<G> join_windows(std::span<const arith::Xyzz<G>> sums, unsigned width) {
  auto total = arith::Xyzz<G>::infinity();
  for (size_t w = sums.size(); w-- > 0;) {
    for (unsigned i = 0; i < width; ++i) total = total.doubled();
    total += sums[w];
  }
  return total;
}

}  // namespace cuzk::cpu
