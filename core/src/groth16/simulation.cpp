#include "formats/domain.hpp"
#include "groth16/card_strategy.hpp"
#include "groth16/simulation_steps.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/groth16/proof.hpp>
#include <cuzk/groth16/simulation.hpp>
#include <cuzk/runtime/clock.hpp>
#include <cuzk/runtime/ledger.hpp>
#include <cuzk/runtime/scheduler.hpp>

namespace cuzk {
namespace {

using groth16::CardStep;

/// Callbacks in order of their time, on a simulated clock.
class EventLoop {
 public:
  uint64_t now() const { return clock_.now_ns(); }
  void at(uint64_t ns, std::function<void()> call) { queue_.push({ns, made_++, std::move(call)}); }
  void run() {
    while (!queue_.empty()) {
      const Entry next = queue_.top();
      queue_.pop();
      clock_.sleep_until(next.ns);
      next.call();
    }
  }

 private:
  struct Entry {
    uint64_t ns, number;
    std::function<void()> call;
    bool operator<(const Entry& other) const { return std::pair(other.ns, other.number) < std::pair(ns, number); }
  };
  SimulatedClock clock_;
  uint64_t made_ = 0;
  std::priority_queue<Entry> queue_;
};

class Simulator {
 public:
  Simulator(const Simulation& simulation, const LockComponent& lock)
      : simulation_(simulation),
        policy_(lock.open(simulation.layout.workers)),
        scheduler_(*policy_, lock.info().full_name(), simulation.layout.slots, simulation.layout.workers,
                   simulation.layout.late_slots(lock)),
        stage_(groth16::stage_steps(simulation)),
        compute_(groth16::compute_steps(simulation)) {}

  SimulationResult run() {
    for (uint32_t worker = 0; worker < simulation_.layout.workers; ++worker) free_workers_.insert(worker);
    for (uint32_t lane = 0; lane < simulation_.layout.workers + kBesideWorkers; ++lane) begin(lane);
    loop_.run();
    result_.end_ns = loop_.now();
    return std::move(result_);
  }

 private:
  struct Partition {
    uint32_t lane, worker;
    uint64_t ticket, begin_ns;
  };
  using Shared = std::shared_ptr<Partition>;
  using Done = std::function<void()>;

  /// The lane takes the next partition, or ends.
  void begin(uint32_t lane) {
    if (begun_ == simulation_.partitions) return;
    const auto partition =
        std::make_shared<Partition>(Partition{lane, 0, scheduler_.draw_ticket(++begun_, false), loop_.now()});
    partitions_[partition->ticket] = partition;
    on_cpu(partition, "evaluate", simulation_.model.prepare_ns(simulation_.shape.domain_size()), [this, partition] {
      prepared_[partition->ticket] = partition;
      lend_workers();
    });
  }

  /// To the oldest that are prepared.
  void lend_workers() {
    while (!free_workers_.empty() && !prepared_.empty()) {
      const Shared partition = prepared_.extract(prepared_.begin()).mapped();
      partition->worker = free_workers_.extract(free_workers_.begin()).value();
      tell(partition, Scheduler::Event::ready);
    }
  }
  void give_back(const Shared& partition) {
    free_workers_.insert(partition->worker);
    lend_workers();
  }

  /// One at a time: whoever is there has all threads.
  void on_cpu(const Shared& partition, const std::string& name, uint64_t ns, Done done) {
    const uint64_t begin_ns = std::max(loop_.now(), cpu_busy_until_);
    cpu_busy_until_ = begin_ns + ns;
    loop_.at(cpu_busy_until_, [=, this] {
      note(partition, {}, name, CUZK_SPAN_CPU, begin_ns, loop_.now(), 0);
      done();
    });
  }

  void tell(const Shared& partition, Scheduler::Event event) {
    const Scheduler::Outcome outcome = scheduler_.on(partition->ticket, event, loop_.now());
    for (const Scheduler::Failure& failure : outcome.failures) {
      const Shared failed = partitions_.extract(failure.ticket).mapped();
      result_.failures.emplace_back(failure.code, failure.message);
      note(failed, simulation_.device, "FAILED: " + failure.message, CUZK_SPAN_CPU, loop_.now(), loop_.now(), 0);
      give_back(failed);
      begin(failed->lane);
    }
    for (const Scheduler::Grant& grant : outcome.grants) enter(partitions_.at(grant.ticket), grant);
  }

  void enter(const Shared& partition, const Scheduler::Grant& grant) {
    const bool stage = grant.phase == Lease::Phase::stage;
    const std::string phase = stage ? "stage" : "compute";
    note(partition, simulation_.device, "wait " + phase, CUZK_SPAN_CPU, grant.since_ns, grant.at_ns, 0);
    run(partition, stage ? stage_ : compute_, [=, this] {
      note(partition, simulation_.device, "in " + phase, CUZK_SPAN_CPU, grant.at_ns, loop_.now(), 0);
      tell(partition, stage ? Scheduler::Event::staged : Scheduler::Event::computed);
      if (stage) return;
      give_back(partition);
      finish(partition);
    });
  }

