#pragma once
/// The kernels over points. Included by one source file a group of a curve, so that these compile side by side.

#include "../cuda/check.hpp"
#include "../curve/points.cuh"
#include "../field/field.cuh"
#include "kernels.hpp"
#include "operands.cuh"

#include <cstdint>

namespace cuzk::cuda {

/// Threads of a block in the other kernels; most partial sums of a bucket that one thread adds up.
constexpr unsigned kSumThreads = 128, kCrowded = 16;
constexpr unsigned kCrowdedBlocks = 1024, kFoldBlocks = 256;
constexpr unsigned kPartRanges = 256;

template <class F>
CUZK_DEVICE Xyzz<F> load(const Xyzz<F>* from) {
  return {load(&from->x), load(&from->y), load(&from->zz), load(&from->zzz)};
}
template <class F>
CUZK_DEVICE void store(Xyzz<F>* to, const Xyzz<F>& value) {
  store(&to->x, value.x);
  store(&to->y, value.y);
  store(&to->zz, value.zz);
  store(&to->zzz, value.zzz);
}

/// One thread a run.
template <class F>
__global__ void __launch_bounds__(RunBlock<F>::kThreads, RunBlock<F>::kBlocks)
    accumulate_kernel(const SortedEntries sorted, const Affine<F>* bases, Xyzz<F>* partials) {
  const uint32_t run = blockIdx.x * RunBlock<F>::kThreads + threadIdx.x;
  const auto point = [bases](uint32_t value) {
    return Entry<F>{bases + (value & ~kNegative), (value & kNegative) != 0};
  };
  accumulate_run<F>(sorted, run, point, [partials](uint32_t slot, const Xyzz<F>& sum) { store(partials + slot, sum); });
}

/// Buckets with more than kCrowded partial sums: from the front on, and those that are to be folded from the back on.
struct CrowdedBuckets {
  uint32_t* counts;   ///< [2] those at the front, those at the back; zero at first
  uint32_t* list;     ///< [capacity]
  uint32_t capacity;  ///< all buckets

  __device__ void add(uint32_t bucket, uint32_t partials) const {
    if (partials < kFoldFrom) {
      list[atomicAdd(counts, 1)] = bucket;
    } else {
      list[capacity - 1 - atomicAdd(counts + 1, 1)] = bucket;
    }
  }
  CUZK_DEVICE uint32_t folded() const { return counts[1]; }
  CUZK_DEVICE uint32_t count() const { return counts[0] + folded(); }
  /// Those to be folded come first.
  CUZK_DEVICE uint32_t at(uint32_t i) const { return list[i < folded() ? capacity - 1 - i : i - folded()]; }
};

/// One thread a bucket; leaves crowded ones to crowded_kernel.
template <class F>
__global__ void __launch_bounds__(kSumThreads)
    combine_kernel(uint32_t count, uint32_t log2_run, const uint32_t* starts, CrowdedBuckets crowded,
                   const Xyzz<F>* partials, Xyzz<F>* buckets, bool fresh) {
  const uint32_t bucket = blockIdx.x * kSumThreads + threadIdx.x;
  if (bucket >= count) return;
  const Slots slots = Slots::of(bucket, starts[bucket], starts[bucket + 1], log2_run);
  if (slots.count > kCrowded) {
    crowded.add(bucket, slots.count);
    return;
  }
  if (slots.count == 0 && !fresh) return;
  auto sum = fresh ? Xyzz<F>::infinity() : load(buckets + bucket);
  for (uint32_t i = 0; i < slots.count; ++i) sum.add(load(partials + slots.first + i));
  store(buckets + bucket, sum);
}

/// Sum of the threads' values, for thread 0. All threads of the block call it.
template <class F>
CUZK_DEVICE Xyzz<F> block_sum(Xyzz<F>* shared, const Xyzz<F>& own) {
  store(shared + threadIdx.x, own);
  for (unsigned half = kSumThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      Xyzz<F> sum = load(shared + threadIdx.x);
      sum.add(load(shared + threadIdx.x + half));
      store(shared + threadIdx.x, sum);
    }
  }
  __syncthreads();
  return load(shared);
}

