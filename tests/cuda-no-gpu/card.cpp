/// One card of compute capability 9.0, as far as a plugin asks before it has kernels for it: the linker leads the
/// plugin's calls here.

#include <cstring>
#include <cuda_runtime_api.h>

extern "C" {

cudaError_t __wrap_cudaGetDeviceCount(int* out) {
  *out = 1;
  return cudaSuccess;
}

cudaError_t __wrap_cudaGetDeviceProperties(cudaDeviceProp* out, int) {
  *out = {};
  std::strcpy(out->name, "A card");
  return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceGetAttribute(int* out, cudaDeviceAttr which, int) {
  *out = which == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
  return cudaSuccess;
}
}
