#pragma once
/// What a test needs around a plugin: the engine's services, the plugin loaded as users load it, places for operands.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <cuzk/lease.hpp>
#include <cuzk/loader/plugin_registry.hpp>
#include <cuzk/runtime/device_queue.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk::conformance {

struct Options {
  std::filesystem::path plugin;
  uint32_t threads = 0;    ///< of the engine; 0: as many CPUs as it may use
  unsigned max_log2 = 12;  ///< largest sizes are 2^max_log2 + 1
};
Options& options();

/// Bytes in one place with guard bands on both sides.
class Buffer;

/// Where a component's operands live: a device's space, or host memory.
class Place {
 public:
  Place(HostServices&, std::shared_ptr<Device> device);  ///< null: host memory
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  cuzk_space space() const { return device_ == nullptr ? cuzk_space{CUZK_SPACE_HOST, 0} : device_->space(); }
  bool host_addressable() const { return device_ == nullptr || device_->host_addressable(); }
  Device* device() const { return device_.get(); }
  cuzk_device_info info() const;

  /// A compute lease for one call or job with this workspace.
  Lease lease(cuzk_mem workspace = {});
  /// A fence for one call, kind 0 where calls are synchronous; freed with the place.
  cuzk_fence fence();
  void wait(cuzk_fence fence);

 private:
  friend class Buffer;
  cuzk_mem allocate(uint64_t bytes);
  void release(cuzk_mem memory) noexcept;
  void read(void* to, cuzk_mem from);
  void write(cuzk_mem to, const void* from, uint64_t bytes);

  HostServices& services_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<DeviceQueue> queue_;
  std::unique_ptr<Lease> right_;  ///< the one compute lease that lease() hands on
  std::vector<cuzk_fence> fences_;
};

class Buffer {
 public:
  /// `misalign` bytes beyond a multiple of 256.
  Buffer(Place&, uint64_t bytes, uint64_t misalign = 0);
  Buffer(Place&, const void* data, uint64_t bytes, uint64_t misalign = 0);
  ~Buffer();  ///< a changed guard band fails the test
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  cuzk_mem mem() const { return part(memory_, kGuard + misalign_, bytes_); }
  void read(void* to) const { place_.read(to, mem()); }
  void write(const void* from) { write(from, bytes_); }
  void write(const void* from, uint64_t bytes) { place_.write(mem(), from, bytes); }  ///< the first so many
  bool guards_intact() const;

 private:
  static constexpr uint64_t kGuard = 4096;
  static cuzk_mem part(cuzk_mem memory, uint64_t offset, uint64_t bytes);

  Place& place_;
  uint64_t bytes_, misalign_;
  cuzk_mem memory_;
};

/// The engine with one plugin. One at a time.
class Engine {
 public:
  explicit Engine(uint32_t threads = options().threads);

  HostServices& services() { return services_; }
  Plugin& plugin() { return *plugin_; }
  /// The plugin's component of that role and name as T.
  template <class T>
  std::shared_ptr<const T> component(Role role, const std::string& name) {
    return std::dynamic_pointer_cast<const T>(plugin_->component(role, name));
  }
  /// The plugin's own device where the component runs in its space, else host memory.
  std::unique_ptr<Place> place_for(const Component& component);

 private:
  HostServices services_;
  PluginRegistry registry_;
  std::shared_ptr<Plugin> plugin_;
};

/// Components of a role that the plugin under test has, and what decides which cases apply to them; read once, before
/// the tests.
struct Offer {
  std::string name;
  uint32_t curves, groups, max_log2_size;
  bool host_addressable = false;  ///< its operands' place
  bool selects = false;           ///< msm: takes masks
  bool many = false;              ///< msm: takes several queries
  bool multiples = false;         ///< msm: makes many multiples of one point
  bool loads = false;             ///< msm: wants bases resident where there is room
  bool adopts = false;            ///< staging
  bool pinned = false;            ///< staging: moves page-locked memory without the CPU
};
std::vector<Offer> offers(Role role);

}  // namespace cuzk::conformance
