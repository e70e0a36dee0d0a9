#include "../cuda/check.hpp"
#include "../field/field.cuh"
#include "kernels.hpp"
#include "operands.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <string>

#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

constexpr unsigned kThreads = 256;

constexpr unsigned blocks_for(uint64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

template <class Fr>
__global__ void __launch_bounds__(kThreads) digits_kernel(const DigitsTask task) {
  const uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= task.count) return;
  uint64_t limbs[kScalarLimbs];
  read_scalar<Fr>(limbs, task.scalars, task.selection.position(task.first + i), task.montgomery);
  const Digits digits = Digits::of(task.recoding, limbs);
  const uint32_t no_bucket = task.windows << (task.recoding.width - 1);
  for (unsigned w = 0; w < task.windows; ++w) {
    const int32_t digit = digits.at(task.recoding, task.first_window + w);
    const uint64_t at = static_cast<uint64_t>(w) * task.count + i;
    task.keys[at] = key_of(task.recoding, w, digit, no_bucket);
    task.values[at] = i | (digit < 0 ? kNegative : 0);
  }
}

__global__ void __launch_bounds__(kThreads) count_kernel(const Selection selection, uint32_t blocks, uint32_t* ranks) {
  const uint32_t block = blockIdx.x * kThreads + threadIdx.x;
  if (block < blocks) ranks[block] = selection.count(block);
}

constexpr unsigned kScanThreads = 1024;

/// Exclusive prefix sums in place by one block; ranks[count] becomes the sum of all.
__global__ void __launch_bounds__(kScanThreads) scan_kernel(uint32_t count, uint32_t* ranks) {
  __shared__ uint32_t warps[kScanThreads / 32];
  __shared__ uint32_t carried;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) carried = 0;
  __syncthreads();
  for (uint32_t base = 0; base < count; base += kScanThreads) {
    const uint32_t at = base + threadIdx.x;
    const uint32_t own = at < count ? ranks[at] : 0;
    uint32_t sum = own;  // inclusive, within the warp
    for (unsigned step = 1; step < 32; step *= 2) {
      const uint32_t below = __shfl_up_sync(0xffffffffU, sum, step);
      if (lane >= step) sum += below;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
      uint32_t total = warps[lane];
      for (unsigned step = 1; step < 32; step *= 2) {
        const uint32_t below = __shfl_up_sync(0xffffffffU, total, step);
        if (lane >= step) total += below;
      }
      warps[lane] = total;
    }
    __syncthreads();
    const uint32_t before = carried + (warp == 0 ? 0 : warps[warp - 1]) + sum - own;
    if (at < count) ranks[at] = before;
    __syncthreads();
    if (threadIdx.x == kScanThreads - 1) carried = before + own;
    __syncthreads();
  }
  if (threadIdx.x == 0) ranks[count] = carried;
}

__global__ void __launch_bounds__(kThreads) starts_kernel(const SortedEntries sorted, uint32_t* starts) {
  const uint32_t bucket = blockIdx.x * kThreads + threadIdx.x;
  if (bucket <= sorted.buckets) starts[bucket] = first_entry(sorted, bucket);
}

}  // namespace

/// The sort's kernels are the library's own: two sorts, one within a block and one over several, load them.
void load_entry_kernels(cudaStream_t stream) {
  load_kernel(&digits_kernel<Bn254Fr>);
  load_kernel(&digits_kernel<Bls12381Fr>);
  load_kernel(&count_kernel);
  load_kernel(&scan_kernel);
  load_kernel(&starts_kernel);

  constexpr uint32_t kEntries = 1U << 16;
  struct Memory {
    void* data = nullptr;
    ~Memory() {
      if (cudaFree(data) != cudaSuccess) static_cast<void>(cudaGetLastError());  // lest a launch be blamed for it
    }
  } memory;
  const auto lay_out = [&] {
    Arena arena(memory.data);
    Workspace w{};
    for (unsigned i = 0; i < 2; ++i) {
      w.keys[i] = arena.take_array<uint32_t>(kEntries);
      w.values[i] = arena.take_array<uint32_t>(kEntries);
    }
    w.scratch_bytes = sort_scratch_bytes(kEntries);
    w.scratch = arena.take(w.scratch_bytes);
    w.bytes = arena.used();
    return w;
  };
  check(cudaMalloc(&memory.data, lay_out().bytes), "cudaMalloc");
  const Workspace workspace = lay_out();
  check(cudaMemsetAsync(memory.data, 0, workspace.bytes, stream), "cudaMemsetAsync");
  sort_entries(stream, workspace, 64, 1U << 16, 0);
  sort_entries(stream, workspace, kEntries, 1U << 16, 0);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void make_ranks(cudaStream_t stream, const Selection& selection, uint32_t* ranks) {
  const auto blocks = static_cast<uint32_t>(Selection::blocks(selection.span));
  if (blocks != 0) count_kernel<<<blocks_for(blocks), kThreads, 0, stream>>>(selection, blocks, ranks);
  check_launch("count_kernel");
  scan_kernel<<<1, kScanThreads, 0, stream>>>(blocks, ranks);
  check_launch("scan_kernel");
}

void make_entries(cudaStream_t stream, uint32_t curve, const DigitsTask& task) {
  const unsigned blocks = blocks_for(task.count);
  if (curve == CUZK_BN254) {
    digits_kernel<Bn254Fr><<<blocks, kThreads, 0, stream>>>(task);
  } else {
    digits_kernel<Bls12381Fr><<<blocks, kThreads, 0, stream>>>(task);
  }
  check_launch("digits_kernel");
}

SortedEntries sort_entries(cudaStream_t stream, const Workspace& workspace, uint32_t entries, uint32_t buckets,
                           uint32_t log2_run) {
  cub::DoubleBuffer<uint32_t> keys(workspace.keys[0], workspace.keys[1]);
  cub::DoubleBuffer<uint32_t> values(workspace.values[0], workspace.values[1]);
  int bits = 0;
  while ((buckets >> bits) != 0) ++bits;  // zero digits have the key `buckets`
  const auto sort = [&](void* scratch, size_t& bytes) {
    check(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, entries, 0, bits, stream), "radix sort");
  };
  size_t needed = 0;
  sort(nullptr, needed);
  if (needed > workspace.scratch_bytes) {
    throw sdk::Error(CUZK_INTERNAL, "sorting " + std::to_string(entries) + " entries takes " + std::to_string(needed) +
                                        " bytes, planned are " + std::to_string(workspace.scratch_bytes));
  }
  sort(workspace.scratch, needed);
  return {keys.Current(), values.Current(), entries, buckets, log2_run};
}

void find_starts(cudaStream_t stream, const SortedEntries& sorted, uint32_t* starts) {
  starts_kernel<<<blocks_for(uint64_t{sorted.buckets} + 1), kThreads, 0, stream>>>(sorted, starts);
  check_launch("starts_kernel");
}

}  // namespace cuzk::cuda
