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

/// Adds up one run. point(value) answers the affine point of an entry, sign applied, for add_affine(); store(slot, sum)
/// keeps a partial sum.
template <class F, class PointOf, class Store>
CUZK_DEVICE void accumulate_run(const SortedEntries& sorted, uint32_t run, const PointOf& point, const Store& store) {
  const uint32_t last = (uint32_t{1} << sorted.log2_run) - 1;  // place in a run
  uint32_t i = run << sorted.log2_run;
  uint32_t bucket = sorted.keys[i];
  if (bucket >= sorted.buckets) return;
  auto sum = Xyzz<F>::infinity();
  for (;;) {
    sum.add_affine(point(sorted.values[i]));
    const bool over = (i & last) == last || i + 1 == sorted.entries;
    const uint32_t key = over ? sorted.buckets : sorted.keys[i + 1];
    if (key != bucket) {
      store((i >> sorted.log2_run) + bucket, sum);
      if (key >= sorted.buckets) return;
      sum = Xyzz<F>::infinity();
      bucket = key;
    }
    ++i;
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
