#include "device_health.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace cuzk {

DeviceHealth* device_health(cuzk_space space, const std::string& name) {
  if (space.kind == CUZK_SPACE_HOST) return nullptr;
  static std::mutex mutex;
  // Never destroyed: components may call until the process ends.
  static auto& devices = *new std::map<std::pair<uint32_t, int32_t>, DeviceHealth>;
  const std::lock_guard lock(mutex);
  const std::string fallback = "space " + std::to_string(space.kind) + ":" + std::to_string(space.index);
  return &devices.try_emplace({space.kind, space.index}, name.empty() ? fallback : name).first->second;
}

}  // namespace cuzk
