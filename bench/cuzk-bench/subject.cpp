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

void warn(LogLevel level, std::string_view component, std::string_view text) {
  if (level < LogLevel::warn) return;
  std::cerr << "cuzk-bench: " + std::string(component) + ": " + tool::escaped(std::string(text)) + "\n";
}

Workload workload_of(const tool::CommandLine& line) {
  if (!line.has("workload")) tool::refuse_call("--workload is missing");
  return Workload(parse_workload(line.text("workload")));
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
    : services(threads_of(line), warn), registry(services), workload_(workload_of(line)) {
  registry.scan(tool::plugin_path(line));
}

void Subject::make(const StrategyRequest& where) {
  StrategyRequest request = where;
  request.curve = workload_.circuit()->curve;
  request.log2_size = domain_log2(*workload_.circuit());
  key_ = tool::make_key(services, compose(registry, request).strategy, workload_);
  witnesses_.resize(spec().partitions);
  JobQueue queue(std::min(services.cpu().threads(), spec().partitions));
  std::vector<std::future<void>> done;
  for (uint32_t i = 0; i < spec().partitions; ++i) {
    done.push_back(queue.submit([this, i](uint64_t) { witnesses_[i] = workload_.witness(i, services.cpu(), kept_); }));
  }
  for (auto& one : done) one.get();
  services.timeline().take();
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
