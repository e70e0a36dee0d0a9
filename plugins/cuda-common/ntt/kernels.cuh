#pragma once
/// The kernels of the NTT.

#include "permute.cuh"
#include "plan.hpp"
#include "tile.cuh"

namespace cuzk::cuda::ntt {

/// One pass: a block a tile. Shared: Tile<F>::bytes(pass.log2_tile()).
template <class F, bool kDown, bool kUp, bool kFull>
__global__ void __launch_bounds__(kThreads, kFull ? kBlocksPerSm : kBlocksPerSm - 1)
    pass_kernel(Unit* v, Pass pass, Roots<F, kFull> roots, Scale<F> scale) {
  extern __shared__ Unit shared_units[];
  run_tile<kDown, kUp>(Lane{threadIdx.x, blockDim.x}, shared_units, v, pass, blockIdx.x, roots, scale);
}

/// A block a middle. Shared: kPermuteBytes.
__global__ void __launch_bounds__(kThreads) permute_squares_kernel(Unit* v, uint32_t log2_size) {
  extern __shared__ Unit shared_units[];
  permute_squares(Lane{threadIdx.x, blockDim.x}, shared_units, v, log2_size, blockIdx.x);
}
/// One block.
__global__ void __launch_bounds__(kThreads) permute_short_kernel(Unit* v, uint32_t log2_size) {
  permute_short(Lane{threadIdx.x, blockDim.x}, v, log2_size);
}

template <class F>
__global__ void begin_table_kernel(F* table, F first) {
  store(table, first);
}
/// table[half + i] = table[i] * step for i < half.
template <class F>
__global__ void __launch_bounds__(kThreads) double_table_kernel(F* table, uint32_t half, F step) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < half) store(table + half + i, load(table + i) * step);
}

/// out = x * y; out may be x or y.
template <class F>
__global__ void __launch_bounds__(kThreads) multiply_kernel(F* out, const F* x, const F* y, uint32_t count) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) store(out + i, load(x + i) * load(y + i));
}
/// out = (x - y) * scale; out may be x or y.
template <class F>
__global__ void __launch_bounds__(kThreads)
    subtract_scale_kernel(F* out, const F* x, const F* y, F scale, uint32_t count) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) store(out + i, (load(x + i) - load(y + i)) * scale);
}

}  // namespace cuzk::cuda::ntt
