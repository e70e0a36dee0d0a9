#pragma once
/// An engine's services for checks of components without one.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {

/// Installed as the process's host while it lives; one at a time. Spans and polls from any thread, parallel() from one.
class TestHost {
 public:
  struct Span {
    uint64_t ticket;
    uint32_t kind;
    std::string name;
    uint64_t begin_ns, end_ns, bytes;
    uint64_t length() const { return end_ns - begin_ns; }
  };

  explicit TestHost(unsigned threads) {
    for (unsigned i = 1; i < threads; ++i) threads_.emplace_back([this] { work(); });
    cuzk_host& table = sdk::detail::host_table;
    table.struct_size = sizeof(cuzk_host);
    table.self = this;
    table.log = [](void*, uint32_t, cuzk_str, cuzk_str) {};
    table.span = [](void* self, uint64_t ticket, uint32_t kind, cuzk_str name, uint64_t begin, uint64_t end,
                    uint64_t bytes) {
      TestHost& host = *static_cast<TestHost*>(self);
      const std::lock_guard lock(host.spans_mutex_);
      host.spans_.push_back({ticket, kind, std::string(sdk::view(name)), begin, end, bytes});
    };
    table.cancelled = [](void* self, uint64_t) -> uint32_t {
      return --static_cast<TestHost*>(self)->polls_left_ < 0 ? 1 : 0;
    };
    table.parallel = [](void* self, uint64_t n, void (*fn)(void*, uint64_t), void* arg) {
      static_cast<TestHost*>(self)->parallel(n, fn, arg);
    };
    table.threads = [](void* self) { return static_cast<uint32_t>(static_cast<TestHost*>(self)->threads_.size() + 1); };
  }
  ~TestHost() {
    sdk::detail::host_table = {};
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  TestHost(const TestHost&) = delete;
  TestHost& operator=(const TestHost&) = delete;

  /// From then on every call is told that it is cancelled.
  void cancel_after(int64_t polls) { polls_left_ = polls; }
  void cancel_never() { polls_left_ = INT64_MAX; }
  std::vector<Span> take_spans() {
    const std::lock_guard lock(spans_mutex_);
    return std::exchange(spans_, {});
  }

 private:
  struct Job {
    uint64_t n;
    void (*fn)(void*, uint64_t);
    void* arg;
    std::atomic<uint64_t> next{0};
    void run() {
      for (uint64_t i = next++; i < n; i = next++) fn(arg, i);
    }
  };

  void parallel(uint64_t n, void (*fn)(void*, uint64_t), void* arg) {
    Job job{n, fn, arg};
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++round_;
      busy_ = threads_.size();
    }
    wake_.notify_all();
    job.run();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    job_ = nullptr;
  }
  void work() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return over_ || round_ != seen; });
      if (over_) return;
      seen = round_;
      Job& job = *job_;
      lock.unlock();
      job.run();
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_, spans_mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Job* job_ = nullptr;
  uint64_t round_ = 0;
  size_t busy_ = 0;
  bool over_ = false;
  std::atomic<int64_t> polls_left_{INT64_MAX};
  std::vector<Span> spans_;
};

}  // namespace cuzk::cuda
