#include "common/path_names.hpp"
#include "common/peak_memory.hpp"
#include "lines.hpp"
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

#include <cuzk/format_bytes.hpp>

namespace cuzk::run {
namespace {

std::string milliseconds(uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f ms", static_cast<double>(ns) / 1e6);
  return text;
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text.append(text.empty() ? "" : ", ").append(item);
  return text.empty() ? "none" : text;
}

std::string words(const JobLayout& job) {
  std::string text;
  for (const QueryId id : job.queries) text.append(text.empty() ? "" : " ").append(name(id));
  if (job.compacted) text += " (scalars picked on the host)";
  if (job.by_chunk) text += " (chunk by chunk)";
  return text;
}

/// Events of one name together, in order of their first.
struct Stage {
  std::string name;
  uint32_t kind = CUZK_SPAN_CPU;
  uint64_t ns = 0, bytes = 0;
};
std::vector<Stage> stages(const std::vector<Event>& events) {
  std::vector<Stage> out;
  for (const Event& event : events) {
    auto at = std::find_if(out.begin(), out.end(),
                           [&](const Stage& stage) { return stage.name == event.name && stage.kind == event.kind; });
    if (at == out.end()) at = out.insert(out.end(), {event.name, event.kind});
    at->ns += event.end_ns - event.begin_ns;
    at->bytes += event.bytes;
  }
  return out;
}

void print_keys(const Report& report, Lines& lines) {
  for (const ProvingKey* const key : report.keys) {
    const KeyShape& shape = key->shape;
    lines.add("key", key->name + ": " + std::string(name(shape.curve)) + ", " + std::to_string(shape.variables) +
                         " variables, " + std::to_string(shape.publics) + " public, domain 2^" +
                         std::to_string(shape.domain.log2_size));
    if (key->insecure) lines.add("INSECURE", "the secrets of this key are known: its proofs prove nothing");
  }
}

void print_strategy(const Report& report, Lines& lines) {
  const Strategy& strategy = report.composition.strategy;
  const Device& first = *strategy.devices.front();
  print_keys(report, lines);
  lines.add("strategy", report.composition.reason);
  for (const auto& device : strategy.devices) {
    lines.add("device", device->name() + " (" + description(*device) + ") of plugin " + device->plugin());
  }
  lines.add("staging", strategy.staging->info().full_name());
  lines.add("ntt", strategy.ntt->info().full_name() + (runs_on(*strategy.ntt, first) ? "" : ", in host memory"));
  lines.add("msm", strategy.msm->info().full_name() + (runs_on(*strategy.msm, first) ? "" : ", in host memory"));
  lines.add("lock", lock_words(*strategy.lock));
  lines.add("threads", std::to_string(report.threads) + ", workers " + std::to_string(strategy.workers));
  for (const Engine::DeviceUse& use : report.devices) {
    if (!use.layout) continue;
    lines.add("memory", (report.devices.size() == 1 ? "" : use.device->name() + ": ") +
                            format_bytes(use.layout->total()) + " of " + format_bytes(use.memory.capacity) +
                            "; savings: " + joined(use.layout->savings));
    if (!use.host) continue;
    lines.add("host memory", format_bytes(use.host->partition) + " for each of up to " +
                                 std::to_string(use.host->in_flight) + " proofs under way, " +
                                 format_bytes(use.host->worker()) + " for each worker");
  }
}

void print_layout(const Layout& layout, uint64_t least_footprint, Lines& lines) {
  lines.add("fixed", format_bytes(layout.fixed));
  lines.add("key bases", layout.key == 0 ? "streamed" : format_bytes(layout.key) + " resident");
  lines.add("workspaces", std::to_string(layout.workspaces) + " x " + format_bytes(layout.workspace));
  lines.add("slots", std::to_string(layout.slots) + " x " + format_bytes(layout.slot) +
                         (layout.adopted ? ", host memory used in place" : ""));
  lines.add("chunks", std::to_string(layout.chunks) + " of up to " + std::to_string(layout.chunk_points) + " points");
  lines.add("c", layout.c_late ? "made on the host, sent into b's memory" : "made in the workspace");
  if (layout.w_late) lines.add("witness", "sent into b's memory, once the quotient is made");
  for (const JobLayout& job : layout.jobs) {
    lines.add("msm job", words(job) + ": " + format_bytes(job.plan.workspace + job.plan.unmanaged));
  }
  lines.add("unmanaged", std::to_string(layout.workers) + " x " + format_bytes(layout.unmanaged));
  lines.add("footprint", format_bytes(layout.one_footprint()) + ", total " + format_bytes(layout.total()));
  lines.add("least that proves", format_exact_bytes(least_footprint));
}

std::string verdict(const ProofResult& result) {
  std::string text = result.verified ? "verified" : "NOT VERIFIED (--no-verify)";
  if (result.plainest) text += ", by the plainest path";
  if (!result.failures.empty()) text += " on " + result.device + " after: " + joined(result.failures);
  return text;
}

void print_one(const Report& report, const Outcome& outcome, Lines& lines) {
  if (!outcome.result) return;
  lines.add("upload", "vectors " + joined(tool::path_names(outcome.result->vector_paths)) + "; bases " +
                          joined(tool::path_names(outcome.result->base_paths)) + "; " +
                          format_bytes(outcome.result->uploaded_bytes) + " moved");
  lines.add("total", milliseconds(report.end_ns - report.start_ns));
  lines.add("proof", verdict(*outcome.result));
  for (const std::string& path : outcome.written) lines.add("wrote", path);
}

void print_many(const Report& report, Lines& lines) {
  size_t failed = 0;
  for (const Outcome& outcome : report.outcomes) {
    if (!outcome.result) {
      ++failed;
      lines.add("FAILED", outcome.witness);
      continue;
    }
    lines.add("proof", outcome.witness + ": " + verdict(*outcome.result) + ", " +
                           milliseconds(outcome.end_ns - outcome.begin_ns) +
                           (outcome.written.empty() ? "" : ", " + joined(outcome.written)));
  }
  lines.add("total", milliseconds(report.end_ns - report.start_ns) + " for " + std::to_string(report.outcomes.size()) +
                         " proofs" + (failed == 0 ? "" : ", " + std::to_string(failed) + " FAILED"));
}

}  // namespace

void print_text(const Report& report, std::ostream& out) {
  Lines lines(out);
  print_strategy(report, lines);
  if (report.options.action == Action::explain) {
    print_layout(*report.devices.front().layout, report.least_footprint, lines);
    return;
  }
  for (const Stage& stage : stages(report.events)) {
    if (stage.kind != CUZK_SPAN_CPU || stage.name.starts_with("in ") ||
        (stage.name.starts_with("wait ") && stage.ns < 1'000'000))
      continue;
    lines.add("  " + stage.name,
              milliseconds(stage.ns) + (stage.bytes == 0 ? "" : ", " + format_bytes(stage.bytes) + " moved"));
  }
  if (report.options.insecure_seed) {
    lines.add("INSECURE", "r and s come from --insecure-seed: do not publish this proof");
  }
  lines.add("peak memory", format_bytes(tool::peak_memory()) + " of the process, mapped files included");
  if (report.outcomes.size() > 1 || report.options.request.device_model) {
    for (const auto& [label, text] : summary_lines(summary_of(report))) lines.add(label, text);
    std::string most = format_bytes(report.host_high_water) + " of host memory";
    for (const Engine::DeviceUse& use : report.devices) {
      most += ", " + format_bytes(use.memory.high_water) + " of " + use.device->name();
    }
    lines.add("most in use", most);
  }
  if (report.outcomes.size() == 1) {
    print_one(report, report.outcomes.front(), lines);
  } else {
    print_many(report, lines);
  }
}

}  // namespace cuzk::run
