#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/fits.hpp>
#include <cuzk/loader/compose.hpp>
#include <cuzk/runtime/modelled.hpp>

namespace cuzk {
namespace {

using PluginPtr = std::shared_ptr<Plugin>;

constexpr Role kDeviceRoles[] = {Role::staging, Role::ntt, Role::msm};
constexpr Role kRoles[] = {Role::staging, Role::ntt, Role::msm, Role::lock};
constexpr std::string_view kDefaultLockPlugin = "interlocks", kDefaultLock = "single-lock";
constexpr std::string_view kPlainStaging = "sync";

[[noreturn]] void unusable(const std::string& message) { throw Error(ErrorCode::unusable, message); }

void append(std::string& list, const std::string& item, const char* separator) {
  if (!list.empty()) list += separator;
  list += item;
}

const std::string& asked(const StrategyRequest& request, Role role) {
  switch (role) {
    case Role::staging:
      return request.staging;
    case Role::ntt:
      return request.ntt;
    case Role::msm:
      return request.msm;
    default:
      return request.lock;
  }
}

/// What was asked for: a device by its number, or all of a name.
struct DeviceWish {
  std::string name = {};                ///< empty: the strategy's own
  std::optional<uint32_t> number = {};  ///< nothing: all
};

/// "cpu:1" -> {"cpu", 1}, "1" -> {"", 1}, "all" -> {}.
DeviceWish parse_device(const std::string& device) {
  if (device == "all") return {};
  const size_t colon = device.find(':');
  const size_t begin = colon == device.npos ? 0 : colon + 1;
  uint32_t number = 0;
  const char* const end = device.data() + device.size();
  const auto [stop, error] = std::from_chars(device.data() + begin, end, number);
  if (colon != 0 && error == std::errc() && stop == end && std::to_string(number) == device.substr(begin)) {
    return {begin == 0 ? "" : device.substr(0, colon), number};
  }
  throw Error(ErrorCode::usage,
              "device '" + device + "', expected a name and a number as in cpu:0, a number alone, or all");
}

class Composer {
 public:
  Composer(PluginRegistry& registry, const StrategyRequest& request) : registry_(registry), request_(request) {}

  Composition run() {
    if (request_.workers == 0) throw Error(ErrorCode::usage, "0 workers, expected at least 1");
    for (const std::string& device : request_.devices) devices_.push_back(parse_device(device));
    for (const Role role : kRoles) {
      if (!asked(request_, role).empty()) chosen_[index(role)] = find_component(role, asked(request_, role));
    }
    if (!request_.plugin.empty()) base_ = registry_.require(request_.plugin);
    fill_from_base();
    if (!complete()) fill_from_best();
    fill_lock();
    open_devices();
    check();
    Composition composition{strategy(), reason()};
    if (const auto& model = request_.device_model) {
      composition.strategy = modelled(std::move(composition.strategy), registry_.services(), *model);
      composition.reason += "; devices play the card " + model->name;
    }
    return composition;
  }

 private:
  static size_t index(Role role) { return static_cast<size_t>(role) - 1; }
  const std::shared_ptr<const Component>& chosen(Role role) const { return chosen_[index(role)]; }

  std::string misfit_of(const Component& component, uint32_t device_kind) const {
    return misfit(component.info(), device_kind, request_.curve, request_.log2_size);
  }

  std::shared_ptr<const Component> find_component(Role role, const std::string& wanted) const {
    const std::string role_name(name(role));
    std::vector<std::shared_ptr<const Component>> fits;
    std::string there;
    const size_t slash = wanted.find('/');
    if (slash != wanted.npos) registry_.require(wanted.substr(0, slash));
    for (const PluginPtr& plugin : registry_.plugins()) {
      for (const auto& component : plugin->components()) {
        const ComponentInfo& info = component->info();
        if (info.role != role) continue;
        append(there, info.full_name(), ", ");
        if (wanted == (slash == wanted.npos ? info.name : info.full_name())) fits.push_back(component);
      }
    }
    if (fits.empty()) {
      unusable("no " + role_name + " component '" + wanted + "'; there " +
               (there.empty() ? "is none" : "are " + there));
    }
    if (fits.size() == 1) return fits.front();
    std::string names;
    for (const auto& component : fits) append(names, component->info().full_name(), ", ");
    throw Error(ErrorCode::usage, role_name + " '" + wanted + "' is ambiguous: " + names);
  }