  void finish(const Shared& partition) {
    on_cpu(partition, "finish", simulation_.model.finish_ns, [=, this] {
      result_.latencies_ns.push_back(loop_.now() - partition->begin_ns);
      partitions_.erase(partition->ticket);
      begin(partition->lane);
    });
  }

  /// All steps on the card's engines, each when those before it are over.
  void run(const Shared& partition, const std::vector<CardStep>& steps, Done done) {
    struct Progress {
      std::vector<bool> begun, over;
      size_t left;
    };
    const auto progress = std::make_shared<Progress>(
        Progress{std::vector<bool>(steps.size()), std::vector<bool>(steps.size()), steps.size()});
    const auto advance = std::make_shared<std::function<void()>>();
    *advance = [this, partition, &steps, progress, done, weak = std::weak_ptr(advance)] {
      for (size_t i = 0; i < steps.size(); ++i) {
        const CardStep& step = steps[i];
        const bool ready =
            std::all_of(step.after.begin(), step.after.end(), [&](size_t k) { return progress->over[k]; });
        if (progress->begun[i] || !ready) continue;
        progress->begun[i] = true;
        const auto when = engines_.run(step.engine, loop_.now(), step.duration_ns);
        loop_.at(when.end_ns, [this, partition, &step, when, progress, i, done, self = weak.lock()] {
          const uint32_t kind = step.engine == ModelEngines::up ? CUZK_SPAN_H2D : CUZK_SPAN_KERNEL;
          note(partition, simulation_.device, step.name, kind, when.begin_ns, when.end_ns, step.bytes);
          progress->over[i] = true;
          if (--progress->left == 0) {
            done();
          } else {
            (*self)();
          }
        });
      }
    };
    (*advance)();
  }

  void note(const Shared& partition, const std::string& device, const std::string& name, uint32_t kind,
            uint64_t begin_ns, uint64_t end_ns, uint64_t bytes) {
    const uint32_t worker = device.empty() ? partition->lane : partition->worker;
    result_.events.push_back({name, device, kind, partition->ticket, worker, begin_ns, end_ns, bytes});
  }

  const Simulation& simulation_;
  const std::unique_ptr<LockPolicy> policy_;
  Scheduler scheduler_;
  const std::vector<CardStep> stage_, compute_;
  EventLoop loop_;
  ModelEngines engines_;
  uint64_t cpu_busy_until_ = 0;
  uint32_t begun_ = 0;
  std::map<uint64_t, Shared> partitions_;  ///< under way, by ticket
  std::map<uint64_t, Shared> prepared_;    ///< of these: wait for a worker
  std::set<uint32_t> free_workers_;
  SimulationResult result_;
};

}  // namespace

SimulationResult simulate(const Simulation& simulation, const LockComponent& lock) {
  SimulationResult result = Simulator(simulation, lock).run();
  std::stable_sort(result.events.begin(), result.events.end(),
                   [](const Event& x, const Event& y) { return x.begin_ns < y.begin_ns; });
  return result;
}

Layout plan_on_card(const DeviceModel& model, const KeyShape& shape, std::shared_ptr<const LockComponent> lock,
                    uint32_t workers, std::optional<uint64_t> limit, const std::string& name) {
  const Strategy strategy = groth16::card_strategy(model, std::move(lock), workers);
  const Ledger ledger(strategy.devices.front(), limit);
  return plan_layout(strategy, *strategy.devices.front(), shape, 1, ledger.available(), name);
}

KeyShape porep_shape(const WorkloadSpec& spec) {
  if (spec.kind != WorkloadSpec::Kind::porep) {
    throw Error(ErrorCode::usage, "found the workload " + to_string(spec) + ", expected porep:K");
  }
  // Of the proof of replication of a 32 GiB sector: 328 inputs, 130,278,869 constraints on 130,169,893 hidden
  // variables, of which 129,753,292 occur in A and 33,112,281 in B.
  const auto of_hidden = [](double share, uint64_t hidden) {
    return static_cast<uint64_t>(share * static_cast<double>(hidden));
  };
  const uint64_t n = uint64_t{1} << spec.log2_rows;
  const uint64_t inputs = std::max<uint64_t>(2, n * 328 >> 27);
  const uint64_t hidden = of_hidden(130'169'893.0 / (uint64_t{1} << 27), n);
  KeyShape shape;
  shape.curve = spec.curve;
  shape.variables = inputs + hidden;
  shape.publics = inputs - 1;
  shape.domain = with_curve(spec.curve,
                            [&]<class C>(std::type_identity<C>) { return formats::bellman_domain<C>(spec.log2_rows); });
  const uint64_t in_a = inputs + of_hidden(0.9968, hidden), in_b = 1 + of_hidden(0.25438, hidden);
  shape.queries = {{{n - 1, 0, n - 1, false},
                    {hidden, inputs, hidden, false},
                    {in_a, 0, shape.variables, true},
                    {in_b, 0, shape.variables, true},
                    {in_b, 0, shape.variables, true}}};
  return shape;
}

}  // namespace cuzk
