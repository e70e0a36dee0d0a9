#include "memory_limits.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace cuzk::cpu {
namespace {

namespace fs = std::filesystem;

/// A file that holds one number; "max" and what is no number are none.
std::optional<uint64_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

HostMemory read_meminfo(const fs::path& path) {
  HostMemory memory{0, 0};
  std::ifstream file(path);
  std::string key;
  uint64_t kib = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (!(words >> key >> kib)) continue;
    if (key == "MemTotal:") memory.total = kib * 1024;
    if (key == "MemAvailable:") memory.free = kib * 1024;
  }
  return memory;
}

/// One hierarchy: where it is mounted and what the files are called.
struct Hierarchy {
  const char *mount, *limit, *usage;
};
constexpr Hierarchy kV1{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"};
constexpr Hierarchy kV2{"sys/fs/cgroup", "memory.max", "memory.current"};
constexpr Hierarchy kV2Hybrid{"sys/fs/cgroup/unified", "memory.max", "memory.current"};

/// Cuts `memory` to the limits of `group` and of those above it. In a container the group's own path may not be there;
/// the mount's root then is the group.
void apply(const fs::path& root, const Hierarchy& hierarchy, const fs::path& group, HostMemory& memory) {
  const fs::path mount = root / hierarchy.mount;
  for (fs::path at = group.relative_path();; at = at.parent_path()) {
    if (const auto limit = read_number(mount / at / hierarchy.limit)) {
      const uint64_t used = read_number(mount / at / hierarchy.usage).value_or(0);
      memory.total = std::min(memory.total, *limit);
      memory.free = std::min(memory.free, *limit > used ? *limit - used : 0);
    }
    if (at.empty()) return;
  }
}

}  // namespace

HostMemory host_memory(const fs::path& root) {
  HostMemory memory = read_meminfo(root / "proc/meminfo");
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "number:controllers:path"
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") {
      apply(root, kV2, group, memory);
      apply(root, kV2Hybrid, group, memory);
    } else if (controllers.find(",memory,") != std::string::npos) {
      apply(root, kV1, group, memory);
    }
  }
  return memory;
}

}  // namespace cuzk::cpu
