#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/runtime/trace.hpp>

namespace cuzk {
namespace {

using Json = nlohmann::ordered_json;

/// Tracks of one device or of the CPU, by worker and kind.
class Tracks {
 public:
  /// The number of a track that is free for the event. Events come ordered by begin.
  size_t place(const Event& event) {
    std::vector<Lane>& lanes = lanes_[{event.worker, event.kind}];
    for (Lane& lane : lanes) {
      while (!lane.ends.empty() && lane.ends.back() <= event.begin_ns) lane.ends.pop_back();
      if (lane.ends.empty() || event.end_ns <= lane.ends.back()) {
        lane.ends.push_back(event.end_ns);
        return lane.number;
      }
    }
    lanes.push_back({made_++, {event.end_ns}});
    return lanes.back().number;
  }

  /// name(worker, kind, number) for each track.
  template <class Name>
  void each(Name&& name) const {
    for (const auto& [key, lanes] : lanes_) {
      for (const Lane& lane : lanes) name(key.first, key.second, lane.number);
    }
  }

 private:
  struct Lane {
    size_t number;
    std::vector<uint64_t> ends;  ///< of the events that hold each other, the outermost first
  };
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Lane>> lanes_;
  size_t made_ = 0;
};

/// Each ticket's worker, which core's own events of a device name; those that a plugin reports do not.
std::map<uint64_t, uint32_t> workers_of(std::span<const Event> events) {
  std::map<uint64_t, uint32_t> workers;
  for (const Event& event : events) {
    if (event.kind == CUZK_SPAN_CPU && !event.device.empty()) workers.emplace(event.ticket, event.worker);
  }
  return workers;
}

Json metadata(const char* what, size_t process, size_t track, Json args) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", track}, {"args", std::move(args)}};
}

double microseconds(uint64_t ns) { return static_cast<double>(ns) / 1000; }

}  // namespace

std::string chrome_trace(std::span<const Event> events, uint64_t start_ns) {
  std::map<std::string, std::pair<size_t, Tracks>> processes;
  processes[""] = {0, {}};
  for (const Event& event : events) processes.try_emplace(event.device, processes.size(), Tracks());
  Json out = Json::array();
  const std::map<uint64_t, uint32_t> workers = workers_of(events);
  for (Event event : events) {
    if (const auto known = workers.find(event.ticket); event.kind != CUZK_SPAN_CPU && known != workers.end()) {
      event.worker = known->second;
    }
    auto& [process, tracks] = processes.at(event.device);
    const uint64_t begin = event.begin_ns > start_ns ? event.begin_ns - start_ns : 0;
    out.push_back({{"ph", "X"},
                   {"name", event.name},
                   {"cat", kind_name(event.kind)},
                   {"pid", process},
                   {"tid", tracks.place(event)},
                   {"ts", microseconds(begin)},
                   {"dur", microseconds(event.end_ns - event.begin_ns)},
                   {"args", {{"ticket", event.ticket}, {"worker", event.worker}, {"bytes", event.bytes}}}});
  }
  for (const auto& [device, tracked] : processes) {
    const size_t process = tracked.first;
    out.push_back(metadata("process_name", process, 0, {{"name", device.empty() ? "cpu" : device}}));
    out.push_back(metadata("process_sort_index", process, 0, {{"sort_index", process}}));
    tracked.second.each([&](uint32_t worker, uint32_t kind, size_t track) {
      const std::string what = kind == CUZK_SPAN_CPU ? "" : std::string(", ") + kind_name(kind) + "s";
      out.push_back(metadata("thread_name", process, track, {{"name", "worker " + std::to_string(worker) + what}}));
      out.push_back(metadata("thread_sort_index", process, track, {{"sort_index", 8 * worker + kind}}));
    });
  }
  const Json trace{
      {"traceEvents", std::move(out)}, {"displayTimeUnit", "ms"}, {"otherData", {{"schema", "cuzk-timeline/1"}}}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cuzk
