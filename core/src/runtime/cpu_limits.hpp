#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace cuzk {

/// CPUs that the cgroup quotas of this process allow, rounded up, at least 1; nothing when there is no quota.
/// Reads <root>/proc/self/{cgroup,mountinfo} and, below the mount points found there, cpu.max (v2) or cpu.cfs_quota_us
/// and cpu.cfs_period_us (v1) of the process's group and of every group above it: the tightest one holds. What is
/// missing or unreadable limits nothing. Sources: man 5 proc, Linux admin-guide/cgroup-v2.rst and
/// scheduler/sched-bwc.rst.
std::optional<uint32_t> cgroup_cpus(const std::filesystem::path& root);

/// CPUs in this process's affinity mask, at least 1.
uint32_t affinity_cpus();

}  // namespace cuzk
