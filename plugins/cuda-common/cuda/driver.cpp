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
      pop_(find<decltype(pop_)>("cuCtxPopCurrent")) {}

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

Driver& driver() {
  static Driver& one = *new Driver;  // never destroyed: streams may outlive the order of destruction
  return one;
}

}  // namespace cuzk::cuda
