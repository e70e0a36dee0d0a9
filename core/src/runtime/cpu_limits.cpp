#include "runtime/cpu_limits.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <memory>
#include <sched.h>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace cuzk {
namespace {

namespace fs = std::filesystem;

struct Mount {
  std::string root;   ///< the group that the mount point shows
  std::string point;  ///< where it is mounted
  bool v2;
};

bool listed(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

/// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescaped(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Mounts of cgroup v2 and of the v1 cpu controller.
std::vector<Mount> cgroup_mounts(const fs::path& mountinfo) {
  std::vector<Mount> mounts;
  std::ifstream file(mountinfo);
  for (std::string line; std::getline(file, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream head(line.substr(0, dash)), tail(line.substr(dash + 3));
    std::string id, parent, device, root, point, type, source, options;
    head >> id >> parent >> device >> root >> point;
    tail >> type >> source >> options;
    const bool v2 = type == "cgroup2";
    if (!v2 && !(type == "cgroup" && listed(options, "cpu"))) continue;
    mounts.push_back({unescaped(root), unescaped(point), v2});
  }
  return mounts;
}

/// The process's group in the v2 hierarchy or in that of the v1 cpu controller.
std::optional<std::string> own_group(const fs::path& cgroup, bool v2) {
  std::ifstream file(cgroup);
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (v2 ? controllers.empty() : listed(controllers, "cpu")) return line.substr(second + 1);
  }
  return {};
}

/// Quota and period in microseconds of one group; nothing without a quota.
std::optional<uint32_t> group_cpus(const fs::path& group, bool v2) {
  int64_t quota = 0, period = 0;
  if (v2) {
    std::ifstream(group / "cpu.max") >> quota >> period;  // "max 100000" leaves quota at 0
  } else {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;  // -1: none
    std::ifstream(group / "cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return {};
  const int64_t cpus = (quota - 1) / period + 1;
  return static_cast<uint32_t>(std::min<int64_t>(cpus, std::numeric_limits<uint32_t>::max()));
}

/// `group` as seen from `root`; the root itself when it lies outside (another cgroup namespace).
fs::path below(const std::string& group, const std::string& root) {
  if (root == "/") return fs::path(group).relative_path();
  if (group.compare(0, root.size(), root) != 0) return {};
  if (group.size() > root.size() && group[root.size()] != '/') return {};
  return fs::path(group.substr(root.size())).relative_path();
}

}  // namespace

std::optional<uint32_t> cgroup_cpus(const fs::path& root) {
  std::optional<uint32_t> least;
  for (const Mount& mount : cgroup_mounts(root / "proc/self/mountinfo")) {
    const std::optional<std::string> group = own_group(root / "proc/self/cgroup", mount.v2);
    if (!group) continue;
    const fs::path top = root / fs::path(mount.point).relative_path();
    for (fs::path rest = below(*group, mount.root);; rest = rest.parent_path()) {
      const std::optional<uint32_t> cpus = group_cpus(top / rest, mount.v2);
      if (cpus && (!least || *cpus < *least)) least = cpus;
      if (rest.empty()) break;
    }
  }
  return least;
}

uint32_t affinity_cpus() {
  // The kernel refuses a mask smaller than its own, so the mask grows until it fits.
  for (size_t bits = 1024; bits <= size_t{1} << 20; bits *= 2) {
    const auto free_mask = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(free_mask)> mask(CPU_ALLOC(bits), free_mask);
    if (!mask) break;
    const size_t bytes = CPU_ALLOC_SIZE(bits);
    if (sched_getaffinity(0, bytes, mask.get()) == 0) {
      return static_cast<uint32_t>(std::max(CPU_COUNT_S(bytes, mask.get()), 1));
    }
    if (errno != EINVAL) break;
  }
  return std::max(std::thread::hardware_concurrency(), 1u);
}

}  // namespace cuzk
