#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk {
namespace {

/// Bodies meet here: all of them return true only when `expected` run at the same time.
class Meeting {
 public:
  explicit Meeting(uint32_t expected) : expected_(expected) {}
  bool attend() {
    ++present_;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (present_ < expected_ && !given_up_) {
      given_up_ = std::chrono::steady_clock::now() > deadline;
      std::this_thread::yield();
    }
    return !given_up_;
  }

 private:
  uint32_t expected_;
  std::atomic<uint32_t> present_{0};
  std::atomic<bool> given_up_{false};
};

class CpuPoolOf : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, CpuPoolOf, ::testing::Values(1u, 2u, 3u, 7u, 16u));

TEST_P(CpuPoolOf, RunsOnExactlyItsThreads) {
  CpuPool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  Meeting meeting(GetParam());
  std::atomic<uint32_t> met{0};
  pool.parallel(GetParam(), [&](uint64_t) { met += meeting.attend() ? 1u : 0u; });
  EXPECT_EQ(met, GetParam());

  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<uint32_t> now{0}, most{0};
  pool.parallel(2000, [&](uint64_t) {
    const uint32_t running = ++now;
    for (uint32_t seen = most; seen < running && !most.compare_exchange_weak(seen, running);) {
    }
    {
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    --now;
  });
  EXPECT_LE(most, GetParam());
  if (GetParam() == 1) {
    EXPECT_EQ(ids, std::set<std::thread::id>{std::this_thread::get_id()});
  }
}

TEST_P(CpuPoolOf, VisitsEachIndexOnce) {
  CpuPool pool(GetParam());
  for (const uint64_t n : std::initializer_list<uint64_t>{0, 1, 2, 3, 5, 64, 1000, 12345}) {
    std::vector<std::atomic<int>> visits(n);
    pool.parallel(n, [&](uint64_t i) { ++visits.at(i); });
    for (const auto& count : visits) ASSERT_EQ(count, 1);
  }
}

TEST_P(CpuPoolOf, RangesCoverInOrderAndKeepTheGrain) {
  CpuPool pool(GetParam());
  for (const uint64_t n : std::initializer_list<uint64_t>{0, 1, 7, 99, 100, 1001, 100000}) {
    for (const uint64_t grain : std::initializer_list<uint64_t>{0, 1, 10, 100, 1000000}) {
      std::mutex mutex;
      std::set<std::pair<uint64_t, uint64_t>> pieces;
      pool.ranges(n, grain, [&](uint64_t begin, uint64_t end) {
        const std::lock_guard lock(mutex);
        EXPECT_TRUE(pieces.emplace(begin, end).second);
      });
      uint64_t at = 0;
      for (const auto& [begin, end] : pieces) {
        EXPECT_EQ(begin, at);
        EXPECT_GE(end - begin, std::min(n, std::max<uint64_t>(grain, 1)));
        at = end;
      }
      EXPECT_EQ(at, n);
      EXPECT_LE(pieces.size(), 4 * GetParam());
    }
  }
}

TEST_P(CpuPoolOf, Nests) {
  CpuPool pool(GetParam());
  std::atomic<uint64_t> sum{0};
  pool.parallel(10, [&](uint64_t i) {
    pool.parallel(10, [&](uint64_t j) {
      pool.ranges(10, 1, [&](uint64_t begin, uint64_t end) {
        for (uint64_t k = begin; k < end; ++k) sum += 100 * i + 10 * j + k;
      });
    });
  });
  EXPECT_EQ(sum, 999u * 1000 / 2);
}

TEST_P(CpuPoolOf, RethrowsWhenNothingRunsAnyMore) {
  CpuPool pool(GetParam());
  std::atomic<int> running{0};
  try {
    pool.parallel(1000, [&](uint64_t i) {
      ++running;
      if (i == 321) {
        --running;
        throw Error(ErrorCode::bad_input, "number 321");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(10));
      --running;
    });
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "number 321");
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(running, 0);
  }
  std::atomic<int> count{0};
  pool.parallel(100, [&](uint64_t) { ++count; });
  EXPECT_EQ(count, 100) << "the pool works on after an exception";
}

TEST(CpuPool, ServesManyCallersAtOnce) {
  CpuPool pool(3);
  std::atomic<uint64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 6; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) pool.parallel(40, [&](uint64_t i) { sum += i; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 6u * 50 * (39 * 40 / 2));
}

TEST(CpuPool, WaitingCallersTakeUpNoForeignTasks) {
  CpuPool pool(4);
  std::atomic<bool> foreign{false};
  thread_local bool inside = false;
  pool.parallel(200, [&](uint64_t) {
    if (inside) foreign = true;  // an outer body inside another outer body's wait
    inside = true;
    pool.parallel(8, [](uint64_t) { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
    inside = false;
  });
  EXPECT_FALSE(foreign);
}

TEST(CpuPool, PoolsOfDifferentSizesLiveSideBySide) {
  auto small = std::make_unique<CpuPool>(2);
  CpuPool large(6);
  for (int round = 0; round < 2; ++round) {
    Meeting meeting(6);
    std::atomic<uint32_t> met{0};
    large.parallel(6, [&](uint64_t) { met += meeting.attend() ? 1u : 0u; });
    EXPECT_EQ(met, 6u);
    small.reset();
  }
}

TEST(CpuPool, DefaultIsWhatTheProcessMayUse) {
  EXPECT_GE(usable_cpus(), 1u);
  EXPECT_EQ(CpuPool().threads(), usable_cpus());
}

/// In a process of its own that may have `most` threads: 0 when an explicit number is refused with both figures and the
/// default makes do with what there is.
int with_few_threads(rlim_t most) {
  if (geteuid() == 0 && setuid(65534) != 0) return 2;  // root is not bound by the limit
  const rlimit limit{most, most};
  if (setrlimit(RLIMIT_NPROC, &limit) != 0) return 3;
  std::atomic<uint32_t> done{0};
  CpuPool().parallel(100, [&](uint64_t) { ++done; });
  if (done != 100) return 4;
  try {
    CpuPool pool(64);
    return 5;
  } catch (const Error& error) {
    const std::string message = error.what();
    return error.code() == ErrorCode::out_of_memory && message.ends_with(" of 64 asked for") ? 0 : 6;
  }
}

TEST(CpuPoolDeathTest, ThreadsThatTheSystemRefusesAreAnErrorNotTheEnd) {
  for (const rlim_t most : {rlim_t{1}, rlim_t{4}}) {
    EXPECT_EXIT(std::_Exit(with_few_threads(most)), ::testing::ExitedWithCode(0), "");
  }
}

TEST(CpuPool, RefusesAbsurdNumbers) {
  try {
    CpuPool pool(1025);
    FAIL() << "1025 threads accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "threads: found 1025, expected at most 1024");
  }
}

}  // namespace
}  // namespace cuzk
