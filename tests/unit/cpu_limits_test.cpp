#include "runtime/cpu_limits.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk {
namespace {

namespace fs = std::filesystem;

class CpuLimits : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "cuzk-cpu-limits-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  std::optional<uint32_t> cpus() const { return cgroup_cpus(root_); }

  fs::path root_;
};

TEST_F(CpuLimits, NothingToReadLimitsNothing) {
  EXPECT_EQ(cpus(), std::nullopt);
  write("proc/self/cgroup", "0::/");
  EXPECT_EQ(cpus(), std::nullopt);
}

class CpuLimitsV2 : public CpuLimits {
 protected:
  void SetUp() override {
    CpuLimits::SetUp();
    write("proc/self/mountinfo",
          "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
          "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate");
    write("proc/self/cgroup", "0::/user.slice/app.scope");
  }
};

TEST_F(CpuLimitsV2, QuotaIsRoundedUp) {
  const std::string file = "sys/fs/cgroup/user.slice/app.scope/cpu.max";
  const std::pair<const char*, uint32_t> cases[] = {{"100000 100000", 1}, {"100001 100000", 2}, {"150000 100000", 2},
                                                    {"1000 100000", 1},   {"400000 50000", 8},  {"700000 100000", 7}};
  for (const auto& [text, expected] : cases) {
    write(file, text);
    EXPECT_EQ(cpus(), expected) << text;
  }
}

TEST_F(CpuLimitsV2, MaxAndDamagedFilesLimitNothing) {
  for (const char* text : {"max 100000", "", "max", "0 100000", "100000 0", "100000", "-1 100000", "what else"}) {
    write("sys/fs/cgroup/user.slice/app.scope/cpu.max", text);
    EXPECT_EQ(cpus(), std::nullopt) << text;
  }
}

TEST_F(CpuLimitsV2, TheTightestGroupOnTheWayUpHolds) {
  write("sys/fs/cgroup/user.slice/app.scope/cpu.max", "500000 100000");
  EXPECT_EQ(cpus(), 5u);
  write("sys/fs/cgroup/user.slice/cpu.max", "300000 100000");
  EXPECT_EQ(cpus(), 3u);
  write("sys/fs/cgroup/cpu.max", "200000 100000");
  EXPECT_EQ(cpus(), 2u);
  write("sys/fs/cgroup/user.slice/app.scope/cpu.max", "50000 100000");
  EXPECT_EQ(cpus(), 1u);
  write("sys/fs/cgroup/user.slice/other.scope/cpu.max", "1000 100000");  // a sibling
  write("sys/fs/cpu.max", "1000 100000");                                // above the mount point
  write("sys/fs/cgroup/user.slice/app.scope/cpu.max", "max 100000");
  EXPECT_EQ(cpus(), 2u);
}

TEST_F(CpuLimits, ContainerThatSeesItsOwnGroupAsTheMountRoot) {
  write("proc/self/mountinfo", "30 22 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw");
  write("proc/self/cgroup", "0::/docker/abc/inner");
  write("sys/fs/cgroup/cpu.max", "400000 100000");
  write("sys/fs/cgroup/inner/cpu.max", "300000 100000");
  EXPECT_EQ(cpus(), 3u);
  write("proc/self/cgroup", "0::/docker/abcdef");  // not below /docker/abc: only the mount point itself counts
  write("sys/fs/cgroup/def/cpu.max", "100000 100000");
  EXPECT_EQ(cpus(), 4u);
}

TEST_F(CpuLimits, VersionOne) {
  write("proc/self/mountinfo",
        "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "34 31 0:31 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct");
  write("proc/self/cgroup", "5:cpuset:/elsewhere\n4:cpu,cpuacct:/job\n1:name=systemd:/x");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cpus(), std::nullopt);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000");
  EXPECT_EQ(cpus(), 3u);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "20000");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "10000");
  EXPECT_EQ(cpus(), 2u);
}

TEST_F(CpuLimits, HybridTakesTheTighterAndReadsEscapedMountPoints) {
  write("proc/self/mountinfo",
        "34 31 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        "41 31 0:38 / /sys/fs/my\\040groups rw - cgroup2 cgroup2 rw");
  write("proc/self/cgroup", "1:cpu:/a\n0::/b");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "600000");
  write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cpus(), 6u);
  write("sys/fs/my groups/b/cpu.max", "400000 100000");
  EXPECT_EQ(cpus(), 4u);
}

TEST(Affinity, IsRespected) {
  std::thread([] {
    cpu_set_t before, one;
    CPU_ZERO(&before);
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    EXPECT_EQ(affinity_cpus(), static_cast<uint32_t>(CPU_COUNT(&before)));
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &before)) {
        CPU_SET(cpu, &one);
        break;
      }
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(affinity_cpus(), 1u);
    EXPECT_EQ(usable_cpus(), 1u);
  }).join();
}

}  // namespace
}  // namespace cuzk
