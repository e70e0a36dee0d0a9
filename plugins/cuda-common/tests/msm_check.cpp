/// cuzk-cuda-msm-check [--runs N] [--steps] [--group g1|g2] [--tables N] [LOG2...]: MSMs of 2^LOG2 points (default 10
/// 16 20 22) with resident bases, with room for N tables of their multiples (default as many as the plan takes), on
/// device 0, of both groups (or one) of both curves, against known logarithms, with ordinary and adversarial points and
/// scalars. Each is run N times (default 3) and every result compared: what depends on the order of threads or copies
/// is seldom wrong. A line for each with the median times on the device (start to end) and on the CPU (finish); with
/// --steps a second one with the times of the kernels. Exit code 0 if all agree, 1 if not, 2 after an error.

#include "../msm/msm.hpp"
#include "memory.hpp"
#include "msm_steps.hpp"
#include "parallel.hpp"
#include "samples.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

struct Case {
  Points points;
  Scalars scalars;
};
/// Those of one kind of points together, so that these are loaded once.
constexpr Case kCases[] = {{Points::multiples, Scalars::uniform},  {Points::multiples, Scalars::witness},
                           {Points::multiples, Scalars::sparse},   {Points::multiples, Scalars::ones},
                           {Points::multiples, Scalars::sorted},   {Points::equal, Scalars::uniform},
                           {Points::equal, Scalars::equal},        {Points::equal, Scalars::edges},
                           {Points::opposites, Scalars::edges},    {Points::opposites, Scalars::equal},
                           {Points::infinities, Scalars::uniform}, {Points::infinities, Scalars::witness}};

struct Options {
  std::vector<unsigned> sizes;  ///< logarithms
  unsigned runs = 3;
  unsigned tables = 64;  ///< room for so many
  bool g1 = true, g2 = true;
  bool steps = false;
};

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
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

/// MSMs of one size in one group.
template <class G>
class SizeCheck {
 public:
  using Fr = typename G::Scalar;

  SizeCheck(Msm& msm, const PointSample<G>& sample, const cuzk_device_info& device, unsigned log2,
            const Options& options, const char* name)
      : msm_(msm),
        sample_(sample),
        log2_(log2),
        runs_(options.runs),
        steps_(options.steps),
        name_(name),
        n_(uint64_t{1} << log2) {
    query_.count = query_.span = n_;
    query_.curve = G::Curve::kId;
    query_.group = std::is_same_v<G, typename G::Curve::G1> ? CUZK_G1 : CUZK_G2;
    query_.plan = Msm::plan_bases(device, query_, BaseTables::bytes(query_, options.tables));
    resident_ = std::make_unique<Block>(query_.plan.resident);
    plan_ = Msm::plan_job(device, {&query_, 1}, UINT64_MAX);
    workspace_ = std::make_unique<Block>(std::max(plan_.workspace, query_.plan.workspace));
    scalars_.resize(n_);
    device_scalars_ = std::make_unique<Block>(n_ * sizeof(Fr));
  }

  bool run() {
    bool good = true;
    for (const Case& c : kCases) {
      if (bases_ == nullptr || loaded_ != c.points) load(c.points);
      good &= run(c.scalars);
    }
    return good;
  }

 private:
  void load(Points points) {
    const std::vector<arith::Affine<G>> affine = sample_.points(points);
    const Block chunk(affine.data(), affine.size() * sizeof(affine[0]));
    bases_ = nullptr;
    const double begin = now_ms();
    for (uint64_t first = 0; first < n_; first += kDistinct) {
      msm_.load(call_with(workspace_->mem()), query_, resident_->mem(), chunk.mem(), first,
                std::min(kDistinct, n_ - first), {}, {}, bases_);
    }
    load_ms_ = now_ms() - begin;
    query_.bases = bases_.get();
    loaded_ = points;
  }

