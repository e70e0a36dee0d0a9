#include "interrupts.hpp"

#include <atomic>
#include <cstring>
#include <ctime>
#include <string>

#include <cuzk/error.hpp>

namespace cuzk::run {
namespace {

// What the handler may touch: lock-free atomics alone.
std::atomic<HostServices*> interrupted{nullptr};
std::atomic<int> received{0};
std::atomic<int64_t> first_ns{0};  // when the first came
static_assert(std::atomic<HostServices*>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<int64_t>::is_always_lock_free);

constexpr int64_t kSameNs = 50'000'000;

int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // POSIX lets handlers call it
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void on_signal(int number) {
  const int64_t now = monotonic_ns();
  int64_t first = 0;
  const bool again = !first_ns.compare_exchange_strong(first, now, std::memory_order_relaxed);
  received.store(number, std::memory_order_relaxed);
  if (again && number != SIGHUP && now - first >= kSameNs) {
    struct sigaction end {};
    end.sa_handler = SIG_DFL;
    sigaction(number, &end, nullptr);
    raise(number);  // comes when the handler returns
    return;
  }
  if (HostServices* const services = interrupted.load(std::memory_order_relaxed)) services->cancel_all();
}

}  // namespace

Interrupts::Interrupts(HostServices& services) {
  received = 0;
  first_ns = 0;
  interrupted = &services;
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    action.sa_handler = on_signal;
    sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  interrupted = nullptr;
}

void Interrupts::check(const std::string& but) const {
  const int number = received.load(std::memory_order_relaxed);
  if (number == 0) return;
  throw Error(ErrorCode::cancelled,
              std::string("interrupted by SIG") + sigabbrev_np(number) + (but.empty() ? "" : "; " + but));
}

}  // namespace cuzk::run
