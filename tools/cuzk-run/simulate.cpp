#include "simulate.hpp"

#include "common/escaped.hpp"
#include "log.hpp"
#include "report.hpp"
#include "strategy.hpp"
#include "summary.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <span>

#include <cuzk/error.hpp>
#include <cuzk/format_bytes.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/groth16/simulation.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::run {
namespace {

void print_simulated(const Options& options, const LockComponent& lock, const Simulation& simulation,
                     const SimulationResult& result, const Summary& summary) {
  if (options.json) {
    std::vector<std::string> failures;
    for (const Error& failure : result.failures) failures.emplace_back(failure.what());
    const nlohmann::ordered_json json{{"schema", "cuzk-run/1"},
                                      {"action", "simulate"},
                                      {"workload", to_string(*options.keys[0].workload)},
                                      {"card", simulation.model.name},
                                      {"lock", lock.info().full_name()},
                                      {"lock_experiment", lock.books_late()},
                                      {"partitions", simulation.partitions},
                                      {"failures", failures},
                                      {"total_ns", result.end_ns},
                                      {"layout", layout_json(simulation.layout)},
                                      {"summary", summary_json(summary)}};
    std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
    return;
  }
  const Layout& layout = simulation.layout;
  Lines lines(std::cout);
  lines.add("SIMULATED", "nothing was proved; times are those of the model");
  lines.add("card", simulation.model.name + ", " + format_bytes(simulation.model.memory));
  lines.add("lock", lock_words(lock) + ", workers " + std::to_string(layout.workers));
  lines.add("memory", format_bytes(layout.total()) + ": key " +
                          (layout.key == 0 ? "streamed" : format_bytes(layout.key) + " resident") + ", " +
                          std::to_string(layout.slots) + " slots of " + format_bytes(layout.slot) + ", " +
                          std::to_string(layout.workspaces) + " workspaces of " + format_bytes(layout.workspace));
  for (const auto& [label, text] : summary_lines(summary)) lines.add(label, text);
  for (const Error& failure : result.failures) lines.add("FAILED", failure.what());
}

}  // namespace

int simulate(const Options& options) {
  if (!options.timeline.empty()) {
    const OutputFiles checked(std::span(&options.timeline, 1), std::span(&options.model_file, 1));
  }
  HostServices services(options.threads, log_to_stderr(options.log_level));
  PluginRegistry registry(services);
  const WorkloadSpec& spec = *options.keys.front().workload;
  registry.scan(options.plugin_path);
  StrategyRequest request;  // the policy alone: the rest is the card's
  request.lock = options.request.lock;
  request.devices = {"cpu:0"};
  const std::shared_ptr<const LockComponent> lock = compose(registry, request).strategy.lock;
  warn_of_experiment(services, *lock);
  Simulation simulation;
  simulation.model = *options.request.device_model;
  simulation.shape = porep_shape(spec);
  simulation.layout = plan_on_card(simulation.model, simulation.shape, lock, options.request.workers,
                                   options.device_memory, to_string(spec));
  simulation.partitions = spec.partitions;
  simulation.small_scalars = spec.bits;
  const SimulationResult result = cuzk::simulate(simulation, *lock);
  write_timeline(options.timeline, result.events, 0);
  print_simulated(options, *lock, simulation, result,
                  {summarise(result.events), result.latencies_ns, result.end_ns, 0});
  for (const Error& failure : result.failures) std::cerr << "cuzk-run: " << tool::escaped(failure.what()) << "\n";
  return result.failures.empty() ? 0 : exit_code(result.failures.front().code());
}

}  // namespace cuzk::run
