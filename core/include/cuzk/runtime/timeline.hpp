#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace cuzk {

/// One thing that took time. Never holds values, only names, times and bytes.
struct Event {
  std::string name;     ///< "evaluate", "stage", "quotient", "msm h", ...
  std::string device;   ///< "cpu:0"; empty for CPU work
  uint32_t kind = 0;    ///< CUZK_SPAN_*
  uint64_t ticket = 0;  ///< 0: none
  uint32_t worker = 0;
  uint64_t begin_ns = 0, end_ns = 0;
  uint64_t bytes = 0;
};

/// CUZK_SPAN_*: "host", "upload", "download", "kernel".
const char* kind_name(uint32_t kind);

/// The ordered events of a run, and those that have only begun. Threads: any.
class Timeline {
 public:
  /// An event that has begun; its times and bytes are not read. It stays where it is until ended(), with the same one.
  void begun(const Event& event) noexcept;
  void ended(const Event& event) noexcept;
  std::vector<std::string> running() const;  ///< names of those that have begun, the oldest first
  void add(Event event) noexcept;            ///< an event that memory cannot be found for is dropped
  std::vector<Event> events() const;         ///< a copy, ordered by begin
  std::vector<Event> take();  ///< the same, and forgets them: a process that lives on takes after each proof
  /// Sum of the durations of the events of that name, in nanoseconds.
  uint64_t total_ns(std::string_view name) const;

 private:
  mutable std::mutex mutex_;
  std::vector<Event> events_;
  std::vector<const Event*> running_;
};

}  // namespace cuzk
