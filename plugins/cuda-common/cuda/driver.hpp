#pragma once
#include <array>
#include <cstdint>
#include <cuda.h>
#include <mutex>

namespace cuzk::cuda {

/// The few functions of the driver that the runtime has no name for. The runtime finds the driver's library; it is
/// never linked, so that a plugin loads where there is none.
class Driver {
 public:
  Driver();  ///< sdk::Error where there is no driver

  /// Makes the primary context of device `index` current for this thread, and starts it where that was not done.
  void push(uint32_t index);
  /// Undoes this thread's last push().
  void pop() noexcept;
  /// A device that was pushed before, or 0: for what needs a context and no device in particular.
  uint32_t any_started();
  /// Whether one page-locked range of host memory holds all these bytes, whoever locked it; false for none. Leaves no
  /// error behind for memory that the driver does not know. Under a DeviceGuard.
  bool page_locked(const void* data, uint64_t bytes) const;

 private:
  static constexpr uint32_t kMostDevices = 64;
  CUcontext primary(uint32_t index);

  decltype(&cuDeviceGet) device_get_;
  decltype(&cuDevicePrimaryCtxRetain) retain_;
  decltype(&cuCtxPushCurrent) push_;
  decltype(&cuCtxPopCurrent) pop_;
  decltype(&cuPointerGetAttributes) pointer_attributes_;
  std::mutex mutex_;
  std::array<CUcontext, kMostDevices> contexts_{};  ///< retained until the process ends
};

/// The process's one, made by the first call. Threads: any.
Driver& driver();

}  // namespace cuzk::cuda
