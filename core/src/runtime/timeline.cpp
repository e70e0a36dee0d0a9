#include <algorithm>
#include <new>
#include <utility>

#include <cuzk/runtime/timeline.hpp>

namespace cuzk {

void Timeline::add(Event event) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    events_.push_back(std::move(event));
  } catch (const std::bad_alloc&) {  // the work that the event timed is not to blame
  }
}

std::vector<Event> Timeline::events() const {
  std::vector<Event> copy;
  {
    const std::lock_guard lock(mutex_);
    copy = events_;
  }
  std::stable_sort(copy.begin(), copy.end(), [](const Event& x, const Event& y) { return x.begin_ns < y.begin_ns; });
  return copy;
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
