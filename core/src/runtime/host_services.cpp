#include <utility>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk {

HostServices::HostServices(uint32_t threads, LogSink log, std::shared_ptr<Clock> clock)
    : cpu_(threads), log_(std::move(log)), clock_(clock ? std::move(clock) : steady_clock()) {
  cpu_.stop_at(cancel_all_);
}

void HostServices::log(LogLevel level, std::string_view component, std::string_view text) const {
  if (log_) log_(level, component, text);
}

bool HostServices::cancelled(uint64_t ticket) const {
  const std::lock_guard lock(jobs_mutex_);
  const auto at = jobs_.find(ticket);
  return job_cancelled(at == jobs_.end() ? nullptr : at->second);
}

bool HostServices::job_cancelled(const ProofJob* job) const {
  return cancel_all_.load(std::memory_order_relaxed) || (job != nullptr && (job->cancelled() || job->late(now_ns())));
}

HostServices::Watch::Watch(HostServices& services, uint64_t ticket, const ProofJob* job)
    : services_(services), ticket_(ticket) {
  if (job == nullptr) return;
  const std::lock_guard lock(services_.jobs_mutex_);
  services_.jobs_.emplace(ticket_, job);
}

HostServices::Watch::~Watch() {
  const std::lock_guard lock(services_.jobs_mutex_);
  services_.jobs_.erase(ticket_);
}

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
