#pragma once
/// How the kernels read scalars and points.

#include "../curve/points.cuh"
#include "../field/field.cuh"
#include "digits.hpp"

#include <cstdint>

namespace cuzk::cuda {

/// How a kernel of mixed additions fills a multiprocessor: threads of a block, and blocks that its registers are to
/// allow.
template <class F>
struct RunBlock {
  static constexpr unsigned kThreads = 256, kBlocks = 2;
};
template <class F>
struct RunBlock<Fe2<F>> {
  static constexpr unsigned kThreads = 128, kBlocks = 2;
};

/// Scalar i of an array of Fr, as a plain integer. montgomery: the form that it has there.
template <class Fr>
CUZK_DEVICE void read_scalar(uint64_t* limbs, const void* scalars, uint64_t i, bool montgomery) {
  Fe<Fr> scalar = load(static_cast<const Fe<Fr>*>(scalars) + i);
  if (montgomery) scalar = scalar.to_canonical();
  CUZK_UNROLL
  for (unsigned k = 0; k < kScalarLimbs; ++k) {
    limbs[k] = scalar.limb[2 * k] | (static_cast<uint64_t>(scalar.limb[2 * k + 1]) << 32);
  }
}

/// An affine point that stays in memory, or its negative.
template <class F>
struct Entry {
  const Affine<F>* at;
  bool negative;

  CUZK_DEVICE F x() const { return load(&fresh()->x); }
  CUZK_DEVICE F y() const {
    const F y = load(&fresh()->y);
    return negative ? -y : y;
  }
  /// The address, of which the compiler does not know that it was read before.
  CUZK_DEVICE const Affine<F>* fresh() const {
    const Affine<F>* address = at;
    asm volatile("" : "+l"(address));
    return address;
  }
};

}  // namespace cuzk::cuda
