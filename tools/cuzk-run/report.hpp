#pragma once
#include "lines.hpp"
#include "options.hpp"
#include "summary.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/groth16/engine.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::run {

/// How one job ended.
struct Outcome {
  const JobPlan& job;
  std::string witness;                ///< its name
  std::optional<ProofResult> result;  ///< nothing: it failed
  ErrorCode code{};                   ///< of the failure
  std::string message;
  uint64_t begin_ns = 0, end_ns = 0;
  std::vector<std::string> written;
};

/// What a run has to tell.
struct Report {
  const Options& options;
  std::vector<const ProvingKey*> keys;  ///< in the order of the options
  const Composition& composition;
  std::vector<Engine::DeviceUse> devices;
  uint32_t threads;
  // of proofs; not for --explain
  std::vector<Outcome> outcomes;
  std::vector<Event> events;
  uint64_t start_ns = 0, end_ns = 0;
  uint64_t host_high_water = 0;  ///< most bytes of the engine's pool in use at once; of proofs
  uint64_t least_footprint = 0;  ///< bytes; of --explain
};

/// A short aligned summary. Never a witness value.
void print_text(const Report&, std::ostream&);
/// The same as JSON, docs/schema/cuzk-run-1.json.
void print_json(const Report&, std::ostream&);

// What both say.
std::string description(const Device&);
std::string lock_words(const LockComponent&);  ///< its name, and that it is an experiment
Summary summary_of(const Report&);
nlohmann::ordered_json layout_json(const Layout&);

/// What --write wrote, in either form.
void print_written(const std::string& workload, const std::vector<std::string>& files, bool json, std::ostream&);

/// The word on a proof or a witness of others, as JSON of the same schema.
std::string verdict_json(const std::string& action, bool holds, const std::string& message);

}  // namespace cuzk::run
