/// cuzk-cuda-msm-check [--runs N] [LOG2...]: MSMs of 2^LOG2 points (default 10 16 20 22) with resident bases on device
/// 0, of both groups of both curves, against known logarithms, with uniform, witness-like and equal scalars. Each is
/// run N times (default 3) and every result compared: what depends on the order of threads or copies is seldom wrong. A
/// line for each with the median times on the device (start to end) and on the CPU (finish). Exit code 0 if all agree,
/// 1 if not, 2 after an error.

#include "../msm/msm.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <cuzk/arith/batch_affine.hpp>
#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

constexpr cuzk_space kSpace{CUZK_SPACE_CUDA, 0};
constexpr size_t kDistinct = size_t{1} << 16;  // bases repeat after so many

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Device memory.
class Block {
 public:
  explicit Block(uint64_t bytes) : bytes_(bytes) { check(cudaMalloc(&data_, std::max<uint64_t>(bytes, 1)), "malloc"); }
  /// Waits: a copy from ordinary memory may return before its last bytes have arrived, and an Msm's stream does not
  /// wait for the default one.
  Block(const void* from, uint64_t bytes) : Block(bytes) {
    check(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  ~Block() { static_cast<void>(cudaFree(data_)); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  cuzk_mem mem() const { return {data_, bytes_, kSpace}; }

 private:
  void* data_ = nullptr;
  uint64_t bytes_;
};

cuzk_call call_with(cuzk_mem workspace) {
  cuzk_call call{};
  call.struct_size = sizeof call;
  call.workspace = workspace;
  return call;
}

enum class Kind { uniform, witness, ones };
constexpr const char* kKinds[] = {"uniform", "witness", "ones"};

template <class Fr>
std::vector<Fr> make_scalars(size_t n, Kind kind) {
  std::mt19937_64 random(3);
  std::vector<Fr> scalars(n, Fr::one());
  for (Fr& s : scalars) {
    const uint64_t roll = random() % 100;
    if (kind == Kind::ones || (kind == Kind::witness && roll < 45)) continue;
    s = kind == Kind::witness && roll < 90
            ? Fr::zero()
            : Fr::from_raw({random(), random(), random(), random() >> 4});  // below r in either field
  }
  return scalars;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// "ok", or how many runs were wrong.
std::string verdict(const std::vector<unsigned>& wrong, unsigned runs) {
  if (wrong.empty()) return "ok";
  return "WRONG in " + std::to_string(wrong.size()) + " of " + std::to_string(runs) + " runs, first in run " +
         std::to_string(wrong.front());
}

struct Options {
  std::vector<unsigned> sizes;  ///< logarithms
  unsigned runs = 3;
};

template <class G>
bool check_group(Msm& msm, const cuzk_device_info& device, const Options& options, const char* name) {
  using Fr = typename G::Scalar;
  std::vector<arith::Xyzz<G>> points(kDistinct);
  auto point = arith::Xyzz<G>::infinity();
  for (auto& p : points) p = point += G::generator();  // 1, 2, 3, ... times the generator
  std::vector<arith::Affine<G>> affine(kDistinct);
  arith::batch_to_affine<G>(points, affine);
  const Block chunk(affine.data(), kDistinct * sizeof(affine[0]));

  bool good = true;
  for (const unsigned log2 : options.sizes) {
    const size_t n = size_t{1} << log2;
    cuzk_query query{};
    query.count = query.span = n;
    query.curve = G::Curve::kId;
    query.group = std::is_same_v<G, typename G::Curve::G1> ? CUZK_G1 : CUZK_G2;
    query.plan = Msm::plan_bases(device, query, UINT64_MAX);
    const Block resident(query.plan.resident);
    std::unique_ptr<Msm::Bases> bases;
    for (size_t first = 0; first < n; first += kDistinct) {
      msm.load(call_with({}), query, resident.mem(), chunk.mem(), first, std::min(kDistinct, n - first), {}, {}, bases);
    }
    query.bases = bases.get();
    const cuzk_plan plan = Msm::plan_job(device, {&query, 1}, UINT64_MAX);
    const Block workspace(plan.workspace);
    for (const Kind kind : {Kind::uniform, Kind::witness, Kind::ones}) {
      const std::vector<Fr> scalars = make_scalars<Fr>(n, kind);
      Fr sum = Fr::zero();
      for (size_t i = 0; i < n; ++i) sum += scalars[i] * Fr::from_u64(i % kDistinct + 1);
      const auto expected = arith::scalar_mul<G>(G::generator(), sum).to_affine();
      const Block memory(scalars.data(), n * sizeof(scalars[0]));
      const cuzk_vec vec{memory.mem(), n, query.curve, CUZK_MONTGOMERY, {}};
      std::vector<double> device_ms, host_ms;
      std::vector<unsigned> wrong;
      for (unsigned i = 1; i <= options.runs; ++i) {
        const cuzk_call call = call_with(workspace.mem());
        const double begin = now_ms();
        const auto job = msm.start(call, vec, {&query, 1}, plan);
        job->end(call, {});
        const double end = now_ms();
        arith::Affine<G> result;
        void* const out[] = {&result};
        job->finish(out);
        host_ms.push_back(now_ms() - end);
        device_ms.push_back(end - begin);
        if (result != expected) wrong.push_back(i);
      }
      std::printf("%-14s 2^%-2u %-8s width %2u  device %9.3f ms  cpu %6.3f ms  workspace %7.1f MiB  %s\n", name, log2,
                  kKinds[static_cast<size_t>(kind)], Budget::from(plan).shape(query).width, median(device_ms),
                  median(host_ms), static_cast<double>(plan.workspace) / (1 << 20),
                  verdict(wrong, options.runs).c_str());
      std::fflush(stdout);
      good = good && wrong.empty();
    }
  }
  return good;
}

int run(const Options& options) {
  int units = 0;
  check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  cuzk_device_info device{};
  device.struct_size = sizeof device;
  device.space = kSpace;
  device.units = static_cast<uint32_t>(units);
  Msm msm(kSpace);
  bool good = check_group<arith::Bn254::G1>(msm, device, options, "bn254 g1");
  good &= check_group<arith::Bls12381::G1>(msm, device, options, "bls12-381 g1");
  good &= check_group<arith::Bn254::G2>(msm, device, options, "bn254 g2");
  good &= check_group<arith::Bls12381::G2>(msm, device, options, "bls12-381 g2");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace cuzk::cuda

int main(int argc, char** argv) {
  cuzk::cuda::Options options;
  try {
    for (int i = 1; i < argc; ++i) {
      const bool runs = std::string_view(argv[i]) == "--runs";
      const std::string_view text = !runs ? argv[i] : i + 1 < argc ? argv[++i] : "";
      unsigned value = 0;
      const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || rest != text.data() + text.size() || (runs ? value == 0 : value > 28)) {
        std::fprintf(stderr, "'%.*s': expected %s\n", static_cast<int>(text.size()), text.data(),
                     runs ? "a number of runs, at least 1" : "a logarithm up to 28");
        return 2;
      }
      if (runs) {
        options.runs = value;
      } else {
        options.sizes.push_back(value);
      }
    }
    if (options.sizes.empty()) options.sizes = {10, 16, 20, 22};
    return cuzk::cuda::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
