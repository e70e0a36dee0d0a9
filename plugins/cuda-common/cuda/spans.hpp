#pragma once
#include "check.hpp"
#include "ranges.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

class SpanClock;

/// Reports to the host when what was enqueued on one stream ran, as the device measured it: an event before and one
/// behind it, in a ring made at the start. Nothing waits for the device for this but a call that finds the ring full of
/// work that has not run; that waits for the oldest. Finished work is reported when the plugin's device has waited for
/// a fence (so all of it that lies before a fence is in the host's timeline when fence_wait returns), and the rest
/// when this goes. Times are right to about 10 us in the host's clock and another 50 us for each second since the two
/// clocks were compared, which is done again once a second; lengths are the device's own, to a microsecond.
/// measure() from one thread at a time, beside report_finished().
class Spans {
 public:
  static constexpr uint32_t kRing = 32;

  Spans(uint32_t device, const Stream& stream);
  Spans(cuzk_space space, const Stream& stream) : Spans(index_of(space), stream) {}
  ~Spans();
  Spans(const Spans&) = delete;
  Spans& operator=(const Spans&) = delete;

  /// Runs body(), which enqueues on the stream, as a span of the call's ticket and a range for profilers. What the
  /// stream must wait for first is enqueued before, lest waiting counts; the fence of the work behind it. If body
  /// throws there is no span. kind: CUZK_SPAN_*. name: lives as long as the process. Under a DeviceGuard.
  template <class Body>
  void measure(const cuzk_call& call, uint32_t kind, const char* name, uint64_t bytes, Body&& body) {
    const Range range(name);
    const uint32_t slot = begin();
    body();
    end(slot, {call.ticket, bytes, name, kind});
  }

  /// Reports what has run by now of all components of this plugin on a device. Errors of that work stay for those who
  /// wait for it.
  static void report_finished(uint32_t device) noexcept;

 private:
  friend class SpanClock;
  struct What {
    uint64_t ticket, bytes;
    const char* name;
    uint32_t kind;
  };
  struct Slot {
    explicit Slot(uint32_t device);
    Event begin, end;
    What what{};
  };
  uint32_t begin();
  void end(uint32_t slot, const What& what);

  uint32_t device_;
  const Stream& stream_;
  std::vector<Slot> ring_;
  std::shared_ptr<SpanClock> clock_;
  uint32_t oldest_ = 0, pending_ = 0;  ///< of the ring; under the clock's mutex
};

}  // namespace cuzk::cuda
