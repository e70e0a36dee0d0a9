#include "ab.hpp"
#include "common/path_names.hpp"
#include "common/peak_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <cuzk/format_bytes.hpp>

namespace cuzk::bench {
namespace {

using Json = nlohmann::ordered_json;

Json figures(const std::vector<double>& each) { return {{"median", median(each)}, {"each", each}}; }

Json ratio_json(const Ratio& ratio) {
  Json json{{"b_to_a", ratio.value}};
  json["low"] = ratio.interval ? Json(ratio.interval->low) : Json();
  json["high"] = ratio.interval ? Json(ratio.interval->high) : Json();
  json["verdict"] = ratio.verdict();
  return json;
}

Json side_json(const Measured& measured) {
  const Pass& pass = measured.last;
  const Strategy& strategy = measured.side.composition.strategy;
  Json steps = Json::object();
  for (const auto& [name, ns] : pass.step_ns) steps[name] = ns / pass.made.size();
  Json json{{"asked", measured.side.text},
            {"strategy", measured.side.composition.reason},
            {"device", pass.device.device},
            {"staging", strategy.staging->info().full_name()},
            {"lock", strategy.lock->info().full_name()},
            {"workers", strategy.workers}};
  json["device_memory"] = measured.side.device_memory ? Json(*measured.side.device_memory) : Json();
  json["key_bytes"] = pass.layout->key;
  json["savings"] = pass.layout->savings;
  json["high_water"] = pass.high_water;
  json["seconds_per_proof"] = figures(measured.seconds);
  json["device_ns_per_partition"] = figures(measured.device_ns);
  json["kernel_busy"] = figures(measured.kernel_busy);
  json["kernels_from"] = pass.device.from_steps ? "steps" : "device";
  json["lock_held"] = figures(measured.lock_held);
  json["bytes_per_partition"] = pass.device.bytes_per_partition();
  json["bytes_per_second"] = figures(measured.bytes_per_second);
  json["paths"] = {{"vectors", tool::path_names(pass.vector_paths)}, {"bases", tool::path_names(pass.base_paths)}};
  json["step_ns_per_partition"] = steps;
  return json;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : " ").append(name);
  return text.empty() ? "nothing moved" : text;
}

void print_side(char letter, const Measured& measured) {
  const Pass& pass = measured.last;
  std::printf("%c  %s\n", letter, measured.side.text.c_str());
  std::printf(
      "   %.4g s a proof (%.4g to %.4g), device time %.1f ms a partition, kernels busy %.1f %%, lock held %.1f %%\n",
      median(measured.seconds), *std::min_element(measured.seconds.begin(), measured.seconds.end()),
      *std::max_element(measured.seconds.begin(), measured.seconds.end()), median(measured.device_ns) / 1e6,
      100 * median(measured.kernel_busy), 100 * median(measured.lock_held));
  std::string savings;
  for (const std::string& saving : pass.layout->savings) savings += ", " + saving;
  std::printf("   %s a partition at %.2f GB/s, vectors: %s, bases: %s; %s of the device%s\n",
              format_bytes(pass.device.bytes_per_partition()).c_str(), median(measured.bytes_per_second) / 1e9,
              joined(tool::path_names(pass.vector_paths)).c_str(),
              pass.layout->key != 0 ? "resident" : joined(tool::path_names(pass.base_paths)).c_str(),
              format_bytes(pass.high_water).c_str(), savings.c_str());
}

void print_ratio(const char* what, const Ratio& ratio) {
  std::printf("b / a, %s: %.3f", what, ratio.value);
  if (ratio.interval) std::printf(", 95 %% interval %.3f to %.3f: b is ", ratio.interval->low, ratio.interval->high);
  std::printf("%s\n", !ratio.interval                                         ? ", one pair"
                      : ratio.interval->low <= 1 && ratio.interval->high >= 1 ? "not shown to differ"
                                                                              : ratio.verdict());
}

}  // namespace

std::string ab_json(const AbRun& run) {
  Json comparisons = Json::array();
  for (const Comparison& comparison : run.comparisons) {
    Json json{{"name", comparison.name}, {"judged", comparison.device_time ? "device" : "seconds"}};
    json["at_most"] = comparison.at_most ? Json(*comparison.at_most) : Json();
    json["holds"] = comparison.holds();
    json["ratios"] = {{"seconds", ratio_json(comparison.ratio(false))}, {"device", ratio_json(comparison.ratio(true))}};
    json["a"] = side_json(comparison.sides[0]);
    json["b"] = side_json(comparison.sides[1]);
    comparisons.push_back(std::move(json));
  }
  const Json json{{"schema", "cuzk-bench-ab/2"},
                  {"workload", run.workload},
                  {"threads", run.threads},
                  {"pairs", run.pairs},
                  {"jobs", run.jobs},
                  {"partitions", run.partitions},
                  {"setup_seconds",
                   {{"circuit", run.circuit_seconds}, {"key", run.key_seconds}, {"witnesses", run.witness_seconds}}},
                  {"peak_memory", tool::peak_memory()},
                  {"comparisons", comparisons}};
  return json.dump(1) + "\n";
}

void print_comparison(const Comparison& comparison) {
  if (!comparison.name.empty()) std::printf("%s\n", comparison.name.c_str());
  print_side('A', comparison.sides[0]);
  print_side('B', comparison.sides[1]);
  print_ratio("seconds a proof", comparison.ratio(false));
  print_ratio("device time a partition", comparison.ratio(true));
  if (comparison.at_most) {
    std::printf("%s at most %.3f: %s\n", comparison.device_time ? "device time" : "seconds", *comparison.at_most,
                comparison.holds() ? "holds" : "DOES NOT HOLD");
  }
  std::fflush(stdout);
}

}  // namespace cuzk::bench
