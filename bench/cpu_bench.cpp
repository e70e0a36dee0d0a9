/// The kernels of cpu-reference through the loader, as the engine calls them: one transform, one quotient, one MSM over
/// random scalars or a witness of mostly zeros and ones.
///
/// Usage: cpu-bench [--threads N] [Google Benchmark's options]

#include <array>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <cuzk/arith/batch_affine.hpp>
#include <cuzk/arith/curves.hpp>
#include <cuzk/lease.hpp>
#include <cuzk/loader/plugin_registry.hpp>
#include <cuzk/msm.hpp>
#include <cuzk/ntt.hpp>

namespace {

using namespace cuzk;

constexpr cuzk_space kHost{CUZK_SPACE_HOST, 0};

/// The engine for the whole run.
struct Engine {
  explicit Engine(uint32_t threads) : services(threads), registry(services) {
    registry.scan();
    plugin = registry.require("cpu-reference");
  }
  template <class T>
  std::shared_ptr<const T> component(Role role) const {
    return std::dynamic_pointer_cast<const T>(plugin->component(role));
  }
  cuzk_device_info host() {
    cuzk_device_info info{};
    info.struct_size = sizeof info;
    info.space = kHost;
    info.units = services.cpu().threads();
    return info;
  }

  HostServices services;
  PluginRegistry registry;
  std::shared_ptr<Plugin> plugin;
};
std::unique_ptr<Engine> engine;

struct Free {
  void operator()(void* data) const { std::free(data); }
};

/// Aligned host memory.
class Memory {
 public:
  explicit Memory(uint64_t bytes) : bytes_(bytes), data_(std::aligned_alloc(256, (bytes + 256) / 256 * 256)) {}
  cuzk_mem mem() const { return {data_.get(), bytes_, kHost}; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }

