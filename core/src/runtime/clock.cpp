#include <chrono>
#include <thread>

#include <cuzk/runtime/clock.hpp>

namespace cuzk {
namespace {

class SteadyClock final : public Clock {
 public:
  uint64_t now_ns() const override {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
  }
  void sleep_until(uint64_t ns) override {
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::nanoseconds(ns))));
  }
};

}  // namespace

std::shared_ptr<Clock> steady_clock() { return std::make_shared<SteadyClock>(); }

void SimulatedClock::sleep_until(uint64_t ns) {
  for (uint64_t now = now_ns(); now < ns && !now_ns_.compare_exchange_weak(now, ns, std::memory_order_relaxed);) {
  }
}

}  // namespace cuzk
