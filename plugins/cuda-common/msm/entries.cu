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

/// Warps of a block in kernels that have a warp for each block of bases.
constexpr unsigned kWarps = 4;

CUZK_DEVICE uint32_t warp_number() { return blockIdx.x * kWarps + threadIdx.x / kLanes; }

template <class Fr>
CUZK_DEVICE void scalar_of(const ScalarSource& source, uint64_t base, uint64_t* limbs) {
  read_scalar<Fr>(limbs, source.scalars, source.selection.position(base), source.montgomery);
}

template <class Fr>
__global__ void __launch_bounds__(kWarps* kLanes)
    lengths_kernel(const ScalarSource source, const Recoding recoding, uint64_t count, unsigned log2_block,
                   uint16_t* counts, uint32_t* totals) {
  const uint64_t begin = uint64_t{warp_number()} << log2_block;
  if (begin >= count) return;
  // A mask that selects fewer is refused later.
  const uint64_t there = source.selection.selected_of(count);
  const uint64_t back = begin + (uint64_t{1} << log2_block), last = there < count ? there : count;
  uint16_t* const own = counts + static_cast<size_t>(warp_number()) * kLengthClasses;
  count_lengths(
      recoding, begin, back < last ? back : last,
      [&source](uint64_t base, uint64_t* limbs) { scalar_of<Fr>(source, base, limbs); }, own);
  static_assert(kLengthClasses <= kLanes);  // a lane reads what it wrote
  if (lane() < kLengthClasses && own[lane()] != 0) atomicAdd(totals + lane(), own[lane()]);
}

template <class Fr>
__global__ void __launch_bounds__(kWarps* kLanes) entries_kernel(const EntriesTask task) {
  const uint32_t block = warp_number();
  if (block >= task.piece.blocks) return;
  write_entries(
      task.recoding, task.windows, task.piece, task.table_points, task.log2_block, block,
      [&task](uint64_t base, uint64_t* limbs) { scalar_of<Fr>(task.source, base, limbs); }, task.slots[block],
      task.slots[block + 1], task.keys, task.values);
}

__global__ void __launch_bounds__(kThreads) count_kernel(const Selection selection, uint32_t blocks, uint32_t* ranks) {
  const uint32_t block = blockIdx.x * kThreads + threadIdx.x;
  if (block < blocks) ranks[block] = selection.count(block);
}

constexpr unsigned kScanThreads = 1024;

/// sums[i] = own(0) + ... + own(i - 1), for i to `count`, by one block. own(i) is asked for before sums[i] is written.
template <class Own>
CUZK_DEVICE void scan(uint32_t count, const Own& own_of, uint32_t* sums) {
  __shared__ uint32_t warps[kScanThreads / 32];
  __shared__ uint32_t carried;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) carried = 0;
  __syncthreads();
  for (uint32_t base = 0; base < count; base += kScanThreads) {
    const uint32_t at = base + threadIdx.x;
    const uint32_t own = at < count ? own_of(at) : 0;
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
    if (at < count) sums[at] = before;
    __syncthreads();
    if (threadIdx.x == kScanThreads - 1) carried = before + own;
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[count] = carried;
}

__global__ void __launch_bounds__(kScanThreads) ranks_kernel(uint32_t count, uint32_t* ranks) {
  scan(
      count, [ranks](uint32_t at) { return ranks[at]; }, ranks);
}

/// counts: of the first block.
__global__ void __launch_bounds__(kScanThreads)
    slots_kernel(uint32_t blocks, const uint16_t* counts, const EntryBound bound, uint32_t* slots) {
  const auto own = [&](uint32_t at) {
    return static_cast<uint32_t>(bound.sum(counts + static_cast<size_t>(at) * kLengthClasses));
  };
  scan(blocks, own, slots);
}

__global__ void __launch_bounds__(kThreads) starts_kernel(const SortedEntries sorted, uint32_t* starts) {
  const uint32_t bucket = blockIdx.x * kThreads + threadIdx.x;
  if (bucket <= sorted.buckets) starts[bucket] = first_entry(sorted, bucket);
}

}  // namespace

/// The sort's kernels are the library's own: two sorts, one within a block and one over several, load them.
void load_entry_kernels(cudaStream_t stream) {
  load_kernel(&lengths_kernel<Bn254Fr>);
  load_kernel(&lengths_kernel<Bls12381Fr>);
  load_kernel(&entries_kernel<Bn254Fr>);
  load_kernel(&entries_kernel<Bls12381Fr>);
  load_kernel(&count_kernel);
  load_kernel(&ranks_kernel);
  load_kernel(&slots_kernel);
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
  ranks_kernel<<<1, kScanThreads, 0, stream>>>(blocks, ranks);
  check_launch("ranks_kernel");
}

void count_lengths(cudaStream_t stream, uint32_t curve, const ScalarSource& source, const Recoding& recoding,
                   uint64_t count, unsigned log2_block, uint16_t* counts, uint32_t* totals) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(((count - 1) >> log2_block) / kWarps + 1);
  if (curve == CUZK_BN254) {
    lengths_kernel<Bn254Fr>
        <<<blocks, kWarps * kLanes, 0, stream>>>(source, recoding, count, log2_block, counts, totals);
  } else {
    lengths_kernel<Bls12381Fr>
        <<<blocks, kWarps * kLanes, 0, stream>>>(source, recoding, count, log2_block, counts, totals);
  }
  check_launch("lengths_kernel");
}

void make_entries(cudaStream_t stream, uint32_t curve, const EntriesTask& task, const uint16_t* counts,
                  const EntryBound& bound) {
  const uint16_t* first = counts + static_cast<size_t>(task.piece.first_block) * kLengthClasses;
  slots_kernel<<<1, kScanThreads, 0, stream>>>(task.piece.blocks, first, bound, task.slots);
  check_launch("slots_kernel");
  const unsigned blocks = (task.piece.blocks + kWarps - 1) / kWarps;
  if (curve == CUZK_BN254) {
    entries_kernel<Bn254Fr><<<blocks, kWarps * kLanes, 0, stream>>>(task);
  } else {
    entries_kernel<Bls12381Fr><<<blocks, kWarps * kLanes, 0, stream>>>(task);
  }
  check_launch("entries_kernel");
}

SortedEntries sort_entries(cudaStream_t stream, const Workspace& workspace, uint32_t entries, uint32_t buckets,
                           uint32_t log2_run) {
  cub::DoubleBuffer<uint32_t> keys(workspace.keys[0], workspace.keys[1]);
  cub::DoubleBuffer<uint32_t> values(workspace.values[0], workspace.values[1]);
  int bits = 0;
  while ((buckets >> bits) != 0) ++bits;  // slots without an entry have the key `buckets`
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
