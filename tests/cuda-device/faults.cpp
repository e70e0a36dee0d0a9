/// Stands between a plugin and the CUDA runtime linked into it: the linker's --wrap leads the plugin's calls of NAME to
/// __wrap_NAME here, and __real_NAME is the runtime's. The plugin's own code stays as it is.

#include "faults.hpp"

#include <algorithm>
#include <atomic>
#include <cuda_runtime_api.h>
#include <iterator>
#include <mutex>
#include <utility>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::testing {

void start_trap(cudaStream_t stream);  // trap.cu

namespace {

constexpr cudaError_t kErrors[] = {
    cudaErrorMemoryAllocation,     cudaErrorMemoryAllocation,      cudaErrorInvalidValue,
    cudaErrorLaunchOutOfResources, cudaErrorInvalidResourceHandle, cudaErrorInvalidResourceHandle,
    cudaErrorInvalidValue,         cudaErrorInvalidResourceHandle, cudaErrorInvalidValue};
static_assert(std::size(kErrors) == static_cast<size_t>(Call::count));
constexpr auto kKinds = static_cast<size_t>(Call::count);

std::mutex mutex;
Call armed = Call::count;
uint64_t wanted = 0, wanted_trap = 0, counts[kKinds] = {};
bool came = false;
std::atomic<int64_t> not_asked_for{0};
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t set_last(cudaError_t error) {
  if (last_error == cudaSuccess) ++not_asked_for;
  return last_error = error;
}

cudaError_t take_last() {
  if (last_error != cudaSuccess) --not_asked_for;
  return std::exchange(last_error, cudaSuccess);
}

/// Counts a call, and says whether it is the one to fail.
bool fails(Call kind) {
  const std::lock_guard lock(mutex);
  const uint64_t count = ++counts[static_cast<size_t>(kind)];
  if (kind != armed || count != wanted) return false;
  return came = true;
}

bool traps() {
  const std::lock_guard lock(mutex);
  if (wanted_trap == 0 || counts[static_cast<size_t>(Call::launch)] != wanted_trap) return false;
  return came = true;
}

template <class Real, class... Arguments>
cudaError_t call(Call kind, Real&& real, Arguments... arguments) {
  return fails(kind) ? set_last(kErrors[static_cast<size_t>(kind)]) : real(arguments...);
}

template <class Real, class... Arguments>
cudaError_t release(Real&& real, Arguments... arguments) {
  const cudaError_t error = real(arguments...);
  return fails(Call::release) && error == cudaSuccess ? set_last(kErrors[static_cast<size_t>(Call::release)]) : error;
}

void arm_any(Call kind, uint64_t k, uint64_t trap) {
  const std::lock_guard lock(mutex);
  armed = kind;
  wanted = k;
  wanted_trap = trap;
  came = false;
  std::fill(std::begin(counts), std::end(counts), uint64_t{0});
}

constexpr Faults kFaults{
    .arm = [](Call kind, uint64_t k) { arm_any(kind, k, 0); },
    .calls =
        [](Call kind) {
          const std::lock_guard lock(mutex);
          return counts[static_cast<size_t>(kind)];
        },
    .failed =
        [] {
          const std::lock_guard lock(mutex);
          return came;
        },
    .left = [] { return not_asked_for.load(); },
    .arm_trap = [](uint64_t k) { arm_any(Call::count, 0, k); },
    .leave_last_error =
        [] {
          void* data = nullptr;
          return cudaMalloc(&data, size_t{1} << 60) != cudaSuccess;
        },
    .memory_type =
        [](const void* address) {
          cudaPointerAttributes attributes{};
          const cudaError_t error = cudaPointerGetAttributes(&attributes, address);
          return error == cudaSuccess ? static_cast<int32_t>(attributes.type) : -1;
        },
};

}  // namespace

extern "C" CUZK_EXPORT const Faults* cuzk_faults() { return &kFaults; }

}  // namespace cuzk::testing

using cuzk::testing::Call;
using cuzk::testing::call;
using cuzk::testing::release;

// Kernel<<<...>>> calls this function, which is not in the runtime's headers for host compilers.
extern "C" cudaError_t CUDARTAPI __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);

