#include <algorithm>
#include <new>
#include <utility>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/runtime/timeline.hpp>

namespace cuzk {
namespace {

std::vector<Event> ordered(std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& x, const Event& y) { return x.begin_ns < y.begin_ns; });
  return events;
}

}  // namespace

const char* kind_name(uint32_t kind) {
  switch (kind) {
    case CUZK_SPAN_H2D:
      return "upload";
    case CUZK_SPAN_D2H:
      return "download";
    case CUZK_SPAN_KERNEL:
      return "kernel";
    default:
      return "host";
  }
}

void Timeline::begun(const Event& event) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    running_.push_back(&event);
  } catch (const std::bad_alloc&) {  // then it is not shown while it runs
  }
}

void Timeline::ended(const Event& event) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(running_, &event);
}

std::vector<std::string> Timeline::running() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  names.reserve(running_.size());
  for (const Event* event : running_) names.push_back(event->name);
  return names;
}

void Timeline::add(Event event) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    events_.push_back(std::move(event));
  } catch (const std::bad_alloc&) {  // the work that the event timed is not to blame
  }
}

std::vector<Event> Timeline::events() const {
  std::unique_lock lock(mutex_);
  std::vector<Event> copy = events_;
  lock.unlock();
  return ordered(std::move(copy));
}

std::vector<Event> Timeline::take() {
  std::unique_lock lock(mutex_);
  std::vector<Event> taken = std::exchange(events_, {});
  lock.unlock();
  return ordered(std::move(taken));
}

uint64_t Timeline::total_ns(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  uint64_t total = 0;
  for (const Event& event : events_) {
    if (event.name == name) total += event.end_ns - event.begin_ns;
  }
  return total;
}

}  // namespace cuzk