  bool run(Scalars kind) {
    const ScalarSample<Fr> sample(kind);
    parallel(n_, 1, [&](uint64_t begin, uint64_t end) {
      for (uint64_t i = begin; i < end; ++i) scalars_[i] = sample(i);
    });
    const Fr sum = parallel_sum<Fr>(n_, [&](uint64_t i) { return scalars_[i] * to_field<Fr>(logarithm(loaded_, i)); });
    const auto expected = arith::scalar_mul<G>(G::generator(), sum).to_affine();
    device_scalars_->write(scalars_.data());
    const cuzk_vec vec{device_scalars_->mem(), n_, query_.curve, CUZK_MONTGOMERY, {}};
    std::vector<double> device_ms, host_ms;
    std::vector<unsigned> wrong;
    for (unsigned i = 1; i <= runs_; ++i) {
      const cuzk_call call = call_with(workspace_->mem());
      const double begin = now_ms();
      const auto job = msm_.start(call, vec, {&query_, 1}, plan_);
      job->end(call, {});
      const double end = now_ms();
      arith::Affine<G> result;
      void* const out[] = {&result};
      job->finish(out);
      host_ms.push_back(now_ms() - end);
      device_ms.push_back(end - begin);
      if (result != expected) wrong.push_back(i);
    }
    std::printf(
        "%-12s 2^%-2u %-10s %-8s tables %u (load %6.0f ms) width %2u  device %9.3f ms  cpu %6.3f ms  workspace %7.1f "
        "MiB  %s\n",
        name_, log2_, kPointNames[static_cast<size_t>(loaded_)], kScalarNames[static_cast<size_t>(kind)],
        BaseTables::of(query_).count, load_ms_, Budget::from(plan_).shape(query_).width, median(device_ms),
        median(host_ms), static_cast<double>(plan_.workspace) / (1 << 20), verdict(wrong, runs_).c_str());
    if (steps_) {
      MsmSteps steps(query_, plan_, workspace_->mem(), device_scalars_->mem().data, resident_->mem().data);
      std::printf("  steps: %s\n", steps.run().c_str());
    }
    std::fflush(stdout);
    return wrong.empty();
  }

  Msm& msm_;
  const PointSample<G>& sample_;
  unsigned log2_, runs_;
  bool steps_;
  const char* name_;
  uint64_t n_;
  cuzk_query query_{};
  cuzk_plan plan_{};
  std::unique_ptr<Block> resident_, workspace_, device_scalars_;
  std::vector<Fr> scalars_;
  Points loaded_{};
  double load_ms_ = 0;
  std::unique_ptr<Msm::Bases> bases_;
};

template <class G>
bool check_group(Msm& msm, const cuzk_device_info& device, const Options& options, const char* name) {
  const PointSample<G> sample;
  bool good = true;
  for (const unsigned log2 : options.sizes) good &= SizeCheck<G>(msm, sample, device, log2, options, name).run();
  return good;
}

int run(const Options& options) {
  const cuzk_device_info device = device_info();
  Msm msm(kSpace);
  bool good = true;
  if (options.g1) good &= check_group<arith::Bn254::G1>(msm, device, options, "bn254 g1");
  if (options.g1) good &= check_group<arith::Bls12381::G1>(msm, device, options, "bls12-381 g1");
  if (options.g2) good &= check_group<arith::Bn254::G2>(msm, device, options, "bn254 g2");
  if (options.g2) good &= check_group<arith::Bls12381::G2>(msm, device, options, "bls12-381 g2");
  return good ? 0 : 1;
}

/// Whether the text is a number from `least` to `most`.
bool parse(std::string_view text, unsigned least, unsigned most, unsigned& value) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size() && value >= least && value <= most;
}

/// False for a call that is none.
bool read_call(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--runs") {
      if (!parse(value, 1, 1000000, options.runs)) return false;
      ++i;
    } else if (word == "--steps") {
      options.steps = true;
    } else if (word == "--tables") {
      if (!parse(value, 1, 64, options.tables)) return false;
      ++i;
    } else if (word == "--group") {
      if (value != "g1" && value != "g2") return false;
      options.g1 = value == "g1";
      options.g2 = value == "g2";
      ++i;
    } else if (!parse(word, 0, 28, options.sizes.emplace_back())) {
      return false;
    }
  }
  if (options.sizes.empty()) options.sizes = {10, 16, 20, 22};
  return true;
}

}  // namespace
}  // namespace cuzk::cuda

int main(int argc, char** argv) {
  cuzk::cuda::Options options;
  if (!cuzk::cuda::read_call(argc, argv, options)) {
    std::fprintf(stderr,
                 "Usage: cuzk-cuda-msm-check [--runs N] [--steps] [--group g1|g2] [--tables N] [LOG2 up to 28...]\n");
    return 2;
  }
  try {
    return cuzk::cuda::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
