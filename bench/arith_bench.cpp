/// Field arithmetic: latency (each result feeds the next operation) and throughput (eight independent chains), per
/// operation, of every field. `--benchmark_filter=` chooses; CUZK_BENCH_PORTABLE=1 in the environment measures portable
/// code on CPUs that have mulx, adcx and adox.

#include <array>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuzk/arith/batch_inverse.hpp>
#include <cuzk/arith/fields.hpp>

namespace {

using namespace cuzk::arith;

constexpr int kChain = 256;
constexpr std::size_t kChains = 8;

template <class F>
F element(std::uint64_t seed) {
  return F::from_u64(seed).inverse().square() + F::one();
}

template <class F, class Operation>
void latency(benchmark::State& state, Operation operation) {
  F a = element<F>(3);
  const F b = element<F>(5);
  for (auto _ : state) {
    for (int i = 0; i < kChain; ++i) operation(a, b);
    benchmark::DoNotOptimize(a);
  }
  state.SetItemsProcessed(state.iterations() * kChain);
}

template <class F, class Operation>
void throughput(benchmark::State& state, Operation operation) {
  std::array<F, kChains> a;
  for (std::size_t i = 0; i < kChains; ++i) a[i] = element<F>(3 + i);
  const F b = element<F>(5);
  for (auto _ : state) {
    for (int i = 0; i < kChain; ++i) operation(a[static_cast<std::size_t>(i) % kChains], b);
    benchmark::DoNotOptimize(a);
  }
  state.SetItemsProcessed(state.iterations() * kChain);
}

template <class F>
void batch(benchmark::State& state) {
  std::vector<F> values(1024);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element<F>(3 + i);
  std::vector<F> scratch(values.size());
  for (auto _ : state) {
    batch_inverse<F>(values, scratch);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values.size()));
}

template <class F>
void register_field() {
  const auto both = [](const std::string& operation, auto f) {
    const std::string name = std::string(F::kName) + "/" + operation;
    benchmark::RegisterBenchmark((name + "/latency").c_str(), [f](auto& state) { latency<F>(state, f); });
    benchmark::RegisterBenchmark((name + "/throughput").c_str(), [f](auto& state) { throughput<F>(state, f); });
  };
  both("mul", [](F& a, const F& b) { a *= b; });
  both("sqr", [](F& a, const F&) { kernels::sqr<typename F::Params>(a.limb, a.limb); });
  both("add", [](F& a, const F& b) { a += b; });
  both("sub", [](F& a, const F& b) { a -= b; });
  both("neg", [](F& a, const F&) { kernels::neg<typename F::Params>(a.limb, a.limb); });
  both("sum_of_products",
       [](F& a, const F& b) { kernels::sum_of_products<typename F::Params>(a.limb, a.limb, b.limb, b.limb, b.limb); });
  both("complex_product", [](F& a, const F& b) {
    F imaginary;
    complex_product(a, imaginary, a, b, b, a);
    benchmark::DoNotOptimize(imaginary);
  });
  const std::string name = F::kName;
  benchmark::RegisterBenchmark((name + "/inverse").c_str(),
                               [](auto& state) { latency<F>(state, [](F& a, const F& b) { a = a.inverse() + b; }); });
  benchmark::RegisterBenchmark((name + "/batch_inverse:1024").c_str(), batch<F>);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const char* portable = std::getenv("CUZK_BENCH_PORTABLE");
  cpu::set_adx_enabled(portable == nullptr || std::string(portable) != "1");
  benchmark::AddCustomContext("kernels", cpu::adx_enabled() ? "mulx/adcx/adox" : "portable");
  register_field<Bn254Fr>();
  register_field<Bn254Fp>();
  register_field<Bls12381Fr>();
  register_field<Bls12381Fp>();
  benchmark::RunSpecifiedBenchmarks();
}
