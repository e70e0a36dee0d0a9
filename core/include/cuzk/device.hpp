#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

/// True for kinds of spaces (CUZK_SPACE_*) whose memory the CPU reads and writes in place.
constexpr bool host_addressable(uint32_t space_kind) {
  return space_kind == CUZK_SPACE_HOST || space_kind == CUZK_SPACE_MODEL;
}

/// One memory space and the hardware behind it. Brought by a plugin; the loader adapts its cuzk_device_api.
/// alloc, free, pin, unpin and make_fence run only while a strategy opens or closes or a key loads.
/// Threads: every function may be called from any thread. Errors: cuzk::Error naming the device;
/// unusable from every call once the device was lost.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;       ///< as users write it: "cpu:0"
  virtual std::string plugin() const = 0;     ///< the plugin that brought it
  virtual cuzk_space space() const = 0;       ///< asks nobody
  virtual cuzk_device_info info() const = 0;  ///< memory_free is read anew at each call
  bool host_addressable() const { return cuzk::host_addressable(space().kind); }
  /// Every call is done when it returns: nothing of one ticket overlaps.
  virtual bool synchronous() const { return host_addressable(); }
  virtual bool lost() const { return false; }  ///< for good: until the process ends

  virtual cuzk_mem alloc(uint64_t bytes) = 0;  ///< Ledger's alone; 256-byte aligned
  virtual void free(cuzk_mem memory) noexcept = 0;
  virtual bool can_pin() const = 0;
  virtual void pin(std::span<std::byte> block) = 0;  ///< HostPool's alone; whole page-aligned blocks
  virtual void unpin(std::span<std::byte> block) noexcept = 0;
  /// The plain mover, both ways; the tail of dst beyond src is zeroed. May be synchronous.
  virtual void copy(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done) = 0;
  virtual cuzk_fence make_fence() = 0;
  virtual void wait(cuzk_fence fence) = 0;
  virtual void free_fence(cuzk_fence fence) noexcept = 0;
};

}  // namespace cuzk
