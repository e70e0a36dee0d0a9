#pragma once
#include <atomic>
#include <cstdint>

namespace cuzk {

/// What the partitions of one request share: a number, and when they are to end early. It outlives their proofs.
/// Threads: any.
class ProofJob {
 public:
  static constexpr uint64_t kNoDeadline = UINT64_MAX;

  /// deadline_ns: on the clock of HostServices.
  explicit ProofJob(uint64_t deadline_ns = kNoDeadline) : deadline_ns_(deadline_ns) {}
  ProofJob(const ProofJob&) = delete;
  ProofJob& operator=(const ProofJob&) = delete;

  uint64_t number() const { return number_; }  ///< the process's own, rising from 1; lock policies see it
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }
  bool late(uint64_t now_ns) const noexcept { return now_ns >= deadline_ns_; }

 private:
  static uint64_t next_number() {
    static std::atomic<uint64_t> last{0};
    return ++last;
  }

  const uint64_t number_ = next_number();
  const uint64_t deadline_ns_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace cuzk
