#include "device.hpp"

#include "cards.hpp"
#include "check.hpp"
#include "driver.hpp"
#include "move.hpp"
#include "spans.hpp"
#include "targets.hpp"

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include <cuzk/sdk/error.hpp>
#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {
namespace {

/// A fence's device: a call about an event goes by its own device, lest it report another one's failure.
class FenceDevices {
 public:
  void add(void* event, uint32_t device) {
    const std::lock_guard lock(mutex_);
    devices_.emplace(event, device);
  }
  uint32_t find(void* event) {
    const std::lock_guard lock(mutex_);
    const auto found = devices_.find(event);
    if (found == devices_.end()) throw sdk::Error(CUZK_BAD_ARGUMENT, "a fence that this plugin's device did not make");
    return found->second;
  }
  void remove(void* event) {
    const std::lock_guard lock(mutex_);
    devices_.erase(event);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, uint32_t> devices_;
};

FenceDevices& fence_devices() {
  static FenceDevices& one = *new FenceDevices;  // core may free fences while the process ends
  return one;
}

/// A card's name, kept as long as the process lives.
std::string_view kept(uint32_t index, const std::string& name) {
  static std::mutex mutex;
  static auto& names = *new std::map<uint32_t, std::string>;
  const std::lock_guard lock(mutex);
  return names.try_emplace(index, name).first->second;
}

}  // namespace

uint32_t CudaDevice::count() { return count_cards(); }

cuzk_device_info CudaDevice::info(int32_t index) {
  const uint32_t count = count_cards();
  if (index < 0 || static_cast<uint32_t>(index) >= count) {
    throw sdk::Error(CUZK_BAD_ARGUMENT,
                     "cuda:" + std::to_string(index) + ", expected 0 to " + std::to_string(count - 1));
  }
  const auto number = static_cast<uint32_t>(index);
  const Card found = card(number);
  if (!runs_on(kBuiltFor, found.arch)) throw sdk::Error(CUZK_REFUSED, "no kernels for " + mismatch(number, found));
  const DeviceGuard guard(number);
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return {.struct_size = sizeof(cuzk_device_info),
          .space = {CUZK_SPACE_CUDA, index},
          .units = found.units,
          .arch = found.arch,
          .memory_total = total,
          .memory_free = free,
          .name = sdk::str(kept(number, found.name))};
}

cuzk_mem CudaDevice::alloc(cuzk_space space, uint64_t bytes) {
  if (bytes == 0) return {nullptr, 0, space};
  const DeviceGuard guard(space);
  void* data = nullptr;
  check(cudaMalloc(&data, bytes), ("cudaMalloc of " + std::to_string(bytes) + " bytes").c_str());
  return {data, bytes, space};
}

void CudaDevice::free(cuzk_mem memory) {
  if (memory.data == nullptr) return;
  const DeviceGuard guard(memory.space);
  check(cudaFree(memory.data), "cudaFree");
}

void CudaDevice::pin(std::span<std::byte> block) {
  const DeviceGuard guard(driver().any_started());
  check(cudaHostRegister(block.data(), block.size(), cudaHostRegisterPortable),
        ("cudaHostRegister of " + std::to_string(block.size()) + " bytes").c_str());
}

void CudaDevice::unpin(void* block) {
  const DeviceGuard guard(driver().any_started());
  check(cudaHostUnregister(block), "cudaHostUnregister");
}

void CudaDevice::copy(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done) {
  const cuzk_space space = dst.space.kind == CUZK_SPACE_CUDA ? dst.space : src.space;
  const DeviceGuard guard(space);
  move_and_clear(Stream(space), dst, src, after, done);
}

cuzk_fence CudaDevice::make_fence(cuzk_space space) {
  const DeviceGuard guard(space);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync), "cudaEventCreate");
  fence_devices().add(event, static_cast<uint32_t>(space.index));
  return {.handle = event, .kind = CUZK_SPACE_CUDA, .reserved = 0};
}

void CudaDevice::wait(cuzk_fence fence) {
  const cudaEvent_t event = event_of(fence);
  if (event == nullptr) return;
  const uint32_t device = fence_devices().find(event);
  const DeviceGuard guard(device);
  wait_for(event);
  Spans::report_finished(device);
}

void CudaDevice::free_fence(cuzk_fence fence) {
  const cudaEvent_t event = event_of(fence);
  if (event == nullptr) return;
  const DeviceGuard guard(fence_devices().find(event));
  fence_devices().remove(event);
  check(cudaEventDestroy(event), "cudaEventDestroy");
}

}  // namespace cuzk::cuda
