#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk {

struct JobQueue::Impl {
  struct Entry {
    uint64_t id;
    Job job;
    std::promise<void> done;
  };

  /// Runs entries until the queue closes.
  void work() {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return closed || !entries.empty(); });
      if (closed) return;
      Entry entry = std::move(entries.front());
      entries.pop_front();
      lock.unlock();
      run(entry);
    }
  }

  static void run(Entry& entry) {
    try {
      entry.job(entry.id);
      entry.job = nullptr;  // what it holds is gone before anybody is told
      entry.done.set_value();
    } catch (...) {
      entry.job = nullptr;
      entry.done.set_exception(std::current_exception());
    }
  }

  void close() {
    std::deque<Entry> dropped;
    {
      const std::lock_guard lock(mutex);
      closed = true;
      dropped.swap(entries);
    }
    changed.notify_all();
    for (Entry& entry : dropped) {
      entry.done.set_exception(std::make_exception_ptr(
          Error(ErrorCode::cancelled, "job " + std::to_string(entry.id) + " was dropped before it began")));
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Entry> entries;
  uint64_t last_id = 0;
  bool closed = false;
  std::vector<std::thread> threads;
};

JobQueue::JobQueue(uint32_t workers) : impl_(std::make_unique<Impl>()) {
  if (workers == 0) throw Error(ErrorCode::usage, "a job queue needs at least one worker");
  impl_->threads.reserve(workers);
  try {
    while (impl_->threads.size() < workers) impl_->threads.emplace_back([this] { impl_->work(); });
  } catch (const std::system_error& error) {
    const size_t had = impl_->threads.size();
    impl_->close();
    throw Error(ErrorCode::out_of_memory, "found room for " + std::to_string(had) + " worker threads, expected " +
                                              std::to_string(workers) + ": " + error.what());
  } catch (...) {
    impl_->close();
    throw;
  }
}

JobQueue::~JobQueue() { impl_->close(); }

std::future<void> JobQueue::submit(Job job) {
  std::future<void> done;
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->entries.push_back({++impl_->last_id, std::move(job), {}});
    done = impl_->entries.back().done.get_future();
  }
  impl_->changed.notify_one();
  return done;
}

}  // namespace cuzk
