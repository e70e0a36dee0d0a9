#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include <cuzk/runtime/clock.hpp>
#include <cuzk/runtime/cpu_pool.hpp>
#include <cuzk/runtime/host_pool.hpp>
#include <cuzk/runtime/proof_job.hpp>
#include <cuzk/runtime/space_claims.hpp>
#include <cuzk/runtime/timeline.hpp>

namespace cuzk {

enum class LogLevel : uint32_t { debug = 1, info = 2, warn = 3, error = 4 };

/// What the engine and, through the loader's C table, every plugin may call: CPU threads, clock, log, timeline,
/// cancellation, memory spaces. One per process; outlives every plugin. Threads: any.
class HostServices {
 public:
  using LogSink = std::function<void(LogLevel, std::string_view component, std::string_view text)>;

  /// threads as in CpuPool. A null sink drops the log; a null clock is the system's.
  explicit HostServices(uint32_t threads = 0, LogSink log = {}, std::shared_ptr<Clock> clock = {});

  CpuPool& cpu() { return cpu_; }
  HostPool& memory() { return memory_; }
  SpaceClaims& spaces() { return spaces_; }
  Timeline& timeline() { return timeline_; }
  Clock& clock() { return *clock_; }
  uint64_t now_ns() const { return clock_->now_ns(); }
  void log(LogLevel level, std::string_view component, std::string_view text) const;
  uint64_t next_ticket() { return ++last_ticket_; }  ///< rises from 1: no two devices have tickets of one number
  /// Whether the ticket's work is to end: its job was cancelled or is late, or cancel_all() was called. 0: no job's.
  bool cancelled(uint64_t ticket) const;
  bool job_cancelled(const ProofJob* job) const;  ///< the same of a job; null: of none
  /// May be called from a signal handler.
  void cancel_all() { cancel_all_.store(true, std::memory_order_relaxed); }

  /// While it lives, the ticket belongs to the job, which may be null.
  class Watch {
   public:
    Watch(HostServices&, uint64_t ticket, const ProofJob*);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    HostServices& services_;
    const uint64_t ticket_;
  };

 private:
  CpuPool cpu_;
  HostPool memory_;
  SpaceClaims spaces_;
  Timeline timeline_;
  LogSink log_;
  const std::shared_ptr<Clock> clock_;
  std::atomic<uint64_t> last_ticket_{0};
  std::atomic<bool> cancel_all_{false};
  mutable std::mutex jobs_mutex_;
  std::map<uint64_t, const ProofJob*> jobs_;  ///< by ticket
  static_assert(std::atomic<bool>::is_always_lock_free);
};

/// Adds an event from construction to destruction.
class Span {
 public:
  Span(HostServices&, std::string_view name, std::string_view device = {}, uint64_t ticket = 0, uint32_t worker = 0);
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  void add_bytes(uint64_t bytes) { event_.bytes += bytes; }

 private:
  HostServices& services_;
  Event event_;
};

}  // namespace cuzk
