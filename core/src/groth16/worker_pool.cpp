#include "groth16/worker_pool.hpp"

#include "runtime/cancel_poll.hpp"

#include <cuzk/error.hpp>

namespace cuzk::groth16 {
void WorkerPool::give(Worker& worker) noexcept {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(&worker);
  }
  changed_.notify_all();
}

WorkerPool::Lent WorkerPool::take(uint64_t ticket, const std::string& who) {
  std::unique_lock lock(mutex_);
  const auto self = waiting_.insert(ticket).first;
  while (free_.empty() || self != waiting_.begin()) {
    if (services_.cancelled(ticket)) {
      waiting_.erase(self);
      lock.unlock();
      changed_.notify_all();  // whom this one held up
      throw Error(ErrorCode::cancelled,
                  who + ": ticket " + std::to_string(ticket) + " was cancelled while it waited for a worker");
    }
    changed_.wait_for(lock, kCancelPoll);
  }
  waiting_.erase(self);
  Worker& worker = *free_.back();
  free_.pop_back();
  lock.unlock();
  changed_.notify_all();  // the next may find another
  return {*this, worker};
}

}  // namespace cuzk::groth16
