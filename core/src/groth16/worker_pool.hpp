#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk::groth16 {

struct Worker;

/// The workers of a session, each lent to one partition at a time: from when it is prepared until the device is done
/// with it, so that others are prepared and finished meanwhile. Threads: any.
class WorkerPool {
 public:
  /// A worker until this goes.
  class Lent {
   public:
    Lent(WorkerPool& pool, Worker& worker) : pool_(pool), worker_(worker) {}
    ~Lent() { pool_.give(worker_); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    Worker& operator*() const { return worker_; }

   private:
    WorkerPool& pool_;
    Worker& worker_;
  };

  explicit WorkerPool(HostServices& services) : services_(services) {}

  void give(Worker&) noexcept;  ///< a new one, or one that was taken
  /// Blocks until a worker is free and no older ticket waits for one. Error cancelled, seen within 50 ms: "WHO: ticket
  /// 3 was cancelled while it waited for a worker".
  Lent take(uint64_t ticket, const std::string& who);

 private:
  HostServices& services_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Worker*> free_;
  std::set<uint64_t> waiting_;
};

}  // namespace cuzk::groth16
