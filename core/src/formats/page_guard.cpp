#include "formats/page_guard.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cuzk::formats {

/// An entry of the process's list of guarded mappings. Entries are used again but never freed, so that the handler can
/// walk the list at any moment. A free one has begin = kNowhere.
struct PageGuard::Range {
  static constexpr uintptr_t kNowhere = UINTPTR_MAX;

  std::atomic<bool> taken{true};
  std::atomic<uintptr_t> begin{kNowhere}, end{0};
  std::atomic<bool> marked{false};
  Range* next = nullptr;
};

namespace {

using Range = PageGuard::Range;

std::atomic<Range*> ranges{nullptr};
struct sigaction previous {};
uintptr_t page_size = 0;

static_assert(std::atomic<Range*>::is_always_lock_free && std::atomic<uintptr_t>::is_always_lock_free);

/// The range that holds the address. begin is read again behind end, as the entry may change hands in between.
Range* range_at(uintptr_t address) {
  for (Range* range = ranges.load(std::memory_order_acquire); range != nullptr; range = range->next) {
    const uintptr_t begin = range->begin.load();
    if (address >= begin && address < range->end.load() && range->begin.load() == begin) return range;
  }
  return nullptr;
}

/// Puts zeros from the address's page to its mapping's end; false where the address is nobody's.
bool give_zeros(uintptr_t address) {
  Range* range = range_at(address);
  if (range == nullptr) return false;
  range->marked.store(true);
  const uintptr_t page = address & ~(page_size - 1);
  // The call itself: what a sanitizer puts in its place is not meant for signal handlers.
  return ::syscall(SYS_mmap, page, range->end.load() - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                   0) != -1;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool served = info->si_code == BUS_ADRERR && give_zeros(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = error;
  if (served) return;
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
  const bool sent = info->si_code <= 0;  // by a process: it does not come again by itself
  if (previous.sa_handler == SIG_IGN && sent) return;
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  if (sent) ::raise(signal);
}

bool install() {
  page_size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  return ::sigaction(SIGBUS, &action, &previous) == 0;
}

Range* take_range() {
  for (Range* range = ranges.load(std::memory_order_acquire); range != nullptr; range = range->next) {
    if (!range->taken.exchange(true)) return range;
  }
  auto* range = new Range;
  range->next = ranges.load(std::memory_order_relaxed);
  while (!ranges.compare_exchange_weak(range->next, range, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return range;
}

}  // namespace

PageGuard::PageGuard(std::span<const std::byte> mapping) {
  [[maybe_unused]] static const bool installed = install();
  range_ = take_range();
  const auto begin = reinterpret_cast<uintptr_t>(mapping.data());
  range_->marked.store(false);
  range_->end.store(begin + mapping.size());
  range_->begin.store(begin);
}

PageGuard::~PageGuard() {
  range_->begin.store(Range::kNowhere);
  range_->end.store(0);
  range_->taken.store(false);
}

bool PageGuard::marked() const noexcept { return range_->marked.load(); }

}  // namespace cuzk::formats
