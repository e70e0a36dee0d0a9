#include "check_proof.hpp"
#include "common/escaped.hpp"
#include "common/run_main.hpp"
#include "interrupts.hpp"
#include "options.hpp"
#include "report.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <string>
#include <system_error>

#include <cuzk/error.hpp>
#include <cuzk/format_bytes.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/groth16/prover.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::run {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    default:
      return spdlog::level::err;
  }
}

HostServices::LogSink log_to_stderr(std::optional<LogLevel> least) {
  if (!least) return {};
  auto logger = std::make_shared<spdlog::logger>("cuzk", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_level(spdlog_level(*least));
  logger->set_pattern("%l: %v");
  return [logger](LogLevel level, std::string_view component, std::string_view text) {
    logger->log(spdlog_level(level), "{}: {}", component, tool::escaped(text));
  };
}

/// The sample lies beside the program, in the build tree and where it is installed.
std::string sample_file(const char* file) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    throw Error(ErrorCode::bad_input, std::string("the sample ") + file + ": the program's own place is not known: " +
                                          error.message() + "; name the files");
  }
  return (program.parent_path().parent_path() / "share/cuzk/sample" / file).string();
}

std::shared_ptr<const ProvingKey> open_key(HostServices& services, const Options& options) {
  const Span span(services, "open key");
  return open_zkey(options.files.empty() ? sample_file("circuit.zkey") : options.files[0], services.cpu());
}

Composition compose_for(const ProvingKey& key, PluginRegistry& registry, const Options& options) {
  const Span span(registry.services(), "load plugins");
  registry.scan(options.plugin_path);
  for (const Verdict& verdict : registry.verdicts()) {
    registry.services().log(verdict.ok() ? LogLevel::debug : LogLevel::info, "plugins", to_line(verdict));
  }
  StrategyRequest request = options.request;
  request.curve = key.shape.curve;
  request.log2_size = key.shape.domain.log2_size;
  Composition composition = compose(registry, request);
  registry.services().log(LogLevel::info, "strategy", composition.reason);
  return composition;
}

void log_layout(const HostServices& services, const Layout& layout) {
  std::string savings;
  for (const std::string& saving : layout.savings) savings += (savings.empty() ? "" : ", ") + saving;
  services.log(LogLevel::info, "memory",
               format_bytes(layout.total()) + "; savings: " + (savings.empty() ? "none" : savings));
}

int prove(const Options& options, HostServices& services, const Interrupts& interrupts) {
  const uint64_t start = services.now_ns();
  std::optional<OutputFiles> outputs;  // checked first: no proof is made that could not be written
  if (!options.files.empty()) outputs.emplace(std::span(options.files).subspan(2), std::span(options.files).first(2));
  PluginRegistry registry(services);
  const auto key = open_key(services, options);
  interrupts.check();
  const Witness witness = [&] {
    const Span span(services, "open witness");
    return read_wtns(options.files.empty() ? sample_file("witness.wtns") : options.files[1], services.cpu(),
                     services.memory(), key.get());
  }();
  interrupts.check();
  const Composition composition = compose_for(*key, registry, options);
  interrupts.check();
  const auto prover = [&] {
    const Span span(services, "open strategy");
    return std::make_unique<Prover>(services, composition.strategy, 0, key, options.device_memory);
  }();
  log_layout(services, prover->layout());
  ProofResult result = prover->prove(witness, {.insecure_seed = options.insecure_seed, .verify = options.check});

  std::vector<std::string> written;
  if (outputs) {
    const Span span(services, "write");
    outputs->write(options.files[2], proof_json(result.proof));
    outputs->write(options.files[3], public_json(result.signals));
    interrupts.check();
    outputs->commit();  // from here on a signal comes too late: the files are there
    written = {options.files[2], options.files[3]};
  }
  const uint64_t total_ns = services.now_ns() - start;
  print({options, *key, composition, prover->layout(), prover->memory(), services.cpu().threads(), std::move(result),
         services.timeline().take(), total_ns, written},
        std::cout);
  tool::flush_output(written.empty() ? "" : "the proof was written to " + written[0] + " and " + written[1]);
  return 0;
}

int prove(const Options& options) {
  HostServices services(options.threads, log_to_stderr(options.log_level));
  const Interrupts interrupts(services);
  try {
    return prove(options, services, interrupts);
  } catch (...) {
    interrupts.check();  // what was stopped says where; the user wants to know why
    throw;
  }
}

int explain(const Options& options) {
  HostServices services(options.threads, log_to_stderr(options.log_level));
  PluginRegistry registry(services);
  const auto key = open_key(services, options);
  const Composition composition = compose_for(*key, registry, options);
  const auto device = composition.strategy.devices.front();
  const Ledger ledger(device, options.device_memory);
  const Layout layout =
      plan_layout(composition.strategy, *device, key->shape, services.cpu().threads(), ledger.available(), key->name);
  log_layout(services, layout);
  print({options,
         *key,
         composition,
         layout,
         ledger.figures(),
         services.cpu().threads(),
         {},
         {},
         0,
         {},
         least_footprint(composition.strategy, *device, key->shape, services.cpu().threads())},
        std::cout);
  return 0;
}

int verify(const Options& options) {
  const bool holds = check_proof(options.files[0], options.files[1], options.files[2]);
  print_verdict(holds, options.json, std::cout);
  return holds ? 0 : exit_code(ErrorCode::proof_failed);
}

int run(int argc, const char* const* argv) {
  const Options options = parse_options(argc, argv);
  switch (options.action) {
    case Action::help:
      std::cout << help_text();
      return 0;
    case Action::version:
      std::cout << "cuzk-run " CUZK_VERSION "\n";
      return 0;
    case Action::verify:
      return verify(options);
    case Action::explain:
      return explain(options);
    default:
      return prove(options);
  }
}

}  // namespace
}  // namespace cuzk::run

int main(int argc, char** argv) {
  return cuzk::tool::run_main("cuzk-run", [&] { return cuzk::run::run(argc, argv); });
}
