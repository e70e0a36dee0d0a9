#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include <cuzk/groth16/engine.hpp>
#include <cuzk/runtime/summary.hpp>

namespace cuzk::run {

/// What a run's timeline comes to.
struct Summary {
  std::vector<DeviceSummary> devices;
  std::vector<uint64_t> latencies_ns;  ///< of the proofs that were made
  uint64_t proving_ns = 0;             ///< from the first one's begin to the last one's end
  uint64_t host_high_water = 0;        ///< most bytes of the engine's own host memory in use; 0: not known

  double seconds_per_proof() const {
    return latencies_ns.empty() ? 0 : static_cast<double>(proving_ns) / 1e9 / static_cast<double>(latencies_ns.size());
  }
};

/// Labels and texts, a line each.
std::vector<std::pair<std::string, std::string>> summary_lines(const Summary&);
nlohmann::ordered_json summary_json(const Summary&);

/// Writes the timeline where the options want it. Error proof_failed names the file.
void write_timeline(const std::string& path, const std::vector<Event>& events, uint64_t start_ns);

}  // namespace cuzk::run
