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

/// The number beside `key` in a file of "key number" lines.
std::optional<uint64_t> read_entry(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string name;
  uint64_t value = 0;
  while (file >> name >> value) {
    if (name == key) return value;
  }
  return std::nullopt;
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

/// One hierarchy: where it is mounted, what the files are called, and memory.stat's key for the file cache that the
/// kernel gives back before it lets an allocation fail.
struct Hierarchy {
  const char *mount, *limit, *usage, *cache;
};
constexpr Hierarchy kV1{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                        "total_inactive_file"};
constexpr Hierarchy kV2{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr Hierarchy kV2Hybrid{"sys/fs/cgroup/unified", "memory.max", "memory.current", "inactive_file"};

/// Cuts `memory` to the limits of `group` and of those above it. In a container the group's own path may not be there;
/// the mount's root then is the group.
void apply(const fs::path& root, const Hierarchy& hierarchy, const fs::path& group, HostMemory& memory) {
  const fs::path mount = root / hierarchy.mount;
  for (fs::path at = group.relative_path();; at = at.parent_path()) {
    if (const auto limit = read_number(mount / at / hierarchy.limit)) {
      const uint64_t usage = read_number(mount / at / hierarchy.usage).value_or(0);
      const uint64_t cache = read_entry(mount / at / "memory.stat", hierarchy.cache).value_or(0);
      const uint64_t used = usage - std::min(usage, cache);
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