  bool complete() const {
    return wanted_device_name() && chosen(Role::staging) && chosen(Role::ntt) && chosen(Role::msm);
  }

  void fill_from_base() {
    if (base_ == nullptr) return;
    for (const Role role : kRoles) {
      if (!chosen(role)) chosen_[index(role)] = base_->component(role);
    }
  }

  /// The kind of the devices asked for, or of the base's own; nothing where neither says it.
  std::optional<std::string> wanted_device_name() const {
    for (const DeviceWish& wish : devices_) {
      if (!wish.name.empty()) return wish.name;
    }
    if (base_ != nullptr && !base_->device_name().empty()) return base_->device_name();
    return {};
  }

  /// "" where this plugin can supply what is still missing.
  std::string why_not(const Plugin& plugin) const {
    if (const auto wanted = wanted_device_name(); wanted && *wanted != plugin.device_name()) {
      return "its device is " + plugin.device_name() + ", not " + *wanted;
    }
    for (const Role role : kDeviceRoles) {
      const auto component = chosen(role) ? chosen(role) : plugin.component(role);
      if (!component) return "brings no " + std::string(name(role)) + " component";
      if (std::string reason = misfit_of(*component, plugin.device_kind()); !reason.empty()) return reason;
    }
    const Plugin::DeviceCount& devices = plugin.device_count();
    return devices.count == 0 ? devices.reason : std::string();
  }

  /// Smaller is better: what was asked for runs on the device, then cuda, vendors' own, host-addressable; then those
  /// whose staging moves page-locked memory beside the CPU; then by name.
  auto rank(const Plugin& plugin) const {
    const uint32_t kind = plugin.device_kind();
    int in_host = 0;
    for (const Role role : {Role::ntt, Role::msm}) {
      if (chosen(role) && !chosen(role)->info().runs_in(kind)) ++in_host;
    }
    const int speed = kind == CUZK_SPACE_CUDA ? 0 : host_addressable(kind) ? 2 : 1;
    const auto staging = chosen(Role::staging) ? chosen(Role::staging) : plugin.component(Role::staging);
    const bool waits = (staging->info().api_flags & CUZK_STAGING_PINNED) == 0;
    return std::tuple(in_host, speed, waits, plugin.name());
  }

  void fill_from_best() {
    if (const auto wanted = wanted_device_name()) device_plugin(*wanted);  // or says which devices there are
    for (const PluginPtr& plugin : registry_.plugins()) {
      if (plugin->device_name().empty()) continue;
      const std::string reason = why_not(*plugin);
      if (!reason.empty()) {
        append(rejected_, plugin->name() + ": " + reason, "; ");
      } else if (!best_ || rank(*plugin) < rank(*best_)) {
        best_ = plugin;
      }
    }
    for (const Verdict& verdict : registry_.verdicts()) {
      if (verdict.stage < LoadStage::elf || verdict.stage >= LoadStage::name) continue;
      append(rejected_, verdict.path.filename().string() + ": " + verdict.reason, "; ");
    }
    if (!best_) {
      unusable("no usable plugin with a device, staging, ntt and msm: " +
               (rejected_.empty() ? "none is loaded" : rejected_));
    }
    for (const Role role : kDeviceRoles) {
      if (!chosen(role)) chosen_[index(role)] = best_->component(role);
    }
  }

  void fill_lock() {
    auto& lock = chosen_[index(Role::lock)];
    if (!lock && best_) lock = best_->component(Role::lock);
    if (lock) return;
    const PluginPtr interlocks = registry_.require(kDefaultLockPlugin);
    lock = interlocks->component(Role::lock, kDefaultLock);
    if (!lock) unusable("plugin interlocks brings no lock policy " + std::string(kDefaultLock));
  }

  /// The plugin whose device of that name is meant: the strategy's own first.
  PluginPtr device_plugin(const std::string& device_name) const {
    std::vector<PluginPtr> order{base_, best_};
    if (chosen(Role::staging)) order.push_back(registry_.find(chosen(Role::staging)->info().plugin));
    order.insert(order.end(), registry_.plugins().begin(), registry_.plugins().end());
    std::string there;
    for (const PluginPtr& plugin : order) {
      if (plugin && plugin->device_name() == device_name) return plugin;
    }
    for (const PluginPtr& plugin : registry_.plugins()) {
      if (!plugin->device_name().empty()) append(there, plugin->device_name() + " (" + plugin->name() + ")", ", ");
    }
    unusable("no loaded plugin brings a device '" + device_name + "'; there " +
             (there.empty() ? "is none" : "are " + there));
  }

