#include "subject.hpp"

#include "common/escaped.hpp"
#include "common/values.hpp"
#include "common/workload_key.hpp"

#include <algorithm>
#include <cstring>
#include <future>
#include <iostream>

#include <cuzk/groth16/setup.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk::bench {
namespace {

namespace po = boost::program_options;

uint32_t threads_of(const tool::CommandLine& line) {
  if (!line.has("threads")) return 0;
  return static_cast<uint32_t>(tool::number_value("threads", line.text("threads"), 1, CpuPool::kMostThreads));
}

void tell(LogLevel level, std::string_view component, std::string_view text) {
  if (level < (component == "setup" ? LogLevel::info : LogLevel::warn)) return;
  std::cerr << "cuzk-bench: " + std::string(component) + ": " + tool::escaped(std::string(text)) + "\n";
}

/// What body returns; seconds: the time it took.
template <class Body>
auto timed(const HostServices& services, double& seconds, Body&& body) {
  const uint64_t begin = services.now_ns();
  auto made = body();
  seconds = static_cast<double>(services.now_ns() - begin) * 1e-9;
  return made;
}

WorkloadSpec workload_of(const tool::CommandLine& line) {
  if (!line.has("workload")) tool::refuse_call("--workload is missing");
  return parse_workload(line.text("workload"));
}

}  // namespace

void Subject::describe(po::options_description& options) {
  options.add_options()("workload", po::value<std::string>()->value_name("SPEC"),
                        "dense:K or porep:K with options, as for cuzk-run")(
      "threads", po::value<std::string>()->value_name("N"), "CPU threads; default: as many as this process may use")(
      "plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"),
      "folder or file searched for plugins first");
}

Subject::Subject(const tool::CommandLine& line)
    : services(threads_of(line), tell),
      registry(services),
      workload_(timed(services, circuit_seconds_, [&] { return Workload(workload_of(line)); })) {
  registry.scan(tool::plugin_path(line));
}

void Subject::make(const StrategyRequest& where) {
  StrategyRequest request = where;
  request.curve = workload_.circuit()->curve;
  request.log2_size = domain_log2(*workload_.circuit());
  const Strategy strategy = compose(registry, request).strategy;
  key_ = timed(services, key_seconds_, [&] { return tool::make_key(services, strategy, workload_); });
  witnesses_ = timed(services, witness_seconds_, [&] { return all_witnesses(); });
  services.timeline().take();
}

std::vector<Witness> Subject::all_witnesses() {
  std::vector<Witness> witnesses(spec().partitions);
  JobQueue queue(std::min(services.cpu().threads(), spec().partitions));
  std::vector<std::future<void>> done;
  for (uint32_t i = 0; i < spec().partitions; ++i) {
    done.push_back(queue.submit([&, i](uint64_t) { witnesses[i] = workload_.witness(i, services.cpu(), kept_); }));
  }
  for (auto& one : done) one.get();
  return witnesses;
}

Witness Subject::witness(size_t partition) {
  constexpr size_t kBlock = size_t{1} << 20;
  const Witness& kept = witnesses_[partition];
  Witness copy{kept.name, kept.curve, FrVector(services.memory(), kept.values.size(), "a witness")};
  const auto from = kept.values.bytes();
  services.cpu().parallel((from.size() + kBlock - 1) / kBlock, [&](uint64_t block) {
    const size_t first = block * kBlock;
    std::memcpy(reinterpret_cast<std::byte*>(copy.values.data()) + first, from.data() + first,
                std::min(kBlock, from.size() - first));
  });
  return copy;
}

}  // namespace cuzk::bench
