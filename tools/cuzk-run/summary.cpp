#include "summary.hpp"

#include <cstdio>
#include <span>

#include <cuzk/format_bytes.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/runtime/trace.hpp>

namespace cuzk::run {
namespace {

std::string printed(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string seconds(uint64_t ns) {
  return printed(ns < 1'000'000'000 ? "%.4f s" : "%.2f s", static_cast<double>(ns) / 1e9);
}
std::string percent(double share) { return printed("%.1f %%", 100 * share); }

std::string uploads(const DeviceSummary& device) {
  if (device.uploaded_bytes == 0) return "nothing moved";
  return format_bytes(device.bytes_per_partition()) + " a partition at " +
         printed("%.2f GB/s", device.bytes_per_second() / 1e9) + ", " + seconds(device.overlapped_ns) +
         " of it under kernels";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> summary_lines(const Summary& summary) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const DeviceSummary& device : summary.devices) {
    if (device.window_ns == 0) continue;
    out.emplace_back(device.device + " busy", percent(device.kernel_busy()) + " of " + seconds(device.window_ns) +
                                                  " with " + (device.from_steps ? "quotients and MSMs" : "kernels") +
                                                  "; lock held " + percent(device.lock_held()) + ", waited for " +
                                                  seconds(device.lock_wait_ns) + " in all");
    out.emplace_back(device.device + " uploads", uploads(device));
  }
  if (summary.latencies_ns.empty()) return out;
  out.emplace_back("latency", "p50 " + seconds(percentile(summary.latencies_ns, 0.5)) + ", p95 " +
                                  seconds(percentile(summary.latencies_ns, 0.95)));
  out.emplace_back("throughput", printed("%.4g s a proof", summary.seconds_per_proof()));
  return out;
}

nlohmann::ordered_json summary_json(const Summary& summary) {
  using Json = nlohmann::ordered_json;
  Json devices = Json::array();
  for (const DeviceSummary& device : summary.devices) {
    devices.push_back({{"name", device.device},
                       {"partitions", device.partitions},
                       {"window_ns", device.window_ns},
                       {"kernel_busy", device.kernel_busy()},
                       {"kernels_from", device.from_steps ? "steps" : "device"},
                       {"lock_held", device.lock_held()},
                       {"lock_wait_ns", device.lock_wait_ns},
                       {"held_ns_per_partition", device.held_ns_per_partition()},
                       {"uploaded_bytes", device.uploaded_bytes},
                       {"bytes_per_partition", device.bytes_per_partition()},
                       {"bytes_per_second", device.bytes_per_second()},
                       {"upload_under_kernels_ns", device.overlapped_ns}});
  }
  return {{"devices", std::move(devices)},
          {"latency_p50_ns", percentile(summary.latencies_ns, 0.5)},
          {"latency_p95_ns", percentile(summary.latencies_ns, 0.95)},
          {"seconds_per_proof", summary.seconds_per_proof()},
          {"host_high_water", summary.host_high_water}};
}

void write_timeline(const std::string& path, const std::vector<Event>& events, uint64_t start_ns) {
  if (path.empty()) return;
  OutputFiles file(std::span(&path, 1));
  file.write(path, chrome_trace(events, start_ns));
  file.commit();
}

}  // namespace cuzk::run
