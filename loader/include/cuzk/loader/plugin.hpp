#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/component.hpp>
#include <cuzk/device.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {

/// A loaded plugin: its facts, its components as core's classes, its devices. Threads: any.
class Plugin {
 public:
  struct Facts {
    std::string name, version, license, author, built_for;
    uint32_t abi = 0, cuda_major = 0;
    std::filesystem::path path;
  };
  struct DeviceCount {
    uint32_t count = 0;
    std::string reason;  ///< why there is none
  };

  /// table: checked (check_plugin), static in a library that is never unloaded.
  Plugin(HostServices&, std::filesystem::path path, const cuzk_plugin& table);

  const Facts& facts() const { return facts_; }
  const std::string& name() const { return facts_.name; }
  /// In the plugin's order: the first of a role is its default.
  std::span<const std::shared_ptr<const Component>> components() const { return components_; }
  /// The component of that name, or the first of the role for an empty name; null when there is none.
  std::shared_ptr<const Component> component(Role role, std::string_view name = {}) const;
  /// How its devices are written before the colon ("cpu"); empty: it brings none.
  const std::string& device_name() const { return device_name_; }
  uint32_t device_kind() const { return device_api_.kind; }  ///< CUZK_SPACE_*; meaningful with a device_name()
  /// Starts the driver at the first call and remembers the answer.
  const DeviceCount& device_count() const;
  /// One object a device, however often it is asked for. Error unusable when there is no such device.
  std::shared_ptr<Device> device(uint32_t index);
  void shutdown() noexcept;

 private:
  Facts facts_;
  std::vector<std::shared_ptr<const Component>> components_;
  std::string device_name_;
  cuzk_device_api device_api_{};
  void (*shutdown_)() = nullptr;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<DeviceCount> count_;
  std::vector<std::shared_ptr<Device>> devices_;
};

}  // namespace cuzk