extern "C" {

#define CUZK_REAL(name) decltype(name) __real_##name
CUZK_REAL(cudaMalloc);
CUZK_REAL(cudaHostRegister);
CUZK_REAL(cudaStreamCreateWithPriority);
CUZK_REAL(cudaEventCreateWithFlags);
CUZK_REAL(cudaMemcpyAsync);
CUZK_REAL(cudaMemsetAsync);
CUZK_REAL(cudaEventRecord);
CUZK_REAL(cudaStreamWaitEvent);
CUZK_REAL(cudaStreamSynchronize);
CUZK_REAL(cudaEventSynchronize);
CUZK_REAL(cudaFuncGetAttributes);
CUZK_REAL(cudaDeviceGetAttribute);
CUZK_REAL(cudaDeviceGetStreamPriorityRange);
CUZK_REAL(cudaMemGetInfo);
CUZK_REAL(cudaGetDevice);
CUZK_REAL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
CUZK_REAL(cudaEventQuery);
CUZK_REAL(cudaFree);
CUZK_REAL(cudaStreamDestroy);
CUZK_REAL(cudaEventDestroy);
CUZK_REAL(cudaHostUnregister);
CUZK_REAL(cudaGetLastError);
CUZK_REAL(cudaPeekAtLastError);
#undef CUZK_REAL

cudaError_t __wrap_cudaMalloc(void** out, size_t bytes) {
  return call(Call::allocation, __real_cudaMalloc, out, bytes);
}
cudaError_t __wrap_cudaHostRegister(void* block, size_t bytes, unsigned flags) {
  return call(Call::allocation, __real_cudaHostRegister, block, bytes, flags);
}
cudaError_t __wrap_cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
  return call(Call::creation, __real_cudaStreamCreateWithPriority, out, flags, priority);
}
cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  return call(Call::creation, __real_cudaEventCreateWithFlags, out, flags);
}
cudaError_t __wrap_cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call(Call::copy, __real_cudaMemcpyAsync, to, from, bytes, kind, stream);
}
cudaError_t __wrap_cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return call(Call::copy, __real_cudaMemsetAsync, to, value, bytes, stream);
}
cudaError_t CUDARTAPI __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                                size_t shared, cudaStream_t stream) {
  if (cuzk::testing::fails(Call::launch)) return cuzk::testing::set_last(cudaErrorLaunchOutOfResources);
  if (cuzk::testing::traps()) {
    cuzk::testing::start_trap(stream);
    return cudaSuccess;
  }
  return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call(Call::fence, __real_cudaEventRecord, event, stream);
}
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return call(Call::fence, __real_cudaStreamWaitEvent, stream, event, flags);
}
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  return call(Call::wait, __real_cudaStreamSynchronize, stream);
}
cudaError_t __wrap_cudaEventSynchronize(cudaEvent_t event) {
  return call(Call::wait, __real_cudaEventSynchronize, event);
}
cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* out, const void* kernel) {
  return call(Call::question, __real_cudaFuncGetAttributes, out, kernel);
}
cudaError_t __wrap_cudaDeviceGetAttribute(int* out, cudaDeviceAttr which, int device) {
  return call(Call::question, __real_cudaDeviceGetAttribute, out, which, device);
}
cudaError_t __wrap_cudaDeviceGetStreamPriorityRange(int* least, int* most) {
  return call(Call::question, __real_cudaDeviceGetStreamPriorityRange, least, most);
}
cudaError_t __wrap_cudaMemGetInfo(size_t* free, size_t* total) {
  return call(Call::question, __real_cudaMemGetInfo, free, total);
}
cudaError_t __wrap_cudaGetDevice(int* out) { return call(Call::question, __real_cudaGetDevice, out); }
cudaError_t __wrap_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, const void* kernel, int threads,
                                                                          size_t shared, unsigned flags) {
  return call(Call::question, __real_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, out, kernel, threads,
              shared, flags);
}
cudaError_t __wrap_cudaEventQuery(cudaEvent_t event) { return call(Call::poll, __real_cudaEventQuery, event); }
cudaError_t __wrap_cudaFree(void* data) { return release(__real_cudaFree, data); }
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream) { return release(__real_cudaStreamDestroy, stream); }
cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event) { return release(__real_cudaEventDestroy, event); }
cudaError_t __wrap_cudaHostUnregister(void* block) { return release(__real_cudaHostUnregister, block); }
cudaError_t __wrap_cudaGetLastError() {
  const cudaError_t real = __real_cudaGetLastError(), made = cuzk::testing::take_last();
  return made != cudaSuccess ? made : real;
}
cudaError_t __wrap_cudaPeekAtLastError() {
  return cuzk::testing::last_error != cudaSuccess ? cuzk::testing::last_error : __real_cudaPeekAtLastError();
}
}
