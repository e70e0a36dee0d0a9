#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

namespace cuzk {

/// Where times come from and what waits for one. Nanoseconds, monotonic. Threads: any.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual uint64_t now_ns() const = 0;
  virtual void sleep_until(uint64_t ns) = 0;  ///< returns no earlier than that
};

/// The system's.
std::shared_ptr<Clock> steady_clock();

/// Time that passes only where somebody sleeps, and then at once: hours in milliseconds. One thread's sleeps add up
/// exactly; of several threads that sleep at once, the time is that of the latest.
class SimulatedClock final : public Clock {
 public:
  uint64_t now_ns() const override { return now_ns_.load(std::memory_order_relaxed); }
  void sleep_until(uint64_t ns) override;

 private:
  std::atomic<uint64_t> now_ns_{0};
};

}  // namespace cuzk
