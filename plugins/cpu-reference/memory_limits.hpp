#pragma once
#include <cstdint>
#include <filesystem>

namespace cuzk::cpu {

struct HostMemory {
  uint64_t total, free;  ///< bytes
};

/// What this process may use: <root>/proc/meminfo's MemTotal and MemAvailable, cut to the tightest memory limit of its
/// cgroups (v1 memory.limit_in_bytes, v2 memory.max) and of the groups above them. Inactive file cache, a key just read
/// for one, counts as free: the kernel reclaims it first. What is missing limits nothing.
/// Sources: man 5 proc; Linux admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst.
HostMemory host_memory(const std::filesystem::path& root = "/");

}  // namespace cuzk::cpu
