#pragma once
/// The kernels of multiples as functions of the host: each enqueues on a stream and returns; sdk::Error where a launch
/// fails.

#include "digits.hpp"

#include <cstdint>
#include <cuda_runtime_api.h>

namespace cuzk::cuda {

/// One batch. Memory is device memory.
struct MultiplesTask {
  const void* table;  ///< affine; of the recoding's width
  Recoding recoding;
  const void* scalars;  ///< null: those of the table of `entry_width`, see entry_scalar()
  bool montgomery;
  unsigned entry_width;
  uint32_t count;      ///< at most 2^30, not 0
  void* out;           ///< [count] affine
  void *zzz, *before;  ///< [count] coordinates
};

/// out[i] = 2^doublings points[i], for tables of multiples. Memory is device memory.
struct ShiftTask {
  const void* points;  ///< [count] affine
  unsigned doublings;
  uint32_t count;      ///< at most 2^30, not 0
  void* out;           ///< [count] affine
  void *zzz, *before;  ///< [count] coordinates
};

/// The kernels that know the points of one group of one curve.
struct MultiplesKernels {
  void (*load)();  ///< under the device's guard
  void (*multiply)(cudaStream_t, const MultiplesTask&);
  void (*shift)(cudaStream_t, const ShiftTask&);
};
extern const MultiplesKernels kBn254G1Multiples, kBn254G2Multiples, kBls12381G1Multiples, kBls12381G2Multiples;
/// Throws sdk::Error for an unknown curve or group.
const MultiplesKernels& multiples_kernels(uint32_t curve, uint32_t group);

}  // namespace cuzk::cuda
