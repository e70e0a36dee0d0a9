#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <future>

#include <cuzk/formats/json.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk::bench {
namespace {

class Run {
 public:
  Run(Subject& subject, const Side& side, const How& how)
      : subject_(subject),
        how_(how),
        engine_(subject.services, side.composition.strategy, side.device_memory),
        queue_(engine_.most_in_flight()) {}

  Pass pass() {
    const size_t all = how_.jobs * subject_.partitions();
    prove(how_.warm_up == 0 ? std::min<size_t>(engine_.most_in_flight(), all) : how_.warm_up, nullptr);
    subject_.services.timeline().take();
    Pass pass;
    pass.made.resize(all);
    pass.begin_ns = subject_.services.now_ns();
    prove(pass.made.size(), &pass);
    pass.seconds = static_cast<double>(subject_.services.now_ns() - pass.begin_ns) * 1e-9;
    pass.events = subject_.services.timeline().take();
    pass.vector_paths = vector_paths_;
    pass.base_paths = base_paths_;
    for (const Engine::DeviceUse& use : engine_.devices()) {
      pass.high_water += use.memory.high_water;
      if (!pass.layout) pass.layout = use.layout;
    }
    summarise_into(pass);
    return pass;
  }

 private:
  void prove(size_t count, Pass* pass) {
    std::vector<std::future<void>> done;
    done.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      done.push_back(queue_.submit([this, i, pass](uint64_t) {
        Made made = one(i % subject_.partitions());
        if (pass != nullptr) pass->made[i] = std::move(made);
      }));
    }
    for (auto& one : done) one.get();
  }

  Made one(size_t partition) {
    ProveOptions options;
    if (how_.seed) options.insecure_seed = *how_.seed + partition;
    try {
      const ProofResult result =
          engine_.prove(subject_.key(), WitnessSource([&] { return subject_.witness(partition); }), options);
      vector_paths_ |= result.vector_paths;
      base_paths_ |= result.base_paths;
      if (!result.verified) throw Error(ErrorCode::unverified, "a proof left the engine unverified");
      return {proof_json(result.proof), {}, result.failures};
    } catch (const Error& error) {
      return {{}, error, {}};
    }
  }

  static void summarise_into(Pass& pass) {
    for (const DeviceSummary& one : summarise(pass.events)) {
      DeviceSummary& all = pass.device;
      all.device += (all.device.empty() ? "" : ", ") + one.device;
      all.partitions += one.partitions;
      all.window_ns += one.window_ns;
      all.kernel_ns += one.kernel_ns;
      all.lock_held_ns += one.lock_held_ns;
      all.overlapped_ns += one.overlapped_ns;
      all.held_ns += one.held_ns;
      all.lock_wait_ns += one.lock_wait_ns;
      all.uploaded_bytes += one.uploaded_bytes;
      all.upload_ns += one.upload_ns;
      all.from_steps = all.from_steps || one.from_steps;
    }
    constexpr std::string_view kSteps[] = {"evaluate",    "stage",  "quotient", "msm h",
                                           "msm witness", "finish", "assemble", "verify"};
    for (const Event& event : pass.events) {
      if (event.kind != CUZK_SPAN_CPU ||
          std::find(std::begin(kSteps), std::end(kSteps), event.name) == std::end(kSteps))
        continue;
      pass.step_ns[event.name] += event.end_ns - event.begin_ns;
    }
  }

  Subject& subject_;
  const How& how_;
  Engine engine_;
  JobQueue queue_;
  std::atomic<uint32_t> vector_paths_{0}, base_paths_{0};
};

}  // namespace

Pass measure(Subject& subject, const Side& side, const How& how) {
  subject.services.memory().set_limit(1);  // drops its idle blocks, which the side before may have page-locked
  return Run(subject, side, how).pass();
}

void require_all_made(const Side& side, const Pass& pass) {
  for (const Made& made : pass.made) {
    if (made.error) throw Error(made.error->code(), side.text + ": " + made.error->what());
    if (!made.failures.empty()) {
      throw Error(ErrorCode::proof_failed,
                  side.text + ": a proof took a second attempt after: " + made.failures.front());
    }
  }
}

void require_writable(const std::string& path) {
  if (!path.empty()) OutputFiles(std::span(&path, 1));
}

}  // namespace cuzk::bench
