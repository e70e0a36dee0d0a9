#include "calldata.hpp"
#include "check_proof.hpp"
#include "check_witness.hpp"
#include "common/escaped.hpp"
#include "common/run_main.hpp"
#include "log.hpp"
#include "options.hpp"
#include "prove.hpp"
#include "report.hpp"
#include "simulate.hpp"
#include "write_workload.hpp"

#include <iostream>

#include <cuzk/error.hpp>

namespace cuzk::run {
namespace {

/// The word on files of others: printed, and the exit code.
int say(const Options& options, const char* action, bool holds, const std::string& message) {
  std::cout << (options.json ? verdict_json(action, holds, message) : tool::escaped(message) + "\n");
  return holds ? 0 : exit_code(ErrorCode::unverified);
}

int verify(const Options& options) {
  const bool holds = check_proof(options.files[0], options.files[1], options.files[2], options.format);
  return say(options, "verify", holds, holds ? "proof verified" : "proof does NOT hold");
}

int judge_witness(const Options& options) {
  HostServices services(options.threads, log_to_stderr(options.log_level));
  const WitnessVerdict verdict = check_witness(services, options.files[0], options.files[1]);
  return say(options, "check-witness", !verdict.violation, options.files[1] + ": " + words(verdict));
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
    case Action::check_witness:
      return judge_witness(options);
    case Action::calldata:
      std::cout << calldata(options.files[0], options.files[1]) << "\n";
      return 0;
    case Action::write_workload:
      return write_workload(options);
    case Action::simulate:
      return simulate(options);
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
