#include "spans_check.hpp"

#include "../cuda/spans.hpp"
#include "spin.hpp"

namespace cuzk::cuda {
namespace {

constexpr uint64_t kClockError = 100'000;  ///< of spans shortly after the clocks were compared, nanoseconds

bool near(uint64_t ns, uint64_t expected) { return ns >= expected - expected / 20 && ns <= expected + expected / 20; }

std::string one_fits(TestHost& host, uint64_t length) {
  const DeviceGuard guard(kSpace);
  const Stream stream(kSpace);
  const Block block(16);
  const Fence done;
  Spans spans(kSpace, stream);
  host.take_spans();
  cuzk_call call = call_with({});
  call.ticket = length;
  const uint64_t begin = now_ns();
  spans.measure(call, CUZK_SPAN_KERNEL, "spin", 9, [&] { spin_and_fill(stream, length, block.mem().data, 16, 1); });
  record(done, stream);
  done.wait();
  const uint64_t end = now_ns();
  const auto seen = host.take_spans();
  if (seen.size() != 1) return std::to_string(seen.size()) + " spans when the fence was waited for, expected 1";
  const TestHost::Span& span = seen[0];
  if (span.name != "spin" || span.ticket != length || span.kind != CUZK_SPAN_KERNEL || span.bytes != 9) {
    return "not what was measured";
  }
  if (!near(span.length(), length)) return std::to_string(span.length()) + " ns, expected " + std::to_string(length);
  if (span.begin_ns + kClockError < begin || span.end_ns > end + kClockError) return "outside of what the host saw";
  return {};
}

/// Between the event and the kernel, or beside an anchor, the CPU may be taken away, so that one of several must fit.
std::string spans_fit(TestHost& host) {
  for (const uint64_t length : {5 * kMs, 1500 * kMs, 5 * kMs}) {  // the second longer than a comparison of clocks holds
    std::string wrong = "never tried";
    for (unsigned i = 0; i < 5 && !wrong.empty(); ++i) wrong = one_fits(host, length);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

/// A copy that waits for a kernel is no longer for that, and comes after it.
std::string spans_of_copies(TestHost& host) {
  const uint64_t size = 64 * kMiB;
  Opened opened(size);
  const HostBytes from(size, true);
  const Block block(size);
  const DeviceGuard guard(kSpace);
  const Stream stream(kSpace);
  const Fence filled, up;
  host.take_spans();
  const uint64_t begin = now_ns();
  spin_and_fill(stream, 50 * kMs, block.mem().data, 16, 1);
  record(filled, stream);
  cuzk_mem place = block.mem();
  opened.staging->upload(call_with({}), place, from.data(), size, true, filled, up);
  up.wait();
  const auto seen = host.take_spans();
  if (seen.size() != 1 || seen[0].kind != CUZK_SPAN_H2D || seen[0].bytes != size) return "not one upload";
  if (seen[0].begin_ns < begin + 49 * kMs) return "it began before the fence";
  if (seen[0].length() > 40 * kMs) return "its waiting counts";
  return {};
}

std::string many_spans(TestHost& host) {
  const DeviceGuard guard(kSpace);
  const Stream stream(kSpace);
  const Block block(16);
  host.take_spans();
  {
    Spans spans(kSpace, stream);
    for (uint64_t i = 0; i < 5 * Spans::kRing; ++i) {
      cuzk_call call = call_with({});
      call.ticket = i;
      const auto spin = [&] { spin_and_fill(stream, kMs / 10, block.mem().data, 16, 1); };
      spans.measure(call, CUZK_SPAN_KERNEL, "spin", 0, spin);
      if (i % 7 != 0) continue;
      try {
        spans.measure(call, CUZK_SPAN_KERNEL, "fails", 0, [&] {
          spin();
          throw sdk::Error(CUZK_CANCELLED, "cancelled");
        });
      } catch (const sdk::Error&) {  // no span
      }
    }
  }
  const auto seen = host.take_spans();
  if (seen.size() != 5 * Spans::kRing) return std::to_string(seen.size()) + " spans";
  for (uint64_t i = 0; i < seen.size(); ++i) {
    if (seen[i].ticket != i || seen[i].name != "spin") return "not in their order";
  }
  return {};
}

}  // namespace

void check_spans(Report& report, TestHost& host) {
  report.say("a span is as long as its kernel", [&] { return spans_fit(host); });
  report.say("spans of copies", [&] { return spans_of_copies(host); });
  report.say("more spans than events", [&] { return many_spans(host); });
}

}  // namespace cuzk::cuda
