#pragma once
#include <cstdint>
#include <cuda_runtime_api.h>

namespace cuzk::cuda {

/// Enqueues a kernel of one thread that runs for so long, and then sets every one of `bytes` to `value`.
void spin_and_fill(cudaStream_t stream, uint64_t ns, void* data, uint64_t bytes, unsigned char value);

}  // namespace cuzk::cuda
