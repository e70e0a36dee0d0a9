#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/groth16/layout.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/runtime/device_model.hpp>
#include <cuzk/runtime/timeline.hpp>

namespace cuzk {

/// Partitions on one modelled card, without proving any: the Scheduler, a lock policy and the costs of copies and
/// kernels, on a simulated clock.
struct Simulation {
  DeviceModel model;
  std::string device = "card:0";
  KeyShape shape;
  Layout layout;             ///< of the card; says workers and slots, and what is resident
  uint32_t partitions = 1;   ///< each a witness of its own
  double small_scalars = 0;  ///< share of the witness that is 0 or 1
  bool page_locked = true;   ///< copies come from page-locked memory
};

struct SimulationResult {
  std::vector<Event> events;           ///< as a run's, from time 0 on
  std::vector<uint64_t> latencies_ns;  ///< of the partitions that came to their end
  std::vector<Error> failures;         ///< of the others: why
  uint64_t end_ns = 0;
};

/// The layout of a strategy on such a card, as the prover would plan it with components like today's GPU ones
/// (two-level tables of twiddles, bases resident where they fit, MSMs that sort digits in pieces). limit:
/// `--device-memory`. Error out_of_memory as plan_layout(); name is for its message.
Layout plan_on_card(const DeviceModel&, const KeyShape&, std::shared_ptr<const LockComponent>, uint32_t workers,
                    std::optional<uint64_t> limit, const std::string& name);

/// As an Engine on one device: two more partitions than workers are under way. Each is prepared (one at a time, with
/// all of the CPU's threads), takes a worker, goes through stage and compute, gives the worker back and is finished on
/// the CPU. What the Scheduler refuses fails that partition.
SimulationResult simulate(const Simulation&, const LockComponent&);

/// Sizes of the key of a porep workload, in Filecoin's proportions and bellman's conventions, without making its
/// circuit. Error usage: another workload.
KeyShape porep_shape(const WorkloadSpec&);

}  // namespace cuzk
