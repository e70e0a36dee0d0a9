#pragma once
/// From sorted entries to the sums of windows: what one thread does in each step.
///
/// Sorted entries are cut into runs of equal length, whatever bucket they belong to, so that threads have equal work
/// even where one bucket gets everything. A run leaves a partial sum for each bucket that it touches. Along the sorted
/// entries the run and the bucket never decrease and one of them grows between two partial sums, so that run + bucket
/// numbers these without gaps within a bucket and without collisions.

#include "../curve/points.cuh"
#include "digits.hpp"

#include <cstdint>

namespace cuzk::cuda {

/// A group of windows of one piece, sorted. Buckets are numbered through the windows.
struct SortedEntries {
  const uint32_t* keys;    ///< buckets, ascending; those without bucket come last
  const uint32_t* values;  ///< base within the piece, and kNegative
  uint32_t entries, buckets;
  uint32_t log2_run;  ///< entries of a run

  uint32_t runs() const { return ((entries - 1) >> log2_run) + 1; }
};

/// The first entry whose key is not below `bucket`; the number of entries if there is none.
CUZK_DEVICE uint32_t first_entry(const SortedEntries& sorted, uint32_t bucket) {
  uint32_t low = 0, high = sorted.entries;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (sorted.keys[middle] < bucket) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Adds up one run; there may be more runs than entries. point(value) answers the affine point of an entry, sign
/// applied, for add_affine(); store(slot, sum) keeps a partial sum.
///
/// All lanes of a warp call it together and meet before each addition: one that begins a bucket is through its step at
/// once, and without that would do all further additions on its own.
template <class F, class PointOf, class Store>
CUZK_DEVICE void accumulate_run(const SortedEntries& sorted, uint32_t run, const PointOf& point, const Store& store) {
  const uint32_t length = uint32_t{1} << sorted.log2_run, none = sorted.buckets;
  uint32_t i = run << sorted.log2_run;
  uint32_t bucket = i < sorted.entries ? sorted.keys[i] : none;
  auto sum = Xyzz<F>::infinity();
  for (uint32_t left = length; left-- > 0; ++i) {
    if (!any_lane(bucket < none)) return;
    if (bucket >= none) continue;
    sum.add_affine(point(sorted.values[i]));
    const uint32_t key = left == 0 || i + 1 == sorted.entries ? none : sorted.keys[i + 1];
    if (key == bucket) continue;
    store(run + bucket, sum);
    sum = Xyzz<F>::infinity();
    bucket = key;
  }
}

/// Where a bucket's partial sums stand.
struct Slots {
  uint32_t first, count;

  /// begin, end: the bucket's entries.
  CUZK_DEVICE static Slots of(uint32_t bucket, uint32_t begin, uint32_t end, uint32_t log2_run) {
    if (begin == end) return {0, 0};
    const uint32_t first = begin >> log2_run, last = (end - 1) >> log2_run;
    return {first + bucket, last - first + 1};
  }
};

/// Buckets with very many partial sums are made smaller first, by steps of threads that add up kFold neighbours each
/// and leave the sum in the first one's place. What is left then stands `stride` places apart. An addition that waits
/// for the one before takes 15 us in G1 and four times that in G2, so that folding by four, 3 additions for two levels
/// of halving, is quicker than by sixteen, 15 for four.
constexpr uint32_t kFold = 4, kFoldSteps = 6, kFoldFrom = 512;

/// What is left of `count` partial sums after `steps` steps.
struct Folded {
  uint32_t count, stride;

  CUZK_DEVICE static Folded of(uint32_t count, uint32_t steps) {
    Folded left{count, 1};
    for (uint32_t i = 0; i < steps && left.count >= kFoldFrom; ++i) {
      left.count = (left.count + kFold - 1) / kFold;
      left.stride *= kFold;
    }
    return left;
  }

  /// Sum of neighbours j kFold and the following; load(place) answers the partial sum that stands `place` places after
  /// the bucket's first.
  template <class F, class Load>
  CUZK_DEVICE Xyzz<F> neighbours(uint32_t j, const Load& load) const {
    uint32_t i = j * kFold;
    const uint32_t end = count - i < kFold ? count : i + kFold;
    Xyzz<F> sum = load(i * stride);
    while (++i < end) sum.add(load(i * stride));
    return sum;
  }
};

/// Sum of (j + 1) buckets[j] over all of a window, of which this is the share of buckets [range 2^k, (range + 1) 2^k)
/// with k = log2_range: running sums from the top, two additions a bucket, and range 2^k times the plain sum.
/// load(bucket) answers a sum.
template <class F, class Load>
CUZK_DEVICE Xyzz<F> weighted_range(uint32_t range, uint32_t log2_range, const Load& load) {
  auto plain = Xyzz<F>::infinity(), weighted = Xyzz<F>::infinity();
  const uint32_t first = range << log2_range;
  for (uint32_t j = uint32_t{1} << log2_range; j-- > 0;) {
    plain.add(load(first + j));
    weighted.add(plain);
  }
  plain.multiply(first);
  weighted.add(plain);
  return weighted;
}

}  // namespace cuzk::cuda
