#include "device.hpp"

#include "copy.hpp"
#include "memory_limits.hpp"
#include "select.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/mman.h>

namespace cuzk::cpu {

cuzk_device_info CpuDevice::info(int32_t index) {
  if (index < 0 || index >= static_cast<int32_t>(kCount)) {
    throw sdk::Error(CUZK_BAD_ARGUMENT,
                     "cpu:" + std::to_string(index) + ", expected 0 to " + std::to_string(kCount - 1));
  }
  const HostMemory memory = host_memory();
  return {.struct_size = sizeof(cuzk_device_info),
          .space = {CUZK_SPACE_MODEL, index},
          .units = sdk::host().threads(),
          .arch = 0,
          .memory_total = memory.total,
          .memory_free = memory.free,
          .name = sdk::str("host memory and threads")};
}

cuzk_mem CpuDevice::alloc(cuzk_space space, uint64_t bytes) {
  if (bytes == 0) return {nullptr, 0, space};
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    throw sdk::Error(CUZK_OUT_OF_MEMORY, "mmap of " + std::to_string(bytes) + " bytes: " + std::strerror(errno), errno);
  }
  return {data, bytes, space};
}

void CpuDevice::free(cuzk_mem memory) {
  if (memory.data != nullptr) munmap(memory.data, memory.bytes);
}

void CpuDevice::copy(cuzk_mem dst, cuzk_mem src, cuzk_fence, cuzk_fence) {
  copy_and_clear(dst.data, dst.bytes, src.data, src.bytes);
}

}  // namespace cuzk::cpu