 private:
  uint64_t bytes_;
  std::unique_ptr<void, Free> data_;
};

template <class F>
F random_element(std::mt19937_64& random) {
  typename F::Limbs limbs;
  for (uint64_t& limb : limbs) limb = random();
  limbs.back() &= ~uint64_t{0} >> (65 - F::kBits % 64);  // one bit shorter than the modulus
  return F::from_raw(limbs);
}

template <class C>
cuzk_domain domain_of(unsigned log2_size) {
  using Fr = typename C::Fr;
  typename Fr::Limbs exponent = Fr::Constants::kMinusOne;
  for (unsigned i = 0; i < log2_size; ++i) exponent = arith::limbs::shift_right(exponent, 1);
  const Fr omega = Fr::from_u64(5).pow(exponent), shift = Fr::from_u64(7), one = Fr::one();
  cuzk_domain domain{};
  domain.curve = C::kId;
  domain.log2_size = log2_size;
  domain.h_basis = CUZK_H_COSET_LAGRANGE;
  std::copy_n(omega.limb.begin(), 4, domain.omega.limb);
  std::copy_n(shift.limb.begin(), 4, domain.shift.limb);
  std::copy_n(one.limb.begin(), 4, domain.z_inverse.limb);
  return domain;
}

enum class NttWork { forward, inverse, quotient };

template <class C>
void ntt(benchmark::State& state, NttWork work) {
  using Fr = typename C::Fr;
  const auto log2_size = static_cast<unsigned>(state.range(0));
  const uint64_t size = uint64_t{1} << log2_size;
  const cuzk_domain domain = domain_of<C>(log2_size);
  const auto component = engine->component<NttComponent>(Role::ntt);
  const cuzk_plan plan = component->plan(engine->host(), domain, UINT64_MAX);
  const Memory resident(plan.resident), workspace(plan.workspace);
  const auto open = component->open(kHost, domain, plan, resident.mem());
  const Lease lease = Lease::for_host(1, 0, workspace.mem());
  std::mt19937_64 random(1);
  std::array<std::unique_ptr<Memory>, 3> vectors;
  std::array<cuzk_vec, 3> v{};
  for (size_t i = 0; i < v.size(); ++i) {
    vectors[i] = std::make_unique<Memory>(size * sizeof(Fr));
    for (uint64_t j = 0; j < size; ++j) vectors[i]->as<Fr>()[j] = random_element<Fr>(random);
    v[i] = {vectors[i]->mem(), size, C::kId, CUZK_MONTGOMERY, {}};
  }
  for (auto _ : state) {
    if (work == NttWork::quotient) {
      open->quotient_ab(lease, v[0], v[1], {});
      open->quotient_c(lease, v[0], v[2], {});
    } else {
      open->transform(lease, v[0], work == NttWork::forward ? CUZK_FORWARD : CUZK_INVERSE, {});
    }
  }
}

/// 1, 2, 3, ... times the generator.
template <class G>
const std::vector<arith::Affine<G>>& bases(size_t count) {
  static std::map<size_t, std::vector<arith::Affine<G>>> cache;
  auto& points = cache[count];
  if (points.empty()) {
    std::vector<arith::Xyzz<G>> sums(count);
    auto sum = arith::Xyzz<G>::infinity();
    for (auto& one : sums) one = sum += G::generator();
    points.resize(count);
    arith::batch_to_affine<G>(sums, points);
  }
  return points;
}

template <class G>
void msm(benchmark::State& state, bool witness) {
  using Fr = typename G::Scalar;
  const size_t count = size_t{1} << state.range(0);
  const auto& points = bases<G>(count);
  std::mt19937_64 random(2);
  const Memory scalars(count * sizeof(Fr));
  for (size_t i = 0; i < count; ++i) {
    const uint64_t kind = random() % 100;
    const bool small = witness && kind < 95;
    scalars.as<typename Fr::Limbs>()[i] =
        small ? typename Fr::Limbs{kind % 2} : random_element<Fr>(random).to_canonical();
  }
  cuzk_query query{};
  query.count = query.span = count;
  query.curve = G::Curve::kId;
  query.group = sizeof(typename G::Base) == sizeof(typename G::Curve::Fp) ? CUZK_G1 : CUZK_G2;
  const auto component = engine->component<MsmComponent>(Role::msm);
  const cuzk_plan plan = component->plan_job(engine->host(), {&query, 1}, UINT64_MAX);
  const Memory workspace(plan.workspace);
  const auto open = component->open(kHost);
  const Lease lease = Lease::for_host(1, 0, workspace.mem());
  const cuzk_mem chunk{const_cast<arith::Affine<G>*>(points.data()), count * sizeof(points[0]), kHost};
  for (auto _ : state) {
    const auto job = open->start(lease, {scalars.mem(), count, G::Curve::kId, CUZK_CANONICAL, {}}, {&query, 1}, plan);
    job->feed(lease, 0, chunk, 0, count, {}, {});
    job->end(lease, {});
    arith::Affine<G> sum;
    void* out[] = {&sum};
    job->finish(out);
    benchmark::DoNotOptimize(sum);
  }
  state.counters["workspace_MiB"] = static_cast<double>(plan.workspace) / (1 << 20);
}

template <class C>
void register_curve() {
  const std::string curve(C::kName);
  const auto add = [](const std::string& name, auto&& body, std::initializer_list<int64_t> sizes) {
    auto* const bench = benchmark::RegisterBenchmark(name.c_str(), body);
    for (const int64_t size : sizes) bench->Arg(size);
    bench->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  add("ntt/" + curve + "/forward", [](auto& state) { ntt<C>(state, NttWork::forward); }, {12, 14, 16, 18, 20});
  add("ntt/" + curve + "/inverse", [](auto& state) { ntt<C>(state, NttWork::inverse); }, {16, 18, 20});
  add("ntt/" + curve + "/quotient", [](auto& state) { ntt<C>(state, NttWork::quotient); }, {16, 18});
  add("msm/" + curve + "/g1", [](auto& state) { msm<typename C::G1>(state, false); }, {10, 14, 16, 18});
  add("msm/" + curve + "/g2", [](auto& state) { msm<typename C::G2>(state, false); }, {10, 14, 16});
  add("msm/" + curve + "/g1/witness", [](auto& state) { msm<typename C::G1>(state, true); }, {16, 18});
  add("msm/" + curve + "/g2/witness", [](auto& state) { msm<typename C::G2>(state, true); }, {16});
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t threads = 1;
  if (argc > 2 && std::string_view(argv[1]) == "--threads") {
    threads = static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10));
    for (int i = 3; i <= argc; ++i) argv[i - 2] = argv[i];
    argc -= 2;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  try {
    engine = std::make_unique<Engine>(threads);
    register_curve<arith::Bn254>();
    register_curve<arith::Bls12381>();
    benchmark::RunSpecifiedBenchmarks();
    engine.reset();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpu-bench: %s\n", error.what());
    return 1;
  }
}
