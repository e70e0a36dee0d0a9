#pragma once
/// The kernels of multiples. Included by one source file a group of a curve, so that these compile side by side.

#include "../cuda/check.hpp"
#include "../curve/points.cuh"
#include "../field/field.cuh"
#include "multiples_kernels.hpp"
#include "multiples_steps.hpp"
#include "operands.cuh"

#include <cstdint>

namespace cuzk::cuda {

/// Points that share an inversion, which is worth about 570 multiplications, and threads of a block of these.
constexpr uint32_t kPerInversion = 32;
constexpr unsigned kAffineThreads = 128;

/// The task's scalar i, as a plain integer.
template <class Fr>
CUZK_DEVICE void scalar_of(const MultiplesTask& task, uint32_t i, uint64_t* limbs) {
  if (task.scalars == nullptr) {
    entry_scalar(limbs, i, task.entry_width);
    return;
  }
  read_scalar<Fr>(limbs, task.scalars, i, task.montgomery);
}

/// One thread a multiple.
template <class F, class Fr>
__global__ void __launch_bounds__(RunBlock<F>::kThreads, RunBlock<F>::kBlocks)
    multiples_kernel(const MultiplesTask task) {
  const uint32_t i = blockIdx.x * RunBlock<F>::kThreads + threadIdx.x;
  if (i >= task.count) return;
  uint64_t limbs[kScalarLimbs];
  scalar_of<Fr>(task, i, limbs);
  const auto* table = static_cast<const Affine<F>*>(task.table);
  const auto entry = [table](uint32_t at, bool negative) { return Entry<F>{table + at, negative}; };
  const Xyzz<F> sum = multiple_of<F>(task.recoding, limbs, entry);
  store_sum(sum, static_cast<Affine<F>*>(task.out) + i, static_cast<F*>(task.zzz) + i);
}

/// One thread a point.
template <class F>
__global__ void __launch_bounds__(RunBlock<F>::kThreads, RunBlock<F>::kBlocks) shift_kernel(const ShiftTask task) {
  const uint32_t i = blockIdx.x * RunBlock<F>::kThreads + threadIdx.x;
  if (i >= task.count) return;
  const Affine<F>* from = static_cast<const Affine<F>*>(task.points) + i;
  shift<F>({load(&from->x), load(&from->y)}, task.doublings, static_cast<Affine<F>*>(task.out) + i,
           static_cast<F*>(task.zzz) + i);
}

/// One thread for kPerInversion points.
template <class F>
__global__ void __launch_bounds__(kAffineThreads)
    affine_kernel(uint32_t threads, uint32_t count, Affine<F>* out, const F* zzz, F* before) {
  const uint32_t t = blockIdx.x * kAffineThreads + threadIdx.x;
  if (t < threads) to_affine(t, threads, count, out, zzz, before);
}

template <class F, class Fr>
struct MultiplesLaunches {
  static void load_all() {
    load_kernel(&multiples_kernel<F, Fr>);
    load_kernel(&shift_kernel<F>);
    load_kernel(&affine_kernel<F>);
  }
  static void multiply(cudaStream_t stream, const MultiplesTask& task) {
    constexpr unsigned kThreads = RunBlock<F>::kThreads;
    multiples_kernel<F, Fr><<<(task.count - 1) / kThreads + 1, kThreads, 0, stream>>>(task);
    check_launch("multiples_kernel");
    make_affine(stream, task);
  }
  static void shift_points(cudaStream_t stream, const ShiftTask& task) {
    constexpr unsigned kThreads = RunBlock<F>::kThreads;
    shift_kernel<F><<<(task.count - 1) / kThreads + 1, kThreads, 0, stream>>>(task);
    check_launch("shift_kernel");
    make_affine(stream, task);
  }
  template <class Task>
  static void make_affine(cudaStream_t stream, const Task& task) {
    const uint32_t threads = (task.count - 1) / kPerInversion + 1;
    affine_kernel<F><<<(threads - 1) / kAffineThreads + 1, kAffineThreads, 0, stream>>>(
        threads, task.count, static_cast<Affine<F>*>(task.out), static_cast<const F*>(task.zzz),
        static_cast<F*>(task.before));
    check_launch("affine_kernel");
  }
  static constexpr MultiplesKernels table() { return {&load_all, &multiply, &shift_points}; }
};

}  // namespace cuzk::cuda
