#include "report.hpp"

#include "common/escaped.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include <cuzk/format_bytes.hpp>

namespace cuzk::run {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "cuzk-run/1";

std::string milliseconds(uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f ms", static_cast<double>(ns) / 1e6);
  return text;
}

std::string_view path_name(uint32_t path) {
  constexpr std::string_view kNames[] = {"direct", "pinned", "ring", "pageable", "resident"};
  return path < std::size(kNames) ? kNames[path] : "unknown";
}

/// The names in a set of bits 1 << CUZK_PATH_*.
std::vector<std::string> path_names(uint32_t paths) {
  std::vector<std::string> names;
  for (uint32_t path = 0; path < 32; ++path) {
    if ((paths >> path & 1U) != 0) names.emplace_back(path_name(path));
  }
  return names;
}

std::string device_name(const Device& device) {
  const cuzk_str name = device.info().name;
  return {name.data == nullptr ? "" : name.data, name.size};
}

std::string words(const JobLayout& job) {
  std::string text;
  for (const QueryId id : job.queries) text.append(text.empty() ? "" : " ").append(name(id));
  if (job.compacted) text += " (scalars picked on the host)";
  if (job.by_chunk) text += " (chunk by chunk)";
  return text;
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text.append(text.empty() ? "" : ", ").append(item);
  return text.empty() ? "none" : text;
}

/// Events of one name together, in order of their first.
struct Stage {
  std::string name;
  uint64_t ns = 0, bytes = 0;
};
std::vector<Stage> stages(const std::vector<Event>& events) {
  std::vector<Stage> out;
  for (const Event& event : events) {
    auto at = std::find_if(out.begin(), out.end(), [&](const Stage& stage) { return stage.name == event.name; });
    if (at == out.end()) at = out.insert(out.end(), {event.name});
    at->ns += event.end_ns - event.begin_ns;
    at->bytes += event.bytes;
  }
  return out;
}

class Lines {
 public:
  explicit Lines(std::ostream& out) : out_(out) {}
  void add(const std::string& label, const std::string& value) {
    out_ << label << std::string(label.size() < kWidth ? kWidth - label.size() : 1, ' ') << tool::escaped(value)
         << "\n";
  }

