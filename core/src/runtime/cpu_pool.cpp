#include "runtime/cpu_limits.hpp"

#include <algorithm>
#include <exception>
#include <latch>
#include <string>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <thread>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk {
namespace {

/// Of several controls oneTBB takes the smallest, so every pool raises the process's limit to the same value and bounds
/// itself by the slots of its arena. Threads start on demand: a high limit costs nothing.
constexpr uint32_t kMostThreads = CpuPool::kMostThreads;
constexpr uint64_t kTasksPerThread = 64;
constexpr uint64_t kRangesPerThread = 4;

/// How many of `count` threads, the caller's included, the system lets this process have at once. oneTBB ends the
/// process when a thread of its own cannot start, so this is tried first.
uint32_t startable(uint32_t count) {
  std::vector<std::thread> started;
  std::latch done(1);
  try {
    started.reserve(count - 1);
    while (started.size() + 1 < count) started.emplace_back([&done] { done.wait(); });
  } catch (const std::exception&) {  // system_error: a limit; bad_alloc: no memory for its bookkeeping
  }
  const auto alive = static_cast<uint32_t>(started.size() + 1);
  done.count_down();
  for (std::thread& thread : started) thread.join();
  return alive;
}

uint32_t checked(uint32_t threads) {
  if (threads > kMostThreads) {
    throw Error(ErrorCode::usage,
                "threads: found " + std::to_string(threads) + ", expected at most " + std::to_string(kMostThreads));
  }
  const uint32_t wanted = threads == 0 ? std::min(usable_cpus(), kMostThreads) : threads;
  const uint32_t got = startable(wanted);
  if (threads != 0 && got < wanted) {
    throw Error(ErrorCode::out_of_memory, "threads: the system lets this process have " + std::to_string(got) + " of " +
                                              std::to_string(wanted) + " asked for");
  }
  return got;
}

}  // namespace

uint32_t usable_cpus() { return std::min(affinity_cpus(), cgroup_cpus("/").value_or(kMostThreads)); }

struct CpuPool::Impl {
  explicit Impl(uint32_t count)
      : threads(count),
        control(tbb::global_control::max_allowed_parallelism, kMostThreads),
        arena(static_cast<int>(count)) {}

  uint32_t threads;
  tbb::global_control control;
  tbb::task_arena arena;
};

CpuPool::CpuPool(uint32_t threads) : impl_(std::make_unique<Impl>(checked(threads))) {}
CpuPool::~CpuPool() = default;

uint32_t CpuPool::threads() const { return impl_->threads; }

void CpuPool::stop_if_cancelled() const {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
    throw Error(ErrorCode::cancelled, "work on the CPU threads was cancelled");
  }
}

void CpuPool::parallel(uint64_t n, const std::function<void(uint64_t)>& body) {
  if (impl_->threads == 1 || n <= 1) {
    for (uint64_t i = 0; i < n; ++i) body(i);
    return;
  }
  const uint64_t grain = std::max<uint64_t>(n / (kTasksPerThread * impl_->threads), 1);
  impl_->arena.execute([&] {
    // Isolated: while a caller waits for its own tasks it takes up no others, whose locks or scratch memory it may
    // hold.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          tbb::blocked_range<uint64_t>(0, n, grain),
          [&](const tbb::blocked_range<uint64_t>& range) {
            for (uint64_t i = range.begin(); i != range.end(); ++i) body(i);
          },
          tbb::simple_partitioner());
    });
  });
}

void CpuPool::ranges(uint64_t n, uint64_t grain, const std::function<void(uint64_t, uint64_t)>& body) {
  if (n == 0) return;
  const uint64_t most = impl_->threads == 1 ? 1 : kRangesPerThread * impl_->threads;
  const uint64_t pieces = std::clamp<uint64_t>(n / std::max<uint64_t>(grain, 1), 1, most);
  const uint64_t size = n / pieces, longer = n % pieces;  // the first `longer` pieces hold one more
  parallel(pieces, [&](uint64_t i) {
    const uint64_t begin = i * size + std::min(i, longer);
    body(begin, begin + size + (i < longer ? 1 : 0));
  });
}

}  // namespace cuzk
