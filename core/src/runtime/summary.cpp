#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/runtime/summary.hpp>

namespace cuzk {
namespace {

struct Interval {
  uint64_t begin, end;
};
using Intervals = std::vector<Interval>;

/// Ordered and apart from each other.
Intervals united(Intervals intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& x, const Interval& y) { return x.begin < y.begin; });
  Intervals out;
  for (const Interval& next : intervals) {
    if (!out.empty() && next.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, next.end);
    } else {
      out.push_back(next);
    }
  }
  return out;
}

/// Of both; united ones.
Intervals common(const Intervals& x, const Intervals& y) {
  Intervals out;
  for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    const Interval both{std::max(x[i].begin, y[j].begin), std::min(x[i].end, y[j].end)};
    if (both.begin < both.end) out.push_back(both);
    ++(x[i].end < y[j].end ? i : j);
  }
  return out;
}

uint64_t total(const Intervals& intervals) {
  uint64_t sum = 0;
  for (const Interval& one : intervals) sum += one.end - one.begin;
  return sum;
}

/// Work for a key: its tickets take leases, move bytes and run kernels as those of proofs do.
bool is_set_up(const std::string& name) { return name == "load key" || name == "multiples"; }

/// What proofs did on one device.
struct Seen {
  Intervals kernels, uploads;  ///< as the device tells them
  Intervals steps, stages;     ///< core's
  Intervals held, computes;    ///< in stage or compute; in compute
  uint64_t wait_ns = 0, uploaded = 0, moved = 0;

  void add(const Event& event) {
    const Interval when{event.begin_ns, event.end_ns};
    if (event.kind == CUZK_SPAN_KERNEL) {
      kernels.push_back(when);
    } else if (event.kind == CUZK_SPAN_H2D) {
      uploads.push_back(when);
      uploaded += event.bytes;
    } else if (event.name == "in stage" || event.name == "in compute") {
      held.push_back(when);
      if (event.name == "in compute") computes.push_back(when);
    } else if (event.name.starts_with("wait ")) {
      wait_ns += event.end_ns - event.begin_ns;
    } else if (event.name == "stage") {
      stages.push_back(when);
      moved += event.bytes;
    } else if (event.name == "quotient" || event.name.starts_with("msm ")) {
      steps.push_back(when);
      moved += event.bytes;
    }
  }
};

DeviceSummary summary_of(const std::string& device, Seen seen) {
  DeviceSummary out;
  out.device = device;
  out.partitions = seen.computes.size();
  out.lock_wait_ns = seen.wait_ns;
  out.from_steps = seen.kernels.empty();
  Intervals kernels = united(std::move(out.from_steps ? seen.steps : seen.kernels));
  const Intervals uploads = united(std::move(out.from_steps ? seen.stages : seen.uploads));
  out.uploaded_bytes = out.from_steps ? seen.moved : seen.uploaded;
  out.upload_ns = total(uploads);
  const Intervals held = united(std::move(seen.held));
  out.held_ns = total(held);
  if (kernels.empty()) return out;
  uint64_t warm = UINT64_MAX;
  for (const Interval& compute : seen.computes) warm = std::min(warm, compute.end);
  if (out.partitions < 2 || warm >= kernels.back().end) warm = 0;
  kernels = common(kernels, {{warm, UINT64_MAX}});
  if (kernels.empty()) return out;  // none took any time
  const Interval window{kernels.front().begin, kernels.back().end};
  out.window_ns = window.end - window.begin;
  out.kernel_ns = total(kernels);
  out.lock_held_ns = total(common(held, {window}));
  out.overlapped_ns = total(common(kernels, common(uploads, {window})));
  return out;
}

}  // namespace

std::vector<DeviceSummary> summarise(std::span<const Event> events) {
  std::set<uint64_t> set_up;  // tickets, which no two devices have the same of
  for (const Event& event : events) {
    if (is_set_up(event.name)) set_up.insert(event.ticket);
  }
  std::map<std::string, Seen> devices;
  for (const Event& event : events) {
    if (event.device.empty()) continue;
    Seen& seen = devices[event.device];
    if (!set_up.contains(event.ticket)) seen.add(event);
  }
  std::vector<DeviceSummary> out;
  for (auto& [device, seen] : devices) out.push_back(summary_of(device, std::move(seen)));
  return out;
}

uint64_t percentile(std::vector<uint64_t> durations, double share) {
  if (durations.empty()) return 0;
  std::sort(durations.begin(), durations.end());
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(durations.size())));
  return durations[std::clamp<size_t>(rank, 1, durations.size()) - 1];
}

}  // namespace cuzk
