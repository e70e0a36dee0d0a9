#pragma once
#include "../cuda/check.hpp"

#include <algorithm>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <string>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

inline constexpr cuzk_space kSpace{CUZK_SPACE_CUDA, 0};

/// Memory on device 0. Copies are over when their call returns.
class Block {
 public:
  explicit Block(uint64_t bytes) : bytes_(bytes) {
    check(cudaMalloc(&data_, std::max<uint64_t>(bytes, 1)), ("cudaMalloc of " + std::to_string(bytes)).c_str());
  }
  Block(const void* from, uint64_t bytes) : Block(bytes) { write(from); }
  ~Block() { static_cast<void>(cudaFree(data_)); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void write(const void* from) { write(from, 0, bytes_); }
  /// Waits: a copy from ordinary memory may return before its last bytes have arrived, and a component's stream does
  /// not wait for the default one.
  void write(const void* from, uint64_t offset, uint64_t bytes) {
    check(cudaMemcpy(static_cast<char*>(data_) + offset, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  /// From a block of the same size.
  void copy(const Block& from) {
    check(cudaMemcpy(data_, from.data_, bytes_, cudaMemcpyDeviceToDevice), "cudaMemcpy");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  void read(void* to, uint64_t offset, uint64_t bytes) const {
    check(cudaMemcpy(to, static_cast<const char*>(data_) + offset, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
  cuzk_mem mem() const { return {data_, bytes_, kSpace}; }

 private:
  void* data_ = nullptr;
  uint64_t bytes_;
};

inline cuzk_call call_with(cuzk_mem workspace) {
  cuzk_call call{};
  call.struct_size = sizeof call;
  call.workspace = workspace;
  return call;
}

/// What plans ask of device 0.
inline cuzk_device_info device_info() {
  int units = 0;
  check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  cuzk_device_info device{};
  device.struct_size = sizeof device;
  device.space = kSpace;
  device.units = static_cast<uint32_t>(units);
  return device;
}

}  // namespace cuzk::cuda