/// One step of folding, after `steps` steps. All blocks share each bucket's work, beginning with another one each time.
template <class F>
__global__ void __launch_bounds__(kSumThreads)
    fold_kernel(uint32_t log2_run, const uint32_t* starts, CrowdedBuckets crowded, Xyzz<F>* partials, uint32_t steps) {
  for (uint32_t i = 0; i < crowded.folded(); ++i) {
    const uint32_t bucket = crowded.at(i);
    const Slots slots = Slots::of(bucket, starts[bucket], starts[bucket + 1], log2_run);
    const Folded from = Folded::of(slots.count, steps), to = Folded::of(slots.count, steps + 1);
    if (from.stride == to.stride) continue;
    Xyzz<F>* const first = partials + slots.first;
    const uint32_t block = (blockIdx.x + i) % gridDim.x;
    for (uint32_t j = block * kSumThreads + threadIdx.x; j < to.count; j += gridDim.x * kSumThreads) {
      store(first + j * to.stride, from.neighbours<F>(j, [first](uint32_t place) { return load(first + place); }));
    }
  }
}

/// One block a crowded bucket, in turn.
template <class F>
__global__ void __launch_bounds__(kSumThreads)
    crowded_kernel(uint32_t log2_run, const uint32_t* starts, CrowdedBuckets crowded, const Xyzz<F>* partials,
                   Xyzz<F>* buckets, bool fresh) {
  __shared__ Xyzz<F> shared[kSumThreads];
  for (uint32_t i = blockIdx.x; i < crowded.count(); i += gridDim.x) {
    const uint32_t bucket = crowded.at(i);
    const Slots slots = Slots::of(bucket, starts[bucket], starts[bucket + 1], log2_run);
    const Folded left = Folded::of(slots.count, kFoldSteps);
    auto sum = fresh || threadIdx.x != 0 ? Xyzz<F>::infinity() : load(buckets + bucket);
    for (uint32_t j = threadIdx.x; j < left.count; j += kSumThreads) {
      sum.add(load(partials + slots.first + j * left.stride));
    }
    sum = block_sum(shared, sum);
    if (threadIdx.x == 0) store(buckets + bucket, sum);
    __syncthreads();  // before the next bucket overwrites `shared`
  }
}

/// One thread a range of a window.
template <class F>
__global__ void __launch_bounds__(kSumThreads)
    range_kernel(uint32_t windows, uint32_t log2_buckets, uint32_t log2_range, const Xyzz<F>* buckets,
                 Xyzz<F>* ranges) {
  const uint32_t at = blockIdx.x * kSumThreads + threadIdx.x;
  const uint32_t log2_ranges = log2_buckets - log2_range;
  const uint32_t window = at >> log2_ranges;
  if (window >= windows) return;
  const Xyzz<F>* first = buckets + (static_cast<size_t>(window) << log2_buckets);
  const uint32_t range = at & ((uint32_t{1} << log2_ranges) - 1);
  store(ranges + at, weighted_range<F>(range, log2_range, [first](uint32_t bucket) { return load(first + bucket); }));
}

/// One block for `count` values, `stride` apart, from from[block * span] on; the sum goes to to[block * to_span], which
/// may be the first of them.
template <class F>
__global__ void __launch_bounds__(kSumThreads)
    sum_kernel(uint32_t count, uint32_t stride, uint32_t span, const Xyzz<F>* from, uint32_t to_span, Xyzz<F>* to) {
  __shared__ Xyzz<F> shared[kSumThreads];
  const Xyzz<F>* first = from + static_cast<size_t>(blockIdx.x) * span;
  auto sum = Xyzz<F>::infinity();
  for (uint32_t i = threadIdx.x; i < count; i += kSumThreads) sum.add(load(first + static_cast<size_t>(i) * stride));
  sum = block_sum(shared, sum);
  if (threadIdx.x == 0) store(to + static_cast<size_t>(blockIdx.x) * to_span, sum);
}

