#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include <cuzk/lease.hpp>
#include <cuzk/runtime/device_queue.hpp>
#include <cuzk/runtime/host_services.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk::bench {

/// Where a component's operands live, the strategy's first device or host memory, with the right to be there: one
/// ticket in compute. One thread.
class Site {
 public:
  Site(HostServices&, const Strategy&, const Component&);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  cuzk_space space() const;
  cuzk_device_info info() const;
  Lease lease(cuzk_mem workspace, cuzk_mem pinned) const;
  /// The one fence, null where calls are synchronous; wait() is for the call that recorded it last.
  cuzk_fence fence() const { return fence_; }
  void wait() const;

 private:
  friend class Memory;
  HostServices& services_;
  std::shared_ptr<Device> device_;  ///< null: host memory
  std::unique_ptr<DeviceQueue> queue_;
  std::unique_ptr<Lease> right_;
  cuzk_fence fence_{};
};

/// Bytes at a site, or in host memory.
class Memory {
 public:
  Memory(const Site&, uint64_t bytes);
  explicit Memory(uint64_t bytes);  ///< host memory
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  cuzk_mem mem() const { return memory_; }
  void write(std::span<const std::byte> bytes);

 private:
  const Site* site_ = nullptr;
  cuzk_mem memory_{};
};

}  // namespace cuzk::bench
