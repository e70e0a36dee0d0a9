#include "host_table.hpp"

#include "boundary.hpp"
#include "table.hpp"

#include <atomic>
#include <chrono>
#include <utility>

#include <cuzk/error.hpp>

namespace cuzk {
namespace {

std::atomic<HostServices*> served{nullptr};

// Callbacks are C functions: nothing may leave them. What serves logs and timelines is given up when memory for it is
// short.
template <class Body>
void quietly(Body&& body) noexcept {
  HostServices* const services = served.load(std::memory_order_acquire);
  if (services == nullptr) return;
  try {
    body(*services);
  } catch (...) {
    return;
  }
}

void log(void*, uint32_t level, cuzk_str component, cuzk_str message) {
  if (level < CUZK_LOG_DEBUG || level > CUZK_LOG_ERROR) level = CUZK_LOG_ERROR;
  quietly([&](HostServices& services) { services.log(LogLevel{level}, text(component), text(message)); });
}

uint64_t now_ns(void*) {
  if (const HostServices* const services = served.load(std::memory_order_acquire)) return services->now_ns();
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

void span(void*, uint64_t ticket, uint32_t kind, cuzk_str name, uint64_t t0_ns, uint64_t t1_ns, uint64_t bytes) {
  quietly([&](HostServices& services) {
    Event event;
    event.name = text(name);
    if (working_on != nullptr) event.device = working_on->name;
    event.kind = kind;
    event.ticket = ticket;
    event.begin_ns = t0_ns;
    event.end_ns = t1_ns;
    event.bytes = bytes;
    services.timeline().add(std::move(event));
  });
}

uint32_t cancelled(void*, uint64_t ticket) {
  const HostServices* const services = served.load(std::memory_order_acquire);
  return services != nullptr && services->cancelled(ticket) ? 1 : 0;
}

// noexcept: fn does not throw, and a pool that cannot even start has no way to say so here.
void parallel(void*, uint64_t n, void (*fn)(void*, uint64_t), void* arg) noexcept {
  if (HostServices* const services = served.load(std::memory_order_acquire)) {
    services->cpu().parallel(n, [=](uint64_t i) { fn(arg, i); });
  } else {
    for (uint64_t i = 0; i < n; ++i) fn(arg, i);
  }
}

uint32_t threads(void*) {
  HostServices* const services = served.load(std::memory_order_acquire);
  return services == nullptr ? 1 : services->cpu().threads();
}

constexpr cuzk_host kTable{.struct_size = sizeof(cuzk_host),
                           .abi_min = CUZK_ABI_VERSION,
                           .abi_max = CUZK_ABI_VERSION,
                           .reserved = 0,
                           .self = nullptr,
                           .log = log,
                           .now_ns = now_ns,
                           .span = span,
                           .cancelled = cancelled,
                           .parallel = parallel,
                           .threads = threads};

}  // namespace

const cuzk_host& host_table() { return kTable; }

void serve(HostServices& services) {
  HostServices* nobody = nullptr;
  if (!served.compare_exchange_strong(nobody, &services)) {
    throw Error(ErrorCode::internal, "a second plugin registry in one process: plugins hold one host table");
  }
}

void stop_serving() noexcept { served.store(nullptr, std::memory_order_release); }

}  // namespace cuzk
