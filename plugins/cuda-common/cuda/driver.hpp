#pragma once
#include <array>
#include <cstdint>
#include <cuda.h>
#include <mutex>

namespace cuzk::cuda {

/// The few functions of the driver that the runtime has no name for. The library libcuda.so.1 is found by the runtime,
/// never linked, so that a plugin loads where there is none.
class Driver {
 public:
  Driver();  ///< sdk::Error where there is no driver

  /// Makes the primary context of device `index` current for this thread; pop() undoes the last push().
  void push(uint32_t index);
  void pop() noexcept;
  /// Gives the primary contexts back; no other call may follow.
  void release() noexcept;

 private:
  static constexpr uint32_t kMostDevices = 64;
  CUcontext primary(uint32_t index);

  decltype(&cuDevicePrimaryCtxRetain) retain_ = nullptr;
  decltype(&cuDevicePrimaryCtxRelease) release_ = nullptr;
  decltype(&cuCtxPushCurrent) push_ = nullptr;
  decltype(&cuCtxPopCurrent) pop_ = nullptr;
  decltype(&cuDeviceGet) device_get_ = nullptr;
  std::mutex mutex_;
  std::array<CUcontext, kMostDevices> contexts_{};
};

/// The process's one, made by the first call. Threads: any.
Driver& driver();

}  // namespace cuzk::cuda
