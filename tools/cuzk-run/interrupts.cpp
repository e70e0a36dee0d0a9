#include "interrupts.hpp"

#include <atomic>
#include <cstring>
#include <string>

#include <cuzk/error.hpp>

namespace cuzk::run {
namespace {

// What the handler may touch: lock-free atomics alone.
std::atomic<HostServices*> interrupted{nullptr};
std::atomic<int> received{0};
static_assert(std::atomic<HostServices*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int number) {
  if (received.exchange(number, std::memory_order_relaxed) != 0 && number != SIGHUP) {
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