 private:
  static constexpr size_t kWidth = 19;
  std::ostream& out_;
};

void print_strategy(const Report& report, Lines& lines) {
  const KeyShape& shape = report.key.shape;
  const Strategy& strategy = report.composition.strategy;
  const Device& device = *strategy.devices.front();
  lines.add("key", report.key.name + ": " + std::string(name(shape.curve)) + ", " + std::to_string(shape.variables) +
                       " variables, " + std::to_string(shape.publics) + " public, domain 2^" +
                       std::to_string(shape.domain.log2_size));
  lines.add("strategy", report.composition.reason);
  lines.add("device", device.name() + " (" + device_name(device) + ") of plugin " + device.plugin());
  lines.add("staging", strategy.staging->info().full_name());
  lines.add("ntt", strategy.ntt->info().full_name() + (runs_on(*strategy.ntt, device) ? "" : ", in host memory"));
  lines.add("msm", strategy.msm->info().full_name() + (runs_on(*strategy.msm, device) ? "" : ", in host memory"));
  lines.add("lock", strategy.lock->info().full_name());
  lines.add("threads", std::to_string(report.threads) + ", workers " + std::to_string(strategy.workers));
  lines.add("memory", format_bytes(report.layout.total()) + " of " + format_bytes(report.memory.capacity) +
                          "; savings: " + joined(report.layout.savings));
}

void print_layout(const Report& report, Lines& lines) {
  const Layout& layout = report.layout;
  lines.add("fixed", format_bytes(layout.fixed));
  lines.add("key bases", layout.key == 0 ? "streamed" : format_bytes(layout.key) + " resident");
  lines.add("workspaces", std::to_string(layout.workspaces) + " x " + format_bytes(layout.workspace));
  lines.add("slots", std::to_string(layout.slots) + " x " + format_bytes(layout.slot) +
                         (layout.adopted ? ", host memory used in place" : ""));
  lines.add("chunks", std::to_string(layout.chunks) + " of up to " + std::to_string(layout.chunk_points) + " points");
  lines.add("c", layout.c_late ? "made on the host, sent into b's memory" : "made in the workspace");
  for (const JobLayout& job : layout.jobs) {
    lines.add("msm job", words(job) + ": " + format_bytes(job.plan.workspace + job.plan.unmanaged));
  }
  lines.add("unmanaged", std::to_string(layout.workers) + " x " + format_bytes(layout.unmanaged));
  lines.add("footprint", format_bytes(layout.one_footprint()) + ", total " + format_bytes(layout.total()));
  lines.add("least that proves", format_exact_bytes(report.least_footprint));
}

void print_proof(const Report& report, Lines& lines) {
  for (const Stage& stage : stages(report.events)) {
    if (stage.name.starts_with("in ") || (stage.name.starts_with("wait ") && stage.ns < 1'000'000)) continue;
    lines.add("  " + stage.name,
              milliseconds(stage.ns) + (stage.bytes == 0 ? "" : ", " + format_bytes(stage.bytes) + " moved"));
  }
  lines.add("upload", "vectors " + joined(path_names(report.result->vector_paths)) + "; bases " +
                          joined(path_names(report.result->base_paths)) + "; " +
                          format_bytes(report.result->uploaded_bytes) + " moved");
  lines.add("total", milliseconds(report.total_ns));
  if (report.options.insecure_seed)
    lines.add("INSECURE", "r and s come from --insecure-seed: do not publish this proof");
  lines.add("proof", report.result->verified ? "verified" : "NOT VERIFIED (--no-verify)");
  for (const std::string& path : report.written) lines.add("wrote", path);
}

Json layout_json(const Layout& layout) {
  Json jobs = Json::array();
  for (const JobLayout& job : layout.jobs) {
    Json queries = Json::array();
    for (const QueryId id : job.queries) queries.push_back(std::string(name(id)));
    jobs.push_back({{"queries", std::move(queries)},
                    {"compacted", job.compacted},
                    {"by_chunk", job.by_chunk},
                    {"workspace", job.plan.workspace},
                    {"unmanaged", job.plan.unmanaged}});
  }
  return {{"fixed", layout.fixed},
          {"key", layout.key},
          {"workspace", layout.workspace},
          {"workspaces", layout.workspaces},
          {"slot", layout.slot},
          {"slots", layout.slots},
          {"unmanaged", layout.unmanaged},
          {"workers", layout.workers},
          {"one_footprint", layout.one_footprint()},
          {"total", layout.total()},
          {"adopted", layout.adopted},
          {"c_late", layout.c_late},
          {"chunk_points", layout.chunk_points},
          {"chunks", layout.chunks},
          {"savings", layout.savings},
          {"jobs", std::move(jobs)}};
}

Json to_json(const Report& report) {
  const KeyShape& shape = report.key.shape;
  const Strategy& strategy = report.composition.strategy;
  const Device& device = *strategy.devices.front();
  Json json{{"schema", kSchema},
            {"action", report.result ? "prove" : "explain"},
            {"key",
             {{"file", report.key.name},
              {"curve", std::string(name(shape.curve))},
              {"variables", shape.variables},
              {"publics", shape.publics},
              {"log2_domain", shape.domain.log2_size}}},
            {"strategy",
             {{"reason", report.composition.reason},
              {"staging", strategy.staging->info().full_name()},
              {"ntt", strategy.ntt->info().full_name()},
              {"msm", strategy.msm->info().full_name()},
              {"lock", strategy.lock->info().full_name()},
              {"workers", strategy.workers}}},
            {"device", {{"name", device.name()}, {"plugin", device.plugin()}, {"description", device_name(device)}}},
            {"threads", report.threads},
            {"memory",
             {{"capacity", report.memory.capacity},
              {"held", report.memory.held},
              {"high_water", report.memory.high_water},
              {"layout", layout_json(report.layout)}}}};
  if (!report.result) {
    json["memory"]["least_footprint"] = report.least_footprint;
    return json;
  }
  Json events = Json::array();
  const uint64_t start = report.events.empty() ? 0 : report.events.front().begin_ns;
  for (const Event& event : report.events) {
    events.push_back({{"name", event.name},
                      {"device", event.device},
                      {"ticket", event.ticket},
                      {"worker", event.worker},
                      {"begin_ns", event.begin_ns - start},
                      {"duration_ns", event.end_ns - event.begin_ns},
                      {"bytes", event.bytes}});
  }
  json["stages"] = std::move(events);
  json["total_ns"] = report.total_ns;
  json["upload_paths"] = {{"vectors", path_names(report.result->vector_paths)},
                          {"bases", path_names(report.result->base_paths)}};
  json["uploaded_bytes"] = report.result->uploaded_bytes;
  json["insecure"] = report.options.insecure_seed.has_value();
  json["verified"] = report.result->verified;
  json["files"] = report.written;
  return json;
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace

void print(const Report& report, std::ostream& out) {
  if (report.options.json) {
    out << dump(to_json(report)) << "\n";
    return;
  }
  Lines lines(out);
  print_strategy(report, lines);
  if (report.result) {
    print_proof(report, lines);
  } else {
    print_layout(report, lines);
  }
}

void print_verdict(bool holds, bool json, std::ostream& out) {
  if (json) {
    out << dump({{"schema", kSchema}, {"action", "verify"}, {"verified", holds}}) << "\n";
  } else {
    out << (holds ? "proof verified" : "proof does NOT hold") << "\n";
  }
}

}  // namespace cuzk::run
