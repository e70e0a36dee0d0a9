#include "../cuda/check.hpp"
#include "spin.hpp"

namespace cuzk::cuda {
namespace {

__device__ uint64_t now_ns() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin_kernel(uint64_t ns, unsigned char* data, uint64_t bytes, unsigned char value) {
  const uint64_t begin = now_ns();
  while (now_ns() - begin < ns) {
  }
  for (uint64_t i = 0; i < bytes; ++i) data[i] = value;
}

}  // namespace

void spin_and_fill(cudaStream_t stream, uint64_t ns, void* data, uint64_t bytes, unsigned char value) {
  spin_kernel<<<1, 1, 0, stream>>>(ns, static_cast<unsigned char*>(data), bytes, value);
  check_launch("spin_kernel");
}

}  // namespace cuzk::cuda
