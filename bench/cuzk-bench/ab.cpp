#include "ab.hpp"

#include "common/command_line.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <future>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/groth16/engine.hpp>
#include <cuzk/groth16/key_cache.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/loader/compose.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk::bench {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

uint32_t parse_number(const std::string& what, std::string_view text, uint32_t least, uint32_t most) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    tool::refuse_call(what + ": found '" + std::string(text) + "', expected a number from " + std::to_string(least) +
                      " to " + std::to_string(most));
  }
  return value;
}

/// "cuda-baseline,lock=none,workers=2"
StrategyRequest parse_side(const std::string& option, const std::string& text) {
  StrategyRequest request;
  const std::map<std::string_view, std::string*> names{
      {"staging", &request.staging}, {"ntt", &request.ntt}, {"msm", &request.msm}, {"lock", &request.lock}};
  std::string_view rest = text;
  for (bool first = true; first || !rest.empty(); first = false) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals), value = equals == part.npos ? "" : part.substr(equals + 1);
    if (first && equals == part.npos) {
      request.plugin = part;
    } else if (const auto found = names.find(key); found != names.end() && !value.empty()) {
      *found->second = value;
    } else if (key == "device" && !value.empty()) {
      request.devices.emplace_back(value);
    } else if (key == "workers") {
      request.workers = parse_number(option + " workers", value, 1, 256);
    } else {
      tool::refuse_call(option + ": found '" + std::string(part) +
                        "', expected PLUGIN[,staging=|ntt=|msm=|lock=|device=|workers=VALUE...]");
    }
  }
  return request;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// One strategy, with what was measured of it.
struct Side {
  std::string asked;
  Composition composition;
  std::vector<double> seconds = {};  ///< of all witnesses, one a pair
};

class Comparison {
 public:
  Comparison(HostServices& services, std::shared_ptr<const ProvingKey> key, std::vector<Witness> witnesses)
      : services_(services), key_(std::move(key)), witnesses_(std::move(witnesses)) {}

  /// Opens the strategy, proves all witnesses once, then once more with the clock running. Every proof is verified.
  void measure(Side& side) {
    const Strategy& strategy = side.composition.strategy;
    Engine engine(services_, strategy);
    JobQueue queue(engine.most_in_flight());
    prove_all(engine, queue);
    const uint64_t begin = services_.now_ns();
    prove_all(engine, queue);
    side.seconds.push_back(static_cast<double>(services_.now_ns() - begin) * 1e-9);
    services_.timeline().take();
  }

 private:
  void prove_all(Engine& engine, JobQueue& queue) {
    std::vector<std::future<void>> done;
    done.reserve(witnesses_.size());
    for (const Witness& witness : witnesses_) {
      done.push_back(queue.submit([&](uint64_t) { engine.prove(key_, witness); }));
    }
    for (auto& one : done) one.wait();
    for (auto& one : done) one.get();
  }

  HostServices& services_;
  std::shared_ptr<const ProvingKey> key_;
  std::vector<Witness> witnesses_;
};

Json to_json(const Side& side) {
  return {{"asked", side.asked},
          {"strategy", side.composition.reason},
          {"device", side.composition.strategy.devices.front()->name()},
          {"median_s", median(side.seconds)},
          {"seconds", side.seconds}};
}

}  // namespace

int ab(int argc, const char* const* argv) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("options");
  options.add_options()("a", text("SIDE"), "PLUGIN[,staging=|ntt=|msm=|lock=|device=|workers=VALUE...]")(
      "b", text("SIDE"), "what it is compared with")("workload", text("SPEC"), "dense:K or porep:K, as for cuzk-run")(
      "pairs", text("N"), "default 15")("threads", text("N"), "CPU threads; default: as many as this process may use")(
      "plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"),
      "folder or file searched for plugins first")("json", text("FILE"), "also write all figures here")("help",
                                                                                                        "this text");
  const tool::CommandLine line = tool::read_command_line(argc, argv, options);
  if (line.has("help")) {
    std::cout << "usage: cuzk-bench ab --a SIDE --b SIDE --workload SPEC [options]\n" << options;
    return 0;
  }
  if (line.has("word")) tool::refuse_call("found '" + line.texts("word").front() + "', expected options alone");
  for (const char* const needed : {"a", "b", "workload"}) {
    if (!line.has(needed)) tool::refuse_call(std::string("--") + needed + " is missing");
  }
  const uint32_t pairs = line.has("pairs") ? parse_number("--pairs", line.text("pairs"), 1, 10000) : 15;
  const uint32_t threads =
      line.has("threads") ? parse_number("--threads", line.text("threads"), 1, CpuPool::kMostThreads) : 0;

  HostServices services(threads);
  PluginRegistry registry(services);
  registry.scan(tool::plugin_path(line));
  const Workload workload(parse_workload(line.text("workload")));
  const auto key = workload_key(workload, services);
  std::vector<Side> sides;
  for (const std::string option : {"a", "b"}) {
    StrategyRequest request = parse_side("--" + option, line.text(option));
    request.curve = key->shape.curve;
    request.log2_size = key->shape.domain.log2_size;
    sides.push_back({line.text(option), compose(registry, request)});
  }
  std::vector<Witness> witnesses;
  for (uint32_t i = 0; i < workload.spec().partitions; ++i) {
    witnesses.push_back(workload.witness(i, services.cpu(), services.memory()));
  }
  Comparison comparison(services, key, std::move(witnesses));
  std::vector<double> ratios;
  for (uint32_t pair = 0; pair < pairs; ++pair) {
    for (uint32_t i = 0; i < 2; ++i) comparison.measure(sides[(pair + i) % 2]);
    ratios.push_back(sides[0].seconds.back() / sides[1].seconds.back());
  }

  const Json result{{"schema", "cuzk-bench-ab/1"},
                    {"workload", to_string(workload.spec())},
                    {"threads", services.cpu().threads()},
                    {"pairs", pairs},
                    {"a", to_json(sides[0])},
                    {"b", to_json(sides[1])},
                    {"median_ratio_a_to_b", median(ratios)}};
  if (line.has("json")) {
    std::ofstream file(line.text("json"));
    file << result.dump(2) << "\n";
    file.close();
    if (!file) throw Error(ErrorCode::proof_failed, line.text("json") + " could not be written");
  }
  for (const Side& side : sides) {
    std::printf("%-40s median %.4f s, from %.4f to %.4f\n", side.asked.c_str(), median(side.seconds),
                *std::min_element(side.seconds.begin(), side.seconds.end()),
                *std::max_element(side.seconds.begin(), side.seconds.end()));
  }
  std::printf("a / b, median of %u pairs: %.3f\n", pairs, median(ratios));
  std::fflush(stdout);
  return 0;
}

}  // namespace cuzk::bench
