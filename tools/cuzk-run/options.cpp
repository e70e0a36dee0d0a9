#include "options.hpp"

#include "common/command_line.hpp"

#include <boost/program_options.hpp>
#include <charconv>
#include <map>
#include <sstream>

namespace cuzk::run {
namespace {

namespace po = boost::program_options;

constexpr uint32_t kMostWorkers = 256;

constexpr const char* kExamples = R"(cuzk-run makes Groth16 proofs of circom circuits and checks them before they leave.

  cuzk-run                                    prove the sample circuit with the best usable plugin; writes nothing
  cuzk-run circuit.zkey witness.wtns proof.json public.json
                                              prove; both files appear together or not at all
  cuzk-run --plugin cpu-reference --threads 4 circuit.zkey witness.wtns proof.json public.json
                                              with a plugin of your choice, or an error
  cuzk-run --plugin cpu-reference --msm acme/fast-msm circuit.zkey ...
                                              one component of another plugin; `cuzk-inspect list` shows them
  cuzk-run --explain --device-memory 64MiB circuit.zkey
                                              how components, memory and savings would be; proves nothing
  cuzk-run --verify verification_key.json public.json proof.json
                                              check a proof: exit code 0 when it holds, 1 when it does not

Exit codes: 0 done, 1 no proof or it does not hold, 2 usage, 3 bad input file, 4 plugin or device not usable, 5 out of memory.
)";

[[noreturn]] void refuse(const std::string& what) { tool::refuse_call("cuzk-run", what); }

po::options_description described() {
  po::options_description all("Options");
  const auto text = [] { return po::value<std::string>(); };
  all.add_options()("plugin", text()->value_name("NAME"),
                    "start from this plugin's strategy; default: the best usable")(
      "staging", text()->value_name("NAME"), "component that moves data, PLUGIN/NAME or NAME where only one has it")(
      "ntt", text()->value_name("NAME"), "component for transforms and the quotient")(
      "msm", text()->value_name("NAME"), "component for multi-scalar multiplications")(
      "lock", text()->value_name("NAME"), "lock policy, e.g. single-lock, none")(
      "plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"),
      "folder or file searched for plugins first; may be repeated")(
      "threads", text()->value_name("N"), "CPU threads; default: as many as this process may use")(
      "workers", text()->value_name("N"),
      "workers opened on the device, 1 by default; one proof keeps one busy, the others only take memory")(
      "device", text()->value_name("LIST"), "cpu:0 or cpu:0,cpu:1: all must be usable, the proof is made on the first")(
      "device-memory", text()->value_name("SIZE"), "most device memory to hold: bytes, or with KiB, MiB, GiB, TiB")(
      "verify", "check a proof instead of making one")("explain", "print strategy and memory layout, prove nothing")(
      "insecure-seed", text()->value_name("N"),
      "r and s from this number: INSECURE, only to compare proofs bit by bit")(
      "no-verify", "let the proof leave unchecked; for benchmarks")("json", "print the result as JSON (cuzk-run/1)")(
      "log-level", text()->value_name("LEVEL"), "debug, info, warn, error or off; on stderr; default warn")(
      "help", "print this")("version", "print the version");
  return all;
}

uint64_t number(const std::string& option, const std::string& text, uint64_t least, uint64_t most) {
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < least || value > most) {
    refuse("--" + option + ": found '" + text + "', expected a number from " + std::to_string(least) + " to " +
           std::to_string(most));
  }
  return value;
}

