#include "common/escaped.hpp"
#include "common/path_names.hpp"
#include "common/peak_memory.hpp"
#include "report.hpp"

#include <ostream>

namespace cuzk::run {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "cuzk-run/1";

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::proof_failed:
      return "proof_failed";
    case ErrorCode::unverified:
      return "unverified";
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::bad_input:
      return "bad_input";
    case ErrorCode::unusable:
      return "unusable";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::deadline:
      return "deadline";
    case ErrorCode::device_failed:
      return "device_failed";
    default:
      return "internal";
  }
}

Json key_json(const ProvingKey& key) {
  return {{"file", key.name},
          {"curve", std::string(name(key.shape.curve))},
          {"variables", key.shape.variables},
          {"publics", key.shape.publics},
          {"log2_domain", key.shape.domain.log2_size},
          {"insecure", key.insecure}};
}

Json host_json(const HostPlan& host) {
  return {{"worker", host.worker()},
          {"workers", host.workers},
          {"partition", host.partition},
          {"in_flight", host.in_flight},
          {"total", host.total()}};
}

Json device_json(const Engine::DeviceUse& use) {
  Json json{{"name", use.device->name()},
            {"plugin", use.device->plugin()},
            {"description", description(*use.device)},
            {"proofs", use.proofs},
            {"keys_opened", use.keys_opened},
            {"memory",
             {{"capacity", use.memory.capacity}, {"held", use.memory.held}, {"high_water", use.memory.high_water}}}};
  json["layout"] = use.layout ? layout_json(*use.layout) : Json();
  json["host"] = use.host ? host_json(*use.host) : Json();
  return json;
}

Json outcome_json(const Outcome& outcome, uint64_t start_ns) {
  Json json{{"key", outcome.job.key},
            {"witness", outcome.witness},
            {"begin_ns", outcome.begin_ns - start_ns},
            {"duration_ns", outcome.end_ns - outcome.begin_ns},
            {"verified", outcome.result && outcome.result->verified},
            {"files", outcome.written}};
  if (outcome.result) {
    json["ticket"] = outcome.result->ticket;
    json["upload_paths"] = {{"vectors", tool::path_names(outcome.result->vector_paths)},
                            {"bases", tool::path_names(outcome.result->base_paths)}};
    json["uploaded_bytes"] = outcome.result->uploaded_bytes;
    json["device"] = outcome.result->device;
    json["plainest"] = outcome.result->plainest;
    json["failures"] = outcome.result->failures;
  } else {
    json["error"] = {{"code", code_name(outcome.code)}, {"message", outcome.message}};
  }
  return json;
}

Json stages_json(const std::vector<Event>& events, uint64_t start_ns) {
  Json out = Json::array();
  for (const Event& event : events) {
    out.push_back({{"name", event.name},
                   {"device", event.device},
                   {"kind", kind_name(event.kind)},
                   {"ticket", event.ticket},
                   {"worker", event.worker},
                   {"begin_ns", event.begin_ns - start_ns},
                   {"duration_ns", event.end_ns - event.begin_ns},
                   {"bytes", event.bytes}});
  }
  return out;
}

}  // namespace

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
          {"w_late", layout.w_late},
          {"chunk_points", layout.chunk_points},
          {"chunks", layout.chunks},
          {"savings", layout.savings},
          {"jobs", std::move(jobs)}};
}

void print_json(const Report& report, std::ostream& out) {
  const Strategy& strategy = report.composition.strategy;
  const bool explains = report.options.action == Action::explain;
  Json keys = Json::array();
  bool insecure = report.options.insecure_seed.has_value();
  for (const ProvingKey* const key : report.keys) {
    keys.push_back(key_json(*key));
    insecure = insecure || key->insecure;
  }
  Json devices = Json::array();
  for (const Engine::DeviceUse& use : report.devices) devices.push_back(device_json(use));
  Json json{{"schema", kSchema},
            {"action", explains ? "explain" : "prove"},
            {"keys", std::move(keys)},
            {"strategy",
             {{"reason", report.composition.reason},
              {"staging", strategy.staging->info().full_name()},
              {"ntt", strategy.ntt->info().full_name()},
              {"msm", strategy.msm->info().full_name()},
              {"lock", strategy.lock->info().full_name()},
              {"lock_experiment", strategy.lock->books_late()},
              {"workers", strategy.workers},
              {"bases", strategy.stream_bases ? "streamed" : "resident"}}},
            {"threads", report.threads},
            {"devices", std::move(devices)},
            {"insecure", insecure}};
  if (explains) {
    json["least_footprint"] = report.least_footprint;
  } else {
    Json proofs = Json::array();
    for (const Outcome& outcome : report.outcomes) proofs.push_back(outcome_json(outcome, report.start_ns));
    json["proofs"] = std::move(proofs);
    json["summary"] = summary_json(summary_of(report));
    json["stages"] = stages_json(report.events, report.start_ns);
    json["total_ns"] = report.end_ns - report.start_ns;
    json["peak_memory"] = tool::peak_memory();
  }
  out << dump(json);
}

void print_written(const std::string& workload, const std::vector<std::string>& files, bool json, std::ostream& out) {
  if (json) {
    out << dump(
        {{"schema", kSchema}, {"action", "write"}, {"workload", workload}, {"files", files}, {"insecure", true}});
    return;
  }
  out << "workload           " << workload << "\n"
      << "INSECURE           the secrets of these keys are known: proofs with them prove nothing\n";
  for (const std::string& file : files) out << "wrote              " << tool::escaped(file) << "\n";
}

std::string verdict_json(const std::string& action, bool holds, const std::string& message) {
  return dump({{"schema", kSchema}, {"action", action}, {"holds", holds}, {"message", message}});
}

}  // namespace cuzk::run
