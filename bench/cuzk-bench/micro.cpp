#include "micro.hpp"

#include "common/command_line.hpp"
#include "common/values.hpp"
#include "samples.hpp"
#include "site.hpp"

#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::bench {
namespace {

namespace po = boost::program_options;

/// One run of the program.
struct Setting {
  HostServices services;
  PluginRegistry registry;
  Strategy strategy;
  bool wrong = false;

  explicit Setting(uint32_t threads) : services(threads), registry(services) {}
};

enum class NttWork { forward, inverse, quotient };

template <class C>
void ntt(Setting& setting, benchmark::State& state, NttWork work) {
  using Fr = typename C::Fr;
  const auto log2_size = static_cast<unsigned>(state.range(0));
  const uint64_t size = uint64_t{1} << log2_size;
  const cuzk_domain domain = domain_of<C>(log2_size);
  const NttComponent& component = *setting.strategy.ntt;
  const Site site(setting.services, setting.strategy, component);
  const cuzk_plan plan = component.plan(site.info(), domain, UINT64_MAX);
  const Memory resident(site, plan.resident), workspace(site, plan.workspace), pinned(plan.pinned);
  const auto open = component.open(site.space(), domain, plan, resident.mem());
  const Lease lease = site.lease(workspace.mem(), pinned.mem());
  std::mt19937_64 random(1);
  std::vector<Fr> values(size);
  for (Fr& value : values) value = random_element<Fr>(random);
  std::array<std::unique_ptr<Memory>, 3> memory;
  std::array<cuzk_vec, 3> v{};
  for (size_t i = 0; i < (work == NttWork::quotient ? 3 : 1); ++i) {
    memory[i] = std::make_unique<Memory>(site, size * sizeof(Fr));
    memory[i]->write(std::as_bytes(std::span(values)));
    v[i] = {memory[i]->mem(), size, C::kId, CUZK_MONTGOMERY, {}};
  }
  // One follows the other on the device, as in a proof; waited for once a batch.
  const auto batch = std::clamp<benchmark::IterationCount>(benchmark::IterationCount{1 << 22} >> log2_size, 1, 64);
  while (state.KeepRunningBatch(batch)) {
    for (benchmark::IterationCount i = 0; i < batch; ++i) {
      if (work == NttWork::quotient) {
        open->quotient_ab(lease, v[0], v[1], site.fence());
        open->quotient_c(lease, v[0], v[2], site.fence());
      } else {
        open->transform(lease, v[0], work == NttWork::forward ? CUZK_FORWARD : CUZK_INVERSE, site.fence());
      }
    }
    site.wait();
  }
}

template <class G>
void msm(Setting& setting, benchmark::State& state, bool witness) {
  constexpr uint32_t kCurve = G::Curve::kId;
  const size_t count = size_t{1} << state.range(0);
  const MsmComponent& component = *setting.strategy.msm;
  const Site site(setting.services, setting.strategy, component);
  const auto& points = multiples<G>(setting.services.cpu(), count);
  const auto bytes = std::as_bytes(std::span(points).first(count));
  const auto values = scalars<typename G::Scalar>(count, witness);

  cuzk_query query{};
  query.count = query.span = count;
  query.curve = kCurve;
  query.group = sizeof(typename G::Base) == sizeof(typename G::Curve::Fp) ? CUZK_G1 : CUZK_G2;
  query.plan = component.plan_bases(site.info(), query, UINT64_MAX);
  const cuzk_plan load = query.plan, plan = component.plan_job(site.info(), {&query, 1}, UINT64_MAX);
  const Memory resident(site, load.resident), workspace(site, std::max(load.workspace, plan.workspace)),
      pinned(std::max(load.pinned, plan.pinned));
  Memory chunk(site, bytes.size()), scalar_memory(site, count * sizeof(values[0]));
  chunk.write(bytes);
  scalar_memory.write(std::as_bytes(std::span(values)));
  const auto open = component.open(site.space());
  const Lease lease = site.lease(workspace.mem(), pinned.mem());
  std::unique_ptr<Msm::Bases> bases;
  if (load.resident != 0) {
    open->load(lease, query, resident.mem(), chunk.mem(), 0, count, {}, site.fence(), bases);
    site.wait();
    query.bases = bases->handle();
  }
  arith::Affine<G> sum{};
  for (auto _ : state) {
    const auto job = open->start(lease, {scalar_memory.mem(), count, kCurve, CUZK_CANONICAL, {}}, {&query, 1}, plan);
    if (!bases) job->feed(lease, 0, chunk.mem(), 0, count, {}, {});
    job->end(lease, site.fence());
    site.wait();
    void* out[] = {&sum};
    job->finish(out);
  }
  state.counters["workspace_MiB"] = static_cast<double>(plan.workspace) / (1 << 20);
  state.counters["bases_MiB"] = static_cast<double>(load.resident) / (1 << 20);
  if (!(sum == known_sum<G>(values))) {
    setting.wrong = true;
    state.SkipWithError("a wrong sum");
  }
}

constexpr unsigned kLeastLog2 = 10;

template <class C>
void register_curve(Setting& setting, unsigned max_log2) {
  const std::string curve(C::kName);
  const auto add = [&](const std::string& name, auto run) {
    auto* const bench = benchmark::RegisterBenchmark(name.c_str(), [&setting, run](auto& state) {
      try {
        run(state);
      } catch (const std::exception& error) {
        setting.wrong = true;
        state.SkipWithError(error.what());
      }
    });
    for (unsigned log2 = kLeastLog2; log2 <= max_log2; log2 += 2) bench->Arg(log2);
    bench->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  add("ntt/" + curve + "/forward", [&](auto& state) { ntt<C>(setting, state, NttWork::forward); });
  add("ntt/" + curve + "/inverse", [&](auto& state) { ntt<C>(setting, state, NttWork::inverse); });
  add("ntt/" + curve + "/quotient", [&](auto& state) { ntt<C>(setting, state, NttWork::quotient); });
  add("msm/" + curve + "/g1", [&](auto& state) { msm<G1>(setting, state, false); });
  add("msm/" + curve + "/g2", [&](auto& state) { msm<G2>(setting, state, false); });
  add("msm/" + curve + "/g1/witness", [&](auto& state) { msm<G1>(setting, state, true); });
  add("msm/" + curve + "/g2/witness", [&](auto& state) { msm<G2>(setting, state, true); });
}

unsigned number(const tool::CommandLine& line, const std::string& option, unsigned otherwise, unsigned least,
                unsigned most) {
  return line.has(option) ? static_cast<unsigned>(tool::number_value(option, line.text(option), least, most))
                          : otherwise;
}

}  // namespace

int micro(int argc, const char* const* argv) {
  std::vector<const char*> ours, theirs{"cuzk-bench"};
  for (int i = 0; i < argc; ++i)
    (std::string_view(argv[i]).starts_with("--benchmark_") ? theirs : ours).push_back(argv[i]);
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("options");
  options.add_options()("plugin", text("NAME"), "whose components; default: the best usable")(
      "ntt", text("NAME"), "component, PLUGIN/NAME")("msm", text("NAME"), "component, PLUGIN/NAME")(
      "device", text("NAME"), "cuda:0")("plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"),
                                        "folder or file searched for plugins first")(
      "threads", text("N"), "CPU threads; default: as many as this process may use")(
      "max-log2", text("K"), "largest sizes, 2^K with K from 10, in steps of two; default 18")("help", "this text");
  const tool::CommandLine line = tool::read_command_line(static_cast<int>(ours.size()), ours.data(), options);
  if (line.has("help")) {
    std::cout << "usage: cuzk-bench micro [options] [--benchmark_...]\n"
              << options << "Google Benchmark's options: --benchmark_filter=msm/bn254, --benchmark_out=FILE, ...\n";
    return 0;
  }
  if (line.has("word")) tool::refuse_call("found '" + line.texts("word").front() + "', expected options alone");
  Setting setting(number(line, "threads", 0, 0, CpuPool::kMostThreads));
  setting.registry.scan(tool::plugin_path(line));
  StrategyRequest request;
  request.plugin = line.text("plugin");
  request.ntt = line.text("ntt");
  request.msm = line.text("msm");
  if (line.has("device")) request.devices = {line.text("device")};
  const Composition composition = compose(setting.registry, request);
  setting.strategy = composition.strategy;
  benchmark::AddCustomContext("strategy", composition.reason);
  benchmark::AddCustomContext("device", setting.strategy.devices.front()->name());

  int their_count = static_cast<int>(theirs.size());
  benchmark::Initialize(&their_count, const_cast<char**>(theirs.data()));  // it permutes them
  if (their_count > 1) tool::refuse_call(std::string("unrecognised option '") + theirs[1] + "'");
  const unsigned max_log2 = number(line, "max-log2", 18, kLeastLog2, 26);
  register_curve<arith::Bn254>(setting, max_log2);
  register_curve<arith::Bls12381>(setting, max_log2);
  benchmark::RunSpecifiedBenchmarks();
  return setting.wrong ? 1 : 0;
}

}  // namespace cuzk::bench
