#include "adapters.hpp"
#include "boundary.hpp"
#include "check_plugin.hpp"
#include "table.hpp"

#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/loader/plugin.hpp>

namespace cuzk {
namespace {

ComponentInfo info_of(const std::string& plugin, const cuzk_component& component) {
  ComponentInfo info;
  info.plugin = plugin;
  info.name = text(component.name);
  info.summary = one_line(text(component.summary));
  info.role = Role{component.role};
  info.space_kinds = component.space_kinds;
  info.curves = component.curves;
  info.groups = component.groups;
  info.max_log2_size = component.max_log2_size;
  info.flags = component.flags;
  return info;
}

std::shared_ptr<const Component> adapt(HostServices& services, ComponentInfo info, const void* api) {
  switch (info.role) {
    case Role::staging:
      return adapt_staging(std::move(info), api);
    case Role::ntt:
      return adapt_ntt(services, std::move(info), api);
    case Role::msm:
      return adapt_msm(std::move(info), api);
    default:
      return adapt_lock(std::move(info), api);
  }
}

/// A driver that is not there, or a plugin that breaks its word, is a reason and no error.
Plugin::DeviceCount ask_count(const cuzk_device_api& api) {
  Plugin::DeviceCount answer;
  try {
    cuzk_status status{};
    const int32_t code = guarded("count", [&] { return api.count(&answer.count, &status); });
    if (code != CUZK_OK) answer.count = 0;
    if (answer.count == 0) {
      answer.reason = code == CUZK_OK && status.message[0] == '\0' ? "has no device" : status_text(code, status);
    }
  } catch (const Error& error) {
    answer = {0, error.what()};
  }
  return answer;
}

}  // namespace

Plugin::Plugin(HostServices& services, std::filesystem::path path, const cuzk_plugin& answered) {
  const auto table = read_table<cuzk_plugin>(&answered);
  facts_.name = text(table.name);
  facts_.version = one_line(text(table.version));
  facts_.license = one_line(text(table.license));
  facts_.author = one_line(text(table.author));
  facts_.built_for = one_line(text(table.built_for));
  facts_.abi = table.abi;
  facts_.cuda_major = table.cuda_major;
  facts_.path = std::move(path);
  shutdown_ = table.shutdown;
  for (uint32_t i = 0; i < table.component_count; ++i) {
    const auto component = read_table<cuzk_component>(table.components[i]);
    if (is_known_role(component.role)) {
      components_.push_back(adapt(services, info_of(facts_.name, component), component.api));
    }
  }
  if (table.device != nullptr) {
    device_api_ = read_table<cuzk_device_api>(table.device);
    device_name_ = text(device_api_.name);
  }
}

std::shared_ptr<const Component> Plugin::component(Role role, std::string_view name) const {
  for (const auto& component : components_) {
    const ComponentInfo& info = component->info();
    if (info.role == role && (name.empty() || info.name == name)) return component;
  }
  return nullptr;
}

const Plugin::DeviceCount& Plugin::device_count() const {
  const std::lock_guard lock(mutex_);
  if (count_ == nullptr) {
    DeviceCount answer;
    if (device_name_.empty()) {
      answer.reason = "brings no device";
    } else {
      answer = ask_count(device_api_);
    }
    count_ = std::make_unique<DeviceCount>(std::move(answer));
  }
  return *count_;
}

std::shared_ptr<Device> Plugin::device(uint32_t index) {
  const DeviceCount& devices = device_count();
  if (index >= devices.count) {
    const std::string found =
        devices.count == 0 ? devices.reason : "has " + std::to_string(devices.count) + ", counted from 0";
    throw Error(ErrorCode::unusable, "device " + device_name_ + ":" + std::to_string(index) +
                                         " is not there: " + facts_.name + ": " + found);
  }
  const std::lock_guard lock(mutex_);
  if (devices_.size() <= index) devices_.resize(index + 1);
  if (devices_[index] == nullptr) devices_[index] = adapt_device(facts_.name, device_api_, index);
  return devices_[index];
}

void Plugin::shutdown() noexcept {
  if (shutdown_ != nullptr) std::exchange(shutdown_, nullptr)();
}

}  // namespace cuzk
