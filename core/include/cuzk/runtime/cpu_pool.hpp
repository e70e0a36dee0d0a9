#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace cuzk {

/// CPUs this process may use: min(affinity mask, ceil(cgroup v1 or v2 CPU quota)), at least 1.
uint32_t usable_cpus();

/// The engine's CPU threads (oneTBB). All CPU work, the plugins' too, runs here; tasks never wait for leases, bytes or
/// files.
class CpuPool {
 public:
  static constexpr uint32_t kMostThreads = 1024;

  /// threads: exactly how many threads parallel() uses, the caller's included, however many CPUs there are; 0:
  /// usable_cpus(), or fewer where the system has no more to give; 1: the caller's alone. More than kMostThreads: Error
  /// usage; more than the system lets the process have: Error out_of_memory. Pools of any sizes may live side by side.
  explicit CpuPool(uint32_t threads = 0);
  ~CpuPool();
  CpuPool(const CpuPool&) = delete;
  CpuPool& operator=(const CpuPool&) = delete;

  uint32_t threads() const;
  /// For long work of core's own, from its tasks too: Error cancelled once `stop`, which outlives the pool, is true.
  void stop_at(const std::atomic<bool>& stop) { stop_ = &stop; }
  void stop_if_cancelled() const;
  /// body(i) once for every i < n; returns when all are done. May be nested and called from any thread. After a body's
  /// exception no new ones start where that can be helped; the first exception is rethrown when none runs any more.
  void parallel(uint64_t n, const std::function<void(uint64_t)>& body);
  /// [0, n) cut into about 4 ranges a thread, none shorter than grain unless n is: body(begin, end).
  void ranges(uint64_t n, uint64_t grain, const std::function<void(uint64_t, uint64_t)>& body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace cuzk