template <class F>
struct PointLaunches {
  static unsigned blocks(uint64_t threads, unsigned block) {
    return static_cast<unsigned>((threads + block - 1) / block);
  }
  static void load_all() {
    load_kernel(&accumulate_kernel<F>);
    load_kernel(&combine_kernel<F>);
    load_kernel(&fold_kernel<F>);
    load_kernel(&crowded_kernel<F>);
    load_kernel(&range_kernel<F>);
    load_kernel(&sum_kernel<F>);
  }
  static void accumulate(cudaStream_t stream, const SortedEntries& sorted, const void* bases, void* partials) {
    constexpr unsigned kThreads = RunBlock<F>::kThreads;
    accumulate_kernel<F><<<blocks(sorted.runs(), kThreads), kThreads, 0, stream>>>(
        sorted, static_cast<const Affine<F>*>(bases), static_cast<Xyzz<F>*>(partials));
    check_launch("accumulate_kernel");
  }
  static void combine(cudaStream_t stream, const SortedEntries& sorted, const uint32_t* starts,
                      uint32_t* crowded_memory, void* partials, void* buckets, bool fresh) {
    const CrowdedBuckets crowded{crowded_memory, crowded_memory + 2, sorted.buckets};
    auto* from = static_cast<Xyzz<F>*>(partials);
    auto* to = static_cast<Xyzz<F>*>(buckets);
    check(cudaMemsetAsync(crowded.counts, 0, 2 * sizeof(*crowded.counts), stream), "cudaMemsetAsync");
    combine_kernel<F><<<blocks(sorted.buckets, kSumThreads), kSumThreads, 0, stream>>>(
        sorted.buckets, sorted.log2_run, starts, crowded, from, to, fresh);
    check_launch("combine_kernel");
    for (uint32_t step = 0; step < kFoldSteps; ++step) {
      fold_kernel<F><<<kFoldBlocks, kSumThreads, 0, stream>>>(sorted.log2_run, starts, crowded, from, step);
      check_launch("fold_kernel");
    }
    const unsigned most = sorted.buckets < kCrowdedBlocks ? sorted.buckets : kCrowdedBlocks;
    crowded_kernel<F><<<most, kSumThreads, 0, stream>>>(sorted.log2_run, starts, crowded, from, to, fresh);
    check_launch("crowded_kernel");
  }
  static void reduce(cudaStream_t stream, const Shape& shape, const void* buckets, void* ranges, void* sums) {
    auto* middle = static_cast<Xyzz<F>*>(ranges);
    const auto per_window = static_cast<uint32_t>(shape.window_ranges());
    range_kernel<F><<<blocks(uint64_t{shape.windows} * per_window, kSumThreads), kSumThreads, 0, stream>>>(
        shape.windows, shape.width - 1, shape.log2_range, static_cast<const Xyzz<F>*>(buckets), middle);
    check_launch("range_kernel");
    // A window's ranges in parts, so that there are blocks for all multiprocessors; then the parts.
    const uint32_t parts = per_window > kPartRanges ? per_window / kPartRanges : 1, part = per_window / parts;
    sum_kernel<F><<<shape.windows * parts, kSumThreads, 0, stream>>>(part, 1, part, middle, part, middle);
    check_launch("sum_kernel");
    sum_kernel<F>
        <<<shape.windows, kSumThreads, 0, stream>>>(parts, part, per_window, middle, 1, static_cast<Xyzz<F>*>(sums));
    check_launch("sum_kernel");
  }
  static constexpr PointKernels table() { return {&load_all, &accumulate, &combine, &reduce}; }
};

}  // namespace cuzk::cuda
