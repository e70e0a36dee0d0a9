// What memory the plugin finds, in made-up /proc and cgroup trees.
#include "memory_limits.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace cuzk::cpu {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMiB = uint64_t{1} << 20;

class MemoryLimits : public ::testing::Test {
 protected:
  MemoryLimits() {
    std::string pattern = (fs::temp_directory_path() / "cuzk-memory-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    write("proc/meminfo", "MemTotal:       8192 kB\nMemFree:  100 kB\nMemAvailable:   4096 kB\n");
  }
  ~MemoryLimits() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  static std::string bytes(uint64_t mib) { return std::to_string(mib * kMiB) + "\n"; }

  void expect(uint64_t total_mib, uint64_t free_mib) {
    const HostMemory memory = host_memory(root_);
    EXPECT_EQ(memory.total, total_mib * kMiB);
    EXPECT_EQ(memory.free, free_mib * kMiB);
  }

  fs::path root_;
};

TEST_F(MemoryLimits, WithoutGroupsIsTheMachines) { expect(8, 4); }

TEST_F(MemoryLimits, V2LimitAndUsage) {
  write("proc/self/cgroup", "0::/app\n");
  write("sys/fs/cgroup/app/memory.max", bytes(3));
  write("sys/fs/cgroup/app/memory.current", bytes(1));
  expect(3, 2);
}

TEST_F(MemoryLimits, FileCacheThatCanGoIsFree) {
  write("proc/self/cgroup", "0::/app\n");
  write("sys/fs/cgroup/app/memory.max", bytes(3));
  write("sys/fs/cgroup/app/memory.current", bytes(3));
  expect(3, 0);
  write("sys/fs/cgroup/app/memory.stat", "anon 7\nfile 9\ninactive_file " + bytes(2) + "active_file 1\n");
  expect(3, 2);
  write("sys/fs/cgroup/app/memory.stat", "inactive_file " + bytes(9));  // read later than the usage
  expect(3, 3);
}

TEST_F(MemoryLimits, TheTightestGroupAboveHolds) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/memory.max", bytes(2));
  write("sys/fs/cgroup/outer/memory.current", bytes(1));
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/inner/memory.current", bytes(1));
  expect(2, 1);
}

TEST_F(MemoryLimits, V1LimitUsageAndCache) {
  write("proc/self/cgroup", "9:cpu,cpuacct:/elsewhere\n4:memory:/app\n");
  write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", bytes(3));
  write("sys/fs/cgroup/memory/app/memory.usage_in_bytes", bytes(3));
  write("sys/fs/cgroup/memory/app/memory.stat", "inactive_file 0\ntotal_inactive_file " + bytes(1));
  expect(3, 1);
}

TEST_F(MemoryLimits, AContainersOwnGroupIsTheMountsRoot) {
  write("proc/self/cgroup", "0::/host/side/path\n");
  write("sys/fs/cgroup/memory.max", bytes(1));
  write("sys/fs/cgroup/memory.current", "0\n");
  expect(1, 1);
}

TEST_F(MemoryLimits, UnlimitedGroupsLimitNothing) {
  write("proc/self/cgroup", "0::/app\n4:memory:/app\n");
  write("sys/fs/cgroup/app/memory.max", "max\n");
  write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/app/memory.usage_in_bytes", bytes(1));
  expect(8, 4);
}

}  // namespace
}  // namespace cuzk::cpu
