#pragma once
/// CUDA calls that say what failed, the device an entry works on, streams, and core's fences.

#include <cstdint>
#include <cuda_runtime_api.h>
#include <utility>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// The ABI's code for a failed call: CUZK_OUT_OF_MEMORY, CUZK_DEVICE_LOST for errors that every later call in this
/// process would meet again, CUZK_REFUSED where driver and build do not fit, else CUZK_DEVICE_ERROR.
int32_t code_of(cudaError_t error) noexcept;

/// Throws sdk::Error{code_of, "what: text of the error", error} unless `error` is cudaSuccess, and clears the thread's
/// last error, so that the next check does not find it. what: the call as a reader knows it, "cudaMalloc".
void check(cudaError_t error, const char* what);
/// After `kernel<<<...>>>`: throws what was wrong with the launch.
void check_launch(const char* kernel);
/// Brings a kernel's code onto the current device, so that its first launch does not.
template <class Kernel>
void load_kernel(Kernel* kernel) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "cudaFuncGetAttributes");
}

/// The device of a CUDA memory space; any other kind is an sdk::Error.
uint32_t index_of(cuzk_space space);

/// Makes a device current for this thread and gives the caller's context back at the end. Does not change the device
/// that the caller's runtime remembers, and creates no context on any other device.
class DeviceGuard {
 public:
  explicit DeviceGuard(uint32_t index);
  explicit DeviceGuard(cuzk_space space) : DeviceGuard(index_of(space)) {}
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
};

/// A stream of its own, which does not wait for the legacy default stream. May be made and destroyed anywhere.
class Stream {
 public:
  /// urgent: blocks of its kernels come before those of others that have not begun.
  explicit Stream(uint32_t device, bool urgent = false);
  explicit Stream(cuzk_space space, bool urgent = false) : Stream(index_of(space), urgent) {}
  ~Stream();
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)), device_(other.device_) {}
  Stream& operator=(Stream&&) = delete;

  cudaStream_t get() const { return stream_; }
  operator cudaStream_t() const { return stream_; }
  /// Blocks this thread until everything enqueued so far has run; throws what went wrong in it. Under a DeviceGuard of
  /// the stream's device.
  void synchronize() const;
  /// The same for the way out after an error, past whatever else went wrong; anywhere.
  void drain() const noexcept;

 private:
  cudaStream_t stream_ = nullptr;
  uint32_t device_;
};

/// An event of its own, with cudaEventCreateWithFlags()'s flags. May be made and destroyed anywhere.
class Event {
 public:
  Event(uint32_t device, unsigned flags);
  ~Event();
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)), device_(other.device_) {}
  Event& operator=(Event&&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
  uint32_t device_;
};

/// Blocks this thread until the event has come, for a while awake, since being woken takes longer than a small kernel.
/// Throws what went wrong before it. Under a DeviceGuard of its device.
void wait_for(cudaEvent_t event);

/// The event behind a fence; null for the null fence (kind CUZK_SPACE_HOST). Any other kind is an sdk::Error.
cudaEvent_t event_of(cuzk_fence fence);
/// Work enqueued on `stream` from here on waits for the fence; nothing for the null fence.
void wait_on(cudaStream_t stream, cuzk_fence fence);
/// The fence is passed when all work enqueued on `stream` so far has run; nothing for the null fence.
void record(cuzk_fence fence, cudaStream_t stream);

}  // namespace cuzk::cuda
