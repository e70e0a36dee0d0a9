#include "check.hpp"

#include "driver.hpp"

#include <chrono>
#include <string>

#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

/// How long an event is asked before the thread goes to sleep.
constexpr std::chrono::microseconds kPatience{100};

}  // namespace

int32_t code_of(cudaError_t error) noexcept {
  switch (error) {
    case cudaSuccess:
      return CUZK_OK;
    case cudaErrorMemoryAllocation:
      return CUZK_OUT_OF_MEMORY;
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsRpcFailure:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return CUZK_DEVICE_LOST;
    case cudaErrorInsufficientDriver:
    case cudaErrorCallRequiresNewerDriver:
    case cudaErrorNoDevice:
    case cudaErrorInvalidKernelImage:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return CUZK_REFUSED;
    default:
      return CUZK_DEVICE_ERROR;
  }
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw sdk::Error(code_of(error), std::string(what) + ": " + cudaGetErrorString(error), static_cast<int32_t>(error));
}

void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

uint32_t index_of(cuzk_space space) {
  if (space.kind != CUZK_SPACE_CUDA || space.index < 0) {
    throw sdk::Error(CUZK_BAD_ARGUMENT, "space " + std::to_string(space.kind) + ":" + std::to_string(space.index) +
                                            ", expected CUDA device memory (kind 2)");
  }
  return static_cast<uint32_t>(space.index);
}

DeviceGuard::DeviceGuard(uint32_t index) { driver().push(index); }

DeviceGuard::~DeviceGuard() { driver().pop(); }

Stream::Stream(uint32_t device, bool urgent) : device_(device) {
  const DeviceGuard guard(device);
  int least = 0, most = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &most), "cudaDeviceGetStreamPriorityRange");
  check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, urgent ? most : least), "cudaStreamCreate");
}

Stream::~Stream() {
  if (stream_ == nullptr) return;
  try {
    const DeviceGuard guard(device_);
    check(cudaStreamDestroy(stream_), "cudaStreamDestroy");
  } catch (const sdk::Error&) {  // of work that failed earlier and has been reported
  }
}

void Stream::synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

void Stream::drain() const noexcept {
  try {
    const DeviceGuard guard(device_);
    static_cast<void>(cudaStreamSynchronize(stream_));
    static_cast<void>(cudaGetLastError());
  } catch (const sdk::Error&) {  // the device is gone, and what ran on it too
  }
}

Event::Event(uint32_t device, unsigned flags) : device_(device) {
  const DeviceGuard guard(device);
  check(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreate");
}

Event::~Event() {
  if (event_ == nullptr) return;
  try {
    const DeviceGuard guard(device_);
    check(cudaEventDestroy(event_), "cudaEventDestroy");
  } catch (const sdk::Error&) {  // of work that failed earlier and has been reported
  }
}

void wait_for(cudaEvent_t event) {
  const auto patience = std::chrono::steady_clock::now() + kPatience;
  cudaError_t state = cudaErrorNotReady;
  while (state == cudaErrorNotReady && std::chrono::steady_clock::now() < patience) state = cudaEventQuery(event);
  static_cast<void>(cudaGetLastError());  // where an answer "not yet" may stand, whatever came after it
  if (state == cudaErrorNotReady) state = cudaEventSynchronize(event);
  check(state, "cudaEventSynchronize");
}

cudaEvent_t event_of(cuzk_fence fence) {
  if (fence.kind == CUZK_SPACE_HOST) return nullptr;
  if (fence.kind != CUZK_SPACE_CUDA || fence.handle == nullptr) {
    throw sdk::Error(CUZK_BAD_ARGUMENT, "a fence of kind " + std::to_string(fence.kind) +
                                            (fence.handle == nullptr ? " without a handle" : "") +
                                            ", expected a CUDA event (kind 2)");
  }
  return static_cast<cudaEvent_t>(fence.handle);
}

void wait_on(cudaStream_t stream, cuzk_fence fence) {
  if (cudaEvent_t event = event_of(fence)) check(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
}

void record(cuzk_fence fence, cudaStream_t stream) {
  if (cudaEvent_t event = event_of(fence)) check(cudaEventRecord(event, stream), "cudaEventRecord");
}

}  // namespace cuzk::cuda
