#include "options.hpp"
#include "report.hpp"

#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <string>

#include <cuzk/error.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/groth16/prover.hpp>
#include <cuzk/groth16/verifier.hpp>
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
    logger->log(spdlog_level(level), "{}: {}", component, text);
  };
}

/// The sample lies beside the program, in the build tree and where it is installed.
std::string sample_file(const char* file) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path().parent_path() / "share/cuzk/sample" / file).string();
}

std::shared_ptr<const ProvingKey> open_key(HostServices& services, const Options& options) {
  const Span span(services, "open key");
  return open_zkey(options.files.empty() ? sample_file("circuit.zkey") : options.files[0], services.cpu());
}

Composition compose_for(const ProvingKey& key, PluginRegistry& registry, const Options& options) {
  const Span span(registry.services(), "load plugins");
  registry.scan(options.plugin_path);
  StrategyRequest request = options.request;
  request.curve = key.shape.curve;
  request.log2_size = key.shape.domain.log2_size;
  return compose(registry, request);
}

int prove(const Options& options) {
  HostServices services(options.threads, log_to_stderr(options.log_level));
  const uint64_t start = services.now_ns();
  PluginRegistry registry(services);
  const auto key = open_key(services, options);
  const Witness witness = [&] {
    const Span span(services, "open witness");
    return read_wtns(options.files.empty() ? sample_file("witness.wtns") : options.files[1], services.cpu(),
                     services.memory());
  }();
  const Composition composition = compose_for(*key, registry, options);
  const auto prover = [&] {
    const Span span(services, "open strategy");
    return std::make_unique<Prover>(services, composition.strategy, 0, key, options.device_memory);
  }();
  ProofResult result = prover->prove(witness, {.insecure_seed = options.insecure_seed, .verify = options.check});

  std::vector<std::string> written;
  if (!options.files.empty()) {
    const Span span(services, "write");
    OutputFiles files;
    files.add(options.files[2], proof_json(result.proof));
    files.add(options.files[3], public_json(result.signals));
    files.commit();
    written = {options.files[2], options.files[3]};
  }
  const uint64_t total_ns = services.now_ns() - start;
  print({options, *key, composition, prover->layout(), prover->memory(), services.cpu().threads(), std::move(result),
         services.timeline().events(), total_ns, std::move(written)},
        std::cout);
  return 0;
}

int explain(const Options& options) {
  HostServices services(options.threads, log_to_stderr(options.log_level));
  PluginRegistry registry(services);
  const auto key = open_key(services, options);
  const Composition composition = compose_for(*key, registry, options);
  const auto device = composition.strategy.devices.front();
  const Ledger ledger(device, options.device_memory);
  const Layout layout = plan_layout(composition.strategy, *device, key->shape, ledger.available(), key->name);
  print({options, *key, composition, layout, ledger.figures(), services.cpu().threads(), {}, {}, 0, {}}, std::cout);
  return 0;
}

int check_proof(const Options& options) {
  const VerifyingKey key = read_verification_key(options.files[0]);
  const PublicSignals signals = read_public(options.files[1], curve_of(key));
  const bool holds = verify(key, signals, read_proof(options.files[2]));
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
      return check_proof(options);
    case Action::explain:
      return explain(options);
    default:
      return prove(options);
  }
}

}  // namespace
}  // namespace cuzk::run

int main(int argc, char** argv) {
  try {
    const int code = cuzk::run::run(argc, argv);
    std::cout.flush();
    if (std::cout.good()) return code;
    std::cerr << "cuzk-run: standard output could not be written\n";
  } catch (const cuzk::Error& error) {
    std::cerr << "cuzk-run: " << error.what() << "\n";
    return cuzk::exit_code(error.code());
  } catch (const std::bad_alloc&) {
    std::cerr << "cuzk-run: out of memory\n";
    return cuzk::exit_code(cuzk::ErrorCode::out_of_memory);
  } catch (const std::exception& error) {
    std::cerr << "cuzk-run: " << error.what() << "\n";
  }
  return 1;
}
