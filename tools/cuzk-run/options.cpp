#include "options.hpp"

#include "common/command_line.hpp"
#include "common/values.hpp"
#include "described.hpp"
#include "plan_jobs.hpp"

namespace cuzk::run {
namespace {

constexpr uint32_t kMostWorkers = 256;
constexpr uint64_t kMostSeconds = 1'000'000'000;

Action action_of(const tool::CommandLine& line) {
  static const std::pair<const char*, Action> kActions[] = {
      {"help", Action::help},         {"version", Action::version},
      {"verify", Action::verify},     {"check-witness", Action::check_witness},
      {"calldata", Action::calldata}, {"explain", Action::explain},
      {"simulate", Action::simulate}, {"write", Action::write_workload}};
  const char* first = nullptr;
  Action action = Action::prove;
  for (const auto& [option, asked] : kActions) {
    if (!line.has(option)) continue;
    if (first == nullptr) {
      first = option;
      action = asked;
      if (action == Action::help || action == Action::version) return action;
    } else {
      tool::refuse_call(std::string("--") + first + " and --" + option + " do not go together");
    }
  }
  return action;
}

/// An option that could do nothing is a mistake of the call.
void refuse_meaningless(const tool::CommandLine& line, Action action) {
  static const std::vector<std::string> kOfProofs{"insecure-seed", "no-verify", "out-dir", "r1cs", "deadline"};
  static const std::vector<std::string> kOfRuns{"timeline"};
  static const std::vector<std::string> kOfStrategies{"plugin", "staging",     "ntt",           "msm",
                                                      "lock",   "plugin-path", "workers",       "bases",
                                                      "device", "host-memory", "device-memory", "device-model"};
  static const std::vector<std::string> kOfKeys{"key", "params", "pce", "workload", "witness", "check-key"};
  const auto refuse_all = [&](const char* with, const std::vector<std::string>& options) {
    for (const std::string& option : options) {
      if (line.has(option)) tool::refuse_call("--" + option + " has no meaning with --" + with);
    }
  };
  const auto refuse_proving = [&](const char* with) {
    refuse_all(with, kOfRuns);
    refuse_all(with, kOfProofs);
    refuse_all(with, kOfStrategies);
    refuse_all(with, kOfKeys);
  };
  switch (action) {
    case Action::verify:
      refuse_proving("verify");
      return refuse_all("verify", {"threads", "log-level"});
    case Action::calldata:
      refuse_proving("calldata");
      return refuse_all("calldata", {"threads", "log-level", "json", "proof-format"});
    case Action::check_witness:
      refuse_proving("check-witness");
      return refuse_all("check-witness", {"proof-format"});
    case Action::write_workload:
      refuse_all("write", kOfProofs);
      refuse_all("write", kOfRuns);
      refuse_all("write", kOfStrategies);
      return refuse_all("write", {"key", "params", "pce", "witness", "check-key", "proof-format"});
    case Action::simulate:
      refuse_all("simulate", kOfProofs);
      refuse_all("simulate", {"plugin", "staging", "ntt", "msm", "bases", "device", "host-memory", "threads"});
      return refuse_all("simulate", {"key", "params", "pce", "witness", "check-key", "proof-format"});
    case Action::explain:
      refuse_all("explain", kOfProofs);
      refuse_all("explain", kOfRuns);
      return refuse_all("explain", {"witness", "proof-format"});
    default:
      return;
  }
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  const tool::CommandLine line = tool::read_command_line(argc, argv, described());
  Options options;
  options.action = action_of(line);
  if (options.action == Action::help || options.action == Action::version) return options;
  refuse_meaningless(line, options.action);
  plan_jobs(line, options);

  options.request.plugin = line.text("plugin");
  options.request.staging = line.text("staging");
  options.request.ntt = line.text("ntt");
  options.request.msm = line.text("msm");
  options.request.lock = line.text("lock");
  if (line.has("device")) options.request.devices = tool::list_value("device", line.text("device"));
  if (line.has("workers")) {
    options.request.workers =
        static_cast<uint32_t>(tool::number_value("workers", line.text("workers"), 1, kMostWorkers));
  }
  if (line.has("bases")) options.request.stream_bases = tool::streamed_value("bases", line.text("bases"));
  if (line.has("threads")) {
    options.threads =
        static_cast<uint32_t>(tool::number_value("threads", line.text("threads"), 1, CpuPool::kMostThreads));
  }
  if (line.has("device-memory")) options.device_memory = tool::size_value("device-memory", line.text("device-memory"));
  if (line.has("host-memory")) options.host_memory = tool::size_value("host-memory", line.text("host-memory"));
  if (line.has("deadline")) options.deadline_s = tool::number_value("deadline", line.text("deadline"), 1, kMostSeconds);
  options.model_file = line.text("device-model");
  if (!options.model_file.empty()) options.request.device_model = read_device_model(options.model_file);
  options.timeline = line.text("timeline");
  if (line.has("insecure-seed")) {
    options.insecure_seed = tool::number_value("insecure-seed", line.text("insecure-seed"), 0, UINT64_MAX);
  }
  if (line.has("log-level")) options.log_level = tool::log_level_value("log-level", line.text("log-level"));
  options.plugin_path = tool::plugin_path(line);
  options.check_key = line.has("check-key");
  options.check = !line.has("no-verify");
  options.json = line.has("json");
  return options;
}

}  // namespace cuzk::run