  void open_devices() {
    const std::string own = wanted_device_name().value_or(best_ ? best_->device_name() : "");
    if (devices_.empty()) devices_.push_back({own, 0U});
    for (const DeviceWish& wish : devices_) {
      const PluginPtr plugin = device_plugin(wish.name.empty() ? own : wish.name);
      if (wish.number) {
        open_device(*plugin, *wish.number);
        continue;
      }
      const uint32_t count = std::max(plugin->device_count().count, 1U);  // the first says why there is none
      for (uint32_t i = 0; i < count; ++i) open_device(*plugin, i);
    }
  }

  void open_device(Plugin& plugin, uint32_t number) {
    auto device = plugin.device(number);
    if (std::find(opened_.begin(), opened_.end(), device) != opened_.end()) {
      throw Error(ErrorCode::usage, "device " + device->name() + " is given twice");
    }
    opened_.push_back(std::move(device));
  }

  void check() const {
    for (const auto& device : opened_) {
      const uint32_t kind = device->space().kind;
      for (const Role role : kRoles) {
        const ComponentInfo& info = chosen(role)->info();
        if (const std::string reason = misfit_of(*chosen(role), kind); !reason.empty()) {
          unusable("device " + device->name() + ": " + reason);
        }
        const uint32_t own = registry_.require(info.plugin)->facts().cuda_major;
        const uint32_t devices = registry_.require(device->plugin())->facts().cuda_major;
        if (kind == CUZK_SPACE_CUDA && role != Role::lock && info.runs_in(kind) && own != devices) {
          unusable(info.full_name() + " is built with CUDA " + std::to_string(own) + ", the device's plugin " +
                   device->plugin() + " with CUDA " + std::to_string(devices));
        }
      }
    }
  }

  Strategy strategy() const {
    Strategy strategy;
    strategy.devices = opened_;
    strategy.staging = std::dynamic_pointer_cast<const StagingComponent>(chosen(Role::staging));
    strategy.ntt = std::dynamic_pointer_cast<const NttComponent>(chosen(Role::ntt));
    strategy.msm = std::dynamic_pointer_cast<const MsmComponent>(chosen(Role::msm));
    strategy.lock = std::dynamic_pointer_cast<const LockComponent>(chosen(Role::lock));
    strategy.workers = request_.workers;
    strategy.stream_bases = request_.stream_bases;
    strategy.plain_staging = plain_staging();
    return strategy;
  }

  /// Of the staging's own plugin; null: it has none of that name.
  std::shared_ptr<const StagingComponent> plain_staging() const {
    const PluginPtr plugin = registry_.require(chosen(Role::staging)->info().plugin);
    return std::dynamic_pointer_cast<const StagingComponent>(plugin->component(Role::staging, kPlainStaging));
  }

  std::string reason() const {
    std::string text;
    if (base_) append(text, "plugin " + base_->name() + " as asked", "; ");
    if (best_) {
      append(text, (base_ ? "the rest from " + best_->name() : "plugin " + best_->name()) + ", the best usable one",
             "; ");
    }
    const std::string& main = base_ ? base_->name() : best_ ? best_->name() : std::string();
    for (const Role role : kRoles) {
      const ComponentInfo& info = chosen(role)->info();
      if (info.plugin == main) continue;
      append(text,
             std::string(name(role)) + " " + info.full_name() + (asked(request_, role).empty() ? "" : " as asked"),
             "; ");
    }
    for (const auto& device : opened_) {
      if (device->plugin() != main) append(text, "device " + device->name() + " of " + device->plugin(), "; ");
    }
    if (request_.stream_bases) append(text, "bases streamed as asked", "; ");
    if (best_ && !rejected_.empty()) append(text, "not usable: " + rejected_, "; ");
    return text;
  }

  PluginRegistry& registry_;
  const StrategyRequest& request_;
  PluginPtr base_;  ///< asked for
  PluginPtr best_;  ///< picked for what the base lacks
  std::array<std::shared_ptr<const Component>, std::size(kRoles)> chosen_;
  std::vector<DeviceWish> devices_;
  std::vector<std::shared_ptr<Device>> opened_;
  std::string rejected_;
};

}  // namespace

Composition compose(PluginRegistry& registry, const StrategyRequest& request) {
  registry.require_asked();
  return Composer(registry, request).run();
}

}  // namespace cuzk
