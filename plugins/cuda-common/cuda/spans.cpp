#include "spans.hpp"

#include "clock_map.hpp"

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <vector>

#include <cuzk/sdk/error.hpp>
#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {
namespace {

constexpr unsigned kTimed = cudaEventDefault;
/// An anchor that is not seen for so long is of no use, where there is another already.
constexpr std::chrono::milliseconds kPatience{1}, kFirstPatience{1000};
constexpr unsigned kFirstTries = 3;

/// cudaEventQuery() that leaves no error for the next call to find.
cudaError_t state_of(cudaEvent_t event) noexcept {
  const cudaError_t state = cudaEventQuery(event);
  if (state != cudaSuccess) static_cast<void>(cudaGetLastError());
  return state;
}

}  // namespace

/// One device's clock, and those who measure on it.
class SpanClock {
 public:
  /// The one of a device, as long as somebody has it; null where nobody does and none is to be made.
  static std::shared_ptr<SpanClock> of(uint32_t device, bool make);

  explicit SpanClock(uint32_t device) : stream_(device), anchors_{Event(device, kTimed), Event(device, kTimed)} {
    const DeviceGuard guard(device);
    for (unsigned i = 0; i < kFirstTries; ++i) look();
    static_cast<void>(map_.wants_anchor(sdk::host().now_ns()));
  }

  void add(Spans& spans) {
    const std::lock_guard lock(mutex);
    all_.push_back(&spans);
  }
  void remove(Spans& spans) noexcept {
    const std::lock_guard lock(mutex);
    std::erase(all_, &spans);
  }
  /// Under a DeviceGuard.
  void report_all() noexcept {
    const std::lock_guard lock(mutex);
    if (map_.wants_anchor(sdk::host().now_ns())) look();
    for (Spans* const spans : all_) report(*spans);
  }
  /// The oldest that have run. Under a DeviceGuard, with the mutex held.
  void report(Spans& spans) noexcept {
    for (; spans.pending_ != 0; spans.oldest_ = (spans.oldest_ + 1) % Spans::kRing, --spans.pending_) {
      const Spans::Slot& slot = spans.ring_[spans.oldest_];
      const cudaError_t state = state_of(slot.end);
      if (state == cudaErrorNotReady) return;
      if (state == cudaSuccess) report(slot);
    }
  }

  std::mutex mutex;

 private:
  /// Lets the device pass an anchor, on a stream that is idle.
  void look() noexcept {
    const Event& next = anchors_[1 - present_];
    const auto patience = std::chrono::steady_clock::now() + (map_.set() ? kPatience : kFirstPatience);
    const uint64_t before = sdk::host().now_ns();
    cudaError_t state = cudaEventRecord(next, stream_);
    if (state == cudaSuccess) {
      do state = state_of(next);
      while (state == cudaErrorNotReady && std::chrono::steady_clock::now() < patience);
    }
    const uint64_t after = sdk::host().now_ns();
    static_cast<void>(cudaGetLastError());
    if (state == cudaSuccess && map_.offer(before, after)) present_ = 1 - present_;
  }

  void report(const Spans::Slot& slot) noexcept {
    float since = 0, length = 0;  // milliseconds
    if (!map_.set() || cudaEventElapsedTime(&since, anchors_[present_], slot.begin) != cudaSuccess ||
        cudaEventElapsedTime(&length, slot.begin, slot.end) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return;
    }
    cuzk_call call{};
    call.ticket = slot.what.ticket;
    const double begin = static_cast<double>(since);
    sdk::host().span(call, slot.what.kind, slot.what.name, map_.host_ns(begin),
                     map_.host_ns(begin + static_cast<double>(length)), slot.what.bytes);
  }

  Stream stream_;
  std::array<Event, 2> anchors_;
  uint32_t present_ = 0;
  ClockMap map_;
  std::vector<Spans*> all_;
};

std::shared_ptr<SpanClock> SpanClock::of(uint32_t device, bool make) {
  static std::mutex& guard = *new std::mutex;  // core may wait for fences while the process ends
  static auto& clocks = *new std::map<uint32_t, std::weak_ptr<SpanClock>>;
  const std::lock_guard lock(guard);
  std::weak_ptr<SpanClock>& known = clocks[device];
  std::shared_ptr<SpanClock> clock = known.lock();
  if (clock == nullptr && make) known = clock = std::make_shared<SpanClock>(device);
  return clock;
}

Spans::Slot::Slot(uint32_t device) : begin(device, kTimed), end(device, kTimed) {}

Spans::Spans(uint32_t device, const Stream& stream) : device_(device), stream_(stream) {
  ring_.reserve(kRing);
  for (uint32_t i = 0; i < kRing; ++i) ring_.emplace_back(device);
  clock_ = SpanClock::of(device, true);
  clock_->add(*this);
}

Spans::~Spans() {
  stream_.drain();
  try {
    const DeviceGuard guard(device_);
    const std::lock_guard lock(clock_->mutex);
    clock_->report(*this);
  } catch (const sdk::Error&) {  // the device is gone, and its clock too
  }
  clock_->remove(*this);
}

uint32_t Spans::begin() {
  std::unique_lock lock(clock_->mutex);
  while (pending_ == kRing) {
    const cudaEvent_t oldest = ring_[oldest_].end;  // recorded again by this thread alone
    lock.unlock();
    wait_for(oldest);
    lock.lock();
    clock_->report(*this);
  }
  const uint32_t slot = (oldest_ + pending_) % kRing;
  lock.unlock();
  check(cudaEventRecord(ring_[slot].begin, stream_), "cudaEventRecord");
  return slot;
}

void Spans::end(uint32_t slot, const What& what) {
  check(cudaEventRecord(ring_[slot].end, stream_), "cudaEventRecord");
  const std::lock_guard lock(clock_->mutex);
  ring_[slot].what = what;
  ++pending_;
}

void Spans::report_finished(uint32_t device) noexcept {
  try {
    if (const auto clock = SpanClock::of(device, false)) clock->report_all();
  } catch (const std::exception&) {  // spans are given up where memory is short
  }
}

}  // namespace cuzk::cuda