uint64_t size(const std::string& option, const std::string& text) {
  static const std::map<std::string, uint32_t> kShift{{"", 0},     {"B", 0},    {"KiB", 10},
                                                      {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto unit = kShift.find(std::string(stop, text.data() + text.size()));
  if (error != std::errc() || unit == kShift.end() || value == 0 || value > (UINT64_MAX >> unit->second)) {
    refuse("--" + option + ": found '" + text + "', expected a size as in 1073741824, 512MiB or 16GiB");
  }
  return value << unit->second;
}

std::vector<std::string> list(const std::string& option, const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text + ",");
  for (std::string item; std::getline(in, item, ',');) {
    if (item.empty()) refuse("--" + option + ": found '" + text + "', expected names separated by commas");
    out.push_back(item);
  }
  return out;
}

std::optional<LogLevel> log_level(const std::string& text) {
  static const std::map<std::string, std::optional<LogLevel>> kLevels{{"debug", LogLevel::debug},
                                                                      {"info", LogLevel::info},
                                                                      {"warn", LogLevel::warn},
                                                                      {"error", LogLevel::error},
                                                                      {"off", std::nullopt}};
  const auto level = kLevels.find(text);
  if (level == kLevels.end()) refuse("--log-level: found '" + text + "', expected debug, info, warn, error or off");
  return level->second;
}

/// An option that could do nothing is a mistake of the call.
void refuse_meaningless(const po::variables_map& given, Action action) {
  static const std::map<Action, std::vector<const char*>> kMeaningless{
      {Action::verify,
       {"plugin", "staging", "ntt", "msm", "lock", "plugin-path", "threads", "workers", "device", "device-memory",
        "insecure-seed", "no-verify", "log-level", "explain"}},
      {Action::explain, {"insecure-seed", "no-verify"}}};
  const auto entry = kMeaningless.find(action);
  if (entry == kMeaningless.end()) return;
  for (const char* option : entry->second) {
    if (given.count(option) != 0) {
      refuse(std::string("--") + option + " has no meaning with --" +
             (action == Action::verify ? "verify" : "explain"));
    }
  }
}

void check_files(const Options& options) {
  const size_t count = options.files.size();
  const std::string found = "found " + std::to_string(count) + (count == 1 ? " file" : " files");
  if (options.action == Action::verify && count != 3) {
    refuse(found + ", --verify expects verification_key.json public.json proof.json");
  }
  if (options.action == Action::prove && count != 0 && count != 4) {
    refuse(found + ", expected circuit.zkey witness.wtns proof.json public.json, or none for the sample");
  }
  if (options.action == Action::explain && count > 1) {
    refuse(found + ", --explain expects circuit.zkey, or none for the sample");
  }
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  const po::variables_map given = tool::read_command_line("cuzk-run", argc, argv, described());
  const auto has = [&](const char* option) { return given.count(option) != 0; };
  const auto text = [&](const char* option) { return has(option) ? given[option].as<std::string>() : std::string(); };

  Options options;
  if (has("help") || has("version")) {
    options.action = has("help") ? Action::help : Action::version;
    return options;
  }
  if (has("verify")) {
    options.action = Action::verify;
  } else if (has("explain")) {
    options.action = Action::explain;
  }
  refuse_meaningless(given, options.action);
  if (has("word")) options.files = given["word"].as<std::vector<std::string>>();
  check_files(options);

  options.request.plugin = text("plugin");
  options.request.staging = text("staging");
  options.request.ntt = text("ntt");
  options.request.msm = text("msm");
  options.request.lock = text("lock");
  if (has("device")) options.request.devices = list("device", text("device"));
  if (has("workers")) {
    options.request.workers = static_cast<uint32_t>(number("workers", text("workers"), 1, kMostWorkers));
  }
  if (has("threads")) {
    options.threads = static_cast<uint32_t>(number("threads", text("threads"), 1, CpuPool::kMostThreads));
  }
  if (has("device-memory")) options.device_memory = size("device-memory", text("device-memory"));
  if (has("insecure-seed")) options.insecure_seed = number("insecure-seed", text("insecure-seed"), 0, UINT64_MAX);
  if (has("log-level")) options.log_level = log_level(text("log-level"));
  options.plugin_path = tool::plugin_path(given);
  options.check = !has("no-verify");
  options.json = has("json");
  return options;
}

std::string help_text() {
  std::ostringstream out;
  out << kExamples << "\n" << described();
  return out.str();
}

}  // namespace cuzk::run
