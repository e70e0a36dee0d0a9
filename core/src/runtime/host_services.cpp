#include <utility>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk {

HostServices::HostServices(uint32_t threads, LogSink log, std::shared_ptr<Clock> clock)
    : cpu_(threads), log_(std::move(log)), clock_(clock ? std::move(clock) : steady_clock()) {}

void HostServices::log(LogLevel level, std::string_view component, std::string_view text) const {
  if (log_) log_(level, component, text);
}

bool HostServices::cancelled(uint64_t /*ticket*/) const { return cancel_all_.load(std::memory_order_relaxed); }

Span::Span(HostServices& services, std::string_view name, std::string_view device, uint64_t ticket, uint32_t worker)
    : services_(services) {
  event_.name = name;
  event_.device = device;
  event_.ticket = ticket;
  event_.worker = worker;
  event_.begin_ns = services.now_ns();
  services.timeline().begun(event_);
}

Span::~Span() {
  services_.timeline().ended(event_);
  event_.end_ns = services_.now_ns();
  services_.timeline().add(std::move(event_));
}

}  // namespace cuzk
