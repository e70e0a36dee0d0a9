#include "driver.hpp"

#include "check.hpp"

#include <string>

#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

/// The first versions that have these functions as they are declared in cuda.h.
constexpr unsigned kFunctionsSince = 12000;

template <class Function>
Function find(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, kFunctionsSince, cudaEnableDefault, &result), name);
  if (result != cudaDriverEntryPointSuccess || found == nullptr) {
    throw sdk::Error(CUZK_REFUSED, "the NVIDIA driver has no " + std::string(name));
  }
  return reinterpret_cast<Function>(found);
}

/// CUresult and cudaError_t have the same numbers.
void check(CUresult result, const char* what) { cuda::check(static_cast<cudaError_t>(result), what); }

}  // namespace

Driver::Driver()
    : device_get_(find<decltype(device_get_)>("cuDeviceGet")),
      retain_(find<decltype(retain_)>("cuDevicePrimaryCtxRetain")),
      push_(find<decltype(push_)>("cuCtxPushCurrent")),
      pop_(find<decltype(pop_)>("cuCtxPopCurrent")),
      pointer_attributes_(find<decltype(pointer_attributes_)>("cuPointerGetAttributes")) {}

CUcontext Driver::primary(uint32_t index) {
  if (index >= kMostDevices) {
    throw sdk::Error(CUZK_BAD_ARGUMENT,
                     "cuda:" + std::to_string(index) + ", expected below " + std::to_string(kMostDevices));
  }
  const std::lock_guard lock(mutex_);
  CUcontext& context = contexts_[index];
  if (context == nullptr) {
    CUdevice device{};
    check(device_get_(&device, static_cast<int>(index)), "cuDeviceGet");
    check(retain_(&context, device), "cuDevicePrimaryCtxRetain");
  }
  return context;
}

void Driver::push(uint32_t index) { check(push_(primary(index)), "cuCtxPushCurrent"); }

void Driver::pop() noexcept {
  CUcontext popped{};
  static_cast<void>(pop_(&popped));
}

uint32_t Driver::any_started() {
  const std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < kMostDevices; ++i) {
    if (contexts_[i] != nullptr) return i;
  }
  return 0;
}

bool Driver::page_locked(const void* data, uint64_t bytes) const {
  if (bytes == 0) return false;
  unsigned type = 0;
  CUdeviceptr start = 0;
  size_t size = 0;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* answers[] = {&type, &start, &size};
  const auto first = reinterpret_cast<CUdeviceptr>(data);
  // Unlike cuPointerGetAttribute, this answers zeros for memory that the driver does not know.
  if (pointer_attributes_(3, asked, answers, first) != CUDA_SUCCESS || type != CU_MEMORYTYPE_HOST) return false;
  return start <= first && bytes <= size && first - start <= size - bytes;
}

Driver& driver() {
  static Driver& one = *new Driver;  // never destroyed: streams may outlive the order of destruction
  return one;
}

}  // namespace cuzk::cuda
