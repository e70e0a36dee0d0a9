#include "prove.hpp"

#include "check_witness.hpp"
#include "common/escaped.hpp"
#include "common/run_main.hpp"
#include "folder.hpp"
#include "interrupts.hpp"
#include "log.hpp"
#include "open_key.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "strategy.hpp"

#include <algorithm>
#include <future>
#include <iostream>

#include <cuzk/error.hpp>
#include <cuzk/formats/bellman_proof.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/runtime/job_queue.hpp>

namespace cuzk::run {
namespace {

void print(const Report& report) { (report.options.json ? print_json : print_text)(report, std::cout); }

std::vector<std::string> inputs_of(const Options& options, const JobPlan& job) {
  const KeyPlace& key = options.keys[job.key];
  std::vector<std::string> out;
  for (const std::string& file : {key.file, key.pce, job.witness, options.r1cs, options.model_file}) {
    if (!file.empty()) out.push_back(file);
  }
  return out;
}

/// No proof is made that could not be written.
void check_outputs(const Options& options) {
  if (!options.out_dir.empty()) make_folder(options.out_dir);
  std::vector<std::string> outputs, inputs;
  for (const JobPlan& job : options.jobs) {
    for (const std::string& path : job.outputs()) outputs.push_back(path);
    for (const std::string& path : inputs_of(options, job)) inputs.push_back(path);
  }
  if (!options.timeline.empty()) outputs.push_back(options.timeline);
  const OutputFiles checked(outputs, inputs);
}

std::string proof_text(ProofFormat format, const Proof& proof) {
  if (format == ProofFormat::snarkjs) return proof_json(proof);
  const auto bytes = encode_bellman_proof(proof);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// All jobs of one call.
class Run {
 public:
  Run(const Options& options, HostServices& services, const Interrupts& interrupts)
      : options_(options), services_(services), interrupts_(interrupts), composer_(services, options) {}

  int all() {
    check_outputs(options_);
    make_all();
    return conclude();
  }

  /// "written were a, b": what is there in spite of an error; or nothing.
  std::string written() const {
    std::string paths;
    for (const Outcome& outcome : outcomes_) {
      for (const std::string& path : outcome.written) paths += (paths.empty() ? "" : ", ") + path;
    }
    return paths.empty() ? paths : "written were " + paths;
  }

 private:
  /// With a progress line, which is gone when it returns.
  void make_all() {
    Progress progress(services_, options_.jobs.size());
    for (const KeyPlace& place : options_.keys) {
      keys_.push_back(open_key(services_, options_, place, composer_));
      require_format(*keys_.back().key);
      interrupts_.check();
    }
    composition_ = composer_.compose_for(proving_keys());
    interrupts_.check();
    const Strategy& strategy = composition_.strategy;
    Engine engine(services_, strategy, options_.device_memory, options_.host_memory);
    prove_all(engine, progress);
    devices_ = engine.devices();
  }

  std::vector<const ProvingKey*> proving_keys() const {
    std::vector<const ProvingKey*> keys;
    keys.reserve(keys_.size());
    for (const OpenKey& opened : keys_) keys.push_back(opened.key.get());
    return keys;
  }

  void require_format(const ProvingKey& key) const {
    if (options_.format == ProofFormat::bellman && key.shape.curve != Curve::bls12_381) {
      throw Error(ErrorCode::usage, "--proof-format bellman: found the key " + key.name + " on " +
                                        std::string(name(key.shape.curve)) + ", expected bls12-381");
    }
  }

  uint64_t deadline_ns() const {
    return options_.deadline_s ? services_.now_ns() + *options_.deadline_s * 1'000'000'000 : ProofJob::kNoDeadline;
  }

  void prove_all(Engine& engine, Progress& progress) {
    outcomes_.reserve(options_.jobs.size());
    for (const JobPlan& job : options_.jobs) outcomes_.push_back({job, {}, {}, {}, {}, 0, 0, {}});
    const ProofJob job(deadline_ns());
    JobQueue queue(std::min(engine.most_in_flight(), static_cast<uint32_t>(outcomes_.size())));
    std::vector<std::future<void>> done;
    done.reserve(outcomes_.size());
    for (Outcome& outcome : outcomes_) {
      done.push_back(queue.submit([&](uint64_t) {
        outcome.begin_ns = services_.now_ns();
        run_one(engine, job, outcome);
        outcome.end_ns = services_.now_ns();
        progress.proof_done();
      }));
    }
    for (std::future<void>& one : done) one.get();
    const bool all = std::all_of(outcomes_.begin(), outcomes_.end(), [](const Outcome& o) { return o.result; });
    if (!all) interrupts_.check(written());  // else the signal came too late
  }

  void run_one(Engine& engine, const ProofJob& job, Outcome& outcome) const {
    try {
      attempt(engine, job, outcome);
    } catch (const Error& error) {
      outcome.code = error.code();
      outcome.message = error.what();
    } catch (const std::bad_alloc&) {
      outcome.code = ErrorCode::out_of_memory;
      outcome.message = outcome.witness + ": out of memory";
    }
  }

  void attempt(Engine& engine, const ProofJob& of, Outcome& outcome) const {
    const JobPlan& job = outcome.job;
    const OpenKey& opened = keys_[job.key];
    outcome.witness = job.witness;
    const WitnessSource source = [&] {
      Witness witness = open_witness(services_, opened, job);
      outcome.witness = witness.name;
      return witness;
    };
    ProofResult result = [&] {
      try {
        return engine.prove(opened.key, source,
                            {.insecure_seed = options_.insecure_seed, .verify = options_.check, .job = &of});
      } catch (const Error& error) {
        if (error.code() != ErrorCode::unverified) throw;
        throw Error(ErrorCode::unverified,
                    opened.key->name + " with " + outcome.witness + ": the proof does not verify: " +
                        why_unverified(services_, options_, options_.keys[job.key], opened, source));
      }
    }();
    if (const auto paths = job.outputs(); !paths.empty()) {
      const Span span(services_, "write");
      OutputFiles files(paths, inputs_of(options_, job));
      files.write(job.proof, proof_text(options_.format, result.proof));
      if (!job.publics.empty()) files.write(job.publics, public_json(result.signals));
      interrupts_.check();
      files.commit();  // from here on a signal comes too late: the files are there
      outcome.written = paths;
    }
    outcome.result = std::move(result);
  }

  int conclude() {
    const Outcome& first = outcomes_.front();
    const std::vector<Event> events = services_.timeline().take();
    if (outcomes_.size() == 1 && !first.result && !options_.json) {
      write_timeline(options_.timeline, events, start_ns_);
      throw Error(first.code, first.message);
    }
    print({options_, proving_keys(), composition_, devices_, services_.cpu().threads(), outcomes_, events, start_ns_,
           services_.now_ns(), services_.memory().high_water()});
    int code = 0;
    for (const Outcome& outcome : outcomes_) {
      if (outcome.result) continue;
      std::cerr << "cuzk-run: " << tool::escaped(outcome.message) << "\n";
      if (code == 0) code = exit_code(outcome.code);
    }
    try {
      write_timeline(options_.timeline, events, start_ns_);
    } catch (const Error& error) {  // takes no proof back
      throw Error(error.code(), error.what() + (written().empty() ? "" : "; " + written()));
    }
    tool::flush_output(written());
    return code;
  }

  const Options& options_;
  HostServices& services_;
  const Interrupts& interrupts_;
  const uint64_t start_ns_ = services_.now_ns();
  Composer composer_;
  Composition composition_;  // dies before the plugins
  std::vector<OpenKey> keys_;
  std::vector<Engine::DeviceUse> devices_;
  std::vector<Outcome> outcomes_;
};

}  // namespace

int prove(const Options& options) {
  HostServices services(options.threads, log_to_stderr(options.log_level));
  const Interrupts interrupts(services);
  Run run(options, services, interrupts);
  try {
    return run.all();
  } catch (...) {
    interrupts.check(run.written());  // what was stopped says where; the user wants to know why
    throw;
  }
}

int explain(const Options& options) {
  HostServices services(options.threads, log_to_stderr(options.log_level));
  Composer composer(services, options);
  const OpenKey opened = open_key(services, options, options.keys.front(), composer);
  const ProvingKey& key = *opened.key;
  const Composition composition = composer.compose_for({&key});
  const uint32_t threads = services.cpu().threads();
  std::vector<Engine::DeviceUse> devices;
  std::optional<uint64_t> host_memory;  // each device has an equal part
  if (options.host_memory) host_memory = *options.host_memory / composition.strategy.devices.size();
  uint64_t least = 0;
  for (const auto& device : composition.strategy.devices) {
    const Ledger ledger(device, options.device_memory);
    const Layout layout = plan_layout(composition.strategy, *device, key.shape, threads, ledger.available(), key.name);
    log_layout(services, layout);
    if (devices.empty()) least = least_footprint(composition.strategy, *device, key.shape, threads);
    const HostPlan host =
        plan_host_memory(composition.strategy, *device, layout, key, most_in_flight(composition.strategy), host_memory);
    devices.push_back({device, 0, 0, layout, host, ledger.figures()});
  }
  print({options, {&key}, composition, devices, threads, {}, {}, 0, 0, 0, least});
  return 0;
}

}  // namespace cuzk::run
