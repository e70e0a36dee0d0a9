#pragma once
/// The host's services on the author's side.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/error.hpp>
#include <cuzk/sdk/table.hpp>

namespace cuzk::sdk {

constexpr cuzk_str str(std::string_view text) { return {text.data(), text.size()}; }
constexpr std::string_view view(cuzk_str text) {
  return text.data == nullptr ? std::string_view{} : std::string_view{text.data, static_cast<size_t>(text.size)};
}

namespace detail {
/// What every host of this ABI has; behind it functions may be absent.
constexpr size_t kLeastHost = offsetof(cuzk_host, now_ns);
/// Set by the handshake; hidden, so that every plugin has its own.
[[gnu::visibility("hidden")]] inline cuzk_host host_table{};
}  // namespace detail

/// What the engine offers a plugin. Threads: any. Valid from the handshake on. A service that the host lacks is
/// replaced by the plainest: see cuzk_host.
class Host {
 public:
  /// table: complete (read_table), outlives this.
  explicit Host(const cuzk_host& table) : table_(&table) {}

  /// level: CUZK_LOG_*. Never log scalars.
  void log(uint32_t level, std::string_view component, std::string_view text) const noexcept {
    table_->log(table_->self, level, str(component), str(text));
  }
  /// The engine's clock.
  uint64_t now_ns() const noexcept {
    if (table_->now_ns != nullptr) return table_->now_ns(table_->self);
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
  }
  /// A piece of the timeline of `call`'s ticket. kind: CUZK_SPAN_*; times from now_ns().
  void span(const cuzk_call& call, uint32_t kind, std::string_view name, uint64_t begin_ns, uint64_t end_ns,
            uint64_t bytes = 0) const noexcept {
    if (table_->span == nullptr) return;
    table_->span(table_->self, call.ticket, kind, str(name), begin_ns, end_ns, bytes);
  }
  bool cancelled(const cuzk_call& call) const noexcept {
    return table_->cancelled != nullptr && table_->cancelled(table_->self, call.ticket) != 0;
  }
  /// For long loops, between chunks.
  void throw_if_cancelled(const cuzk_call& call) const {
    if (cancelled(call)) throw Error(CUZK_CANCELLED, "cancelled");
  }
  /// Most threads of parallel(), >= 1.
  uint32_t threads() const noexcept { return table_->threads == nullptr ? 1 : table_->threads(table_->self); }

  /// body(i) once for every i < n on the engine's CPU threads, the caller's included; returns when all are done. May be
  /// nested; must not block. The first exception of a body stops the rest from starting and is rethrown here.
  template <class Body>
  void parallel(uint64_t n, Body&& body) const {
    struct Job {
      Body& body;
      std::atomic<bool> failed{false};
      std::exception_ptr error{};
      static void run(void* self, uint64_t i) noexcept {
        Job& job = *static_cast<Job*>(self);
        if (job.failed.load(std::memory_order_relaxed)) return;
        try {
          job.body(i);
        } catch (...) {
          if (!job.failed.exchange(true)) job.error = std::current_exception();
        }
      }
    } job{body};
    if (table_->parallel != nullptr) {
      table_->parallel(table_->self, n, &Job::run, &job);
    } else {
      for (uint64_t i = 0; i < n; ++i) Job::run(&job, i);
    }
    if (job.error) std::rethrow_exception(std::exchange(job.error, nullptr));
  }

 private:
  const cuzk_host* table_;
};

inline Host host() noexcept { return Host(detail::host_table); }

namespace detail {
/// For entries that cannot report: releases, and a policy's pick.
template <class Body>
void guard_release(const char* entry, Body&& body) noexcept {
  cuzk_status status{};
  if (guard(&status, body) != CUZK_OK && host_table.log != nullptr) host().log(CUZK_LOG_ERROR, entry, status.message);
}
}  // namespace detail

}  // namespace cuzk::sdk
