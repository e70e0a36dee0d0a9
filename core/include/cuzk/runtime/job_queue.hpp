#pragma once
#include <cstdint>
#include <functional>
#include <future>
#include <memory>

namespace cuzk {

/// Jobs on threads of their own, begun in the order in which they were handed in. These are the threads that may wait:
/// for leases, files and each other's CPU work. Threads: any.
class JobQueue {
 public:
  /// workers: threads, at least 1. Error out_of_memory where the system has none left.
  explicit JobQueue(uint32_t workers);
  /// Drops the jobs that have not begun: their futures throw Error cancelled. Then waits for the others.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  using Job = std::function<void(uint64_t id)>;
  /// id: the queue's own, 1 for the first job, then rising. The future becomes ready when the job is done and rethrows
  /// what it threw. Never blocks: a queue holds any number of jobs. A job must not wait for another of its own queue.
  std::future<void> submit(Job);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk
