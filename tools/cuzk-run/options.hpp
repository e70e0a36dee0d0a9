#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/loader/compose.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk::run {

enum class Action { prove, verify, explain, help, version };

/// The command line, checked.
struct Options {
  Action action = Action::prove;
  /// prove: key, witness and, unless it is the sample, proof and public signals; explain: key;
  /// verify: verification key, public signals, proof. Empty for prove and explain: the sample.
  std::vector<std::string> files;
  StrategyRequest request;
  std::optional<std::string> plugin_path;  ///< all --plugin-path, separated by colons
  uint32_t threads = 0;                    ///< 0: as many as there are CPUs to use
  std::optional<uint64_t> device_memory;   ///< bytes
  std::optional<uint64_t> insecure_seed;
  bool check = true;  ///< verify the proof before it leaves
  bool json = false;
  std::optional<LogLevel> log_level = LogLevel::warn;  ///< nothing: no log
};

/// Error usage with one line.
Options parse_options(int argc, const char* const* argv);

std::string help_text();

}  // namespace cuzk::run
