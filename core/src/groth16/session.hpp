#pragma once
#include "groth16/fences.hpp"
#include "groth16/worker_pool.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/groth16/host_plan.hpp>
#include <cuzk/groth16/layout.hpp>
#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/runtime/device_queue.hpp>
#include <cuzk/runtime/held_device.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk::groth16 {

/// One worker's instances and their memory. Members die in reverse: instances, then what they use.
struct Worker {
  Worker(std::shared_ptr<Device> device, uint32_t number) : index(number), fences(std::move(device)) {}

  const uint32_t index;
  Fences fences;
  HostBlock staging_ring;            ///< as staging planned
  HostBlock pinned;                  ///< for the calls of ntt and msm
  HostBlock host_workspace;          ///< of components that run in host space
  HostBlock host_resident;           ///< likewise, for ntt
  std::array<HostBlock, 2> decoded;  ///< chunks of points that do not lie in the ABI's layout
  std::unique_ptr<Staging> staging;
  std::unique_ptr<Ntt> ntt;
  std::unique_ptr<Msm> msm;
};

/// A strategy opened on one device for one key. Immutable once constructed, but for the workers and the queue.
class Session {
 public:
  Session(HostServices&, const Strategy&, std::shared_ptr<HeldDevice>, std::shared_ptr<const ProvingKey>,
          std::optional<uint64_t> host_memory, const ProofJob* job);

  const KeyShape& shape() const { return key->shape; }
  /// The query as jobs see it: resident bases and the mask filled in where they are on the device.
  cuzk_query query(QueryId) const;
  bool resident(QueryId id) const { return bases_[static_cast<size_t>(id)] != nullptr; }
  /// Memory of the slot that a lease holds; data is null when slots are adopted.
  cuzk_mem slot(const Lease& lease) const { return slots_[lease.slot()]; }
  /// Error cancelled: "cpu:0: ticket 3 was cancelled <where>".
  void stop_if_cancelled(uint64_t ticket, const std::string& where) const;

  HostServices& services;
  const Strategy strategy;
  const std::shared_ptr<HeldDevice> held;
  const std::shared_ptr<Device> device;
  const std::shared_ptr<const ProvingKey> key;
  const bool ntt_on, msm_on;  ///< the component runs on the device (else in host space)
  const Layout layout;
  const HostPlan host;

 private:
  void open_worker(Worker&);
  void load_key(const ProofJob* job);
  void load_bases(const Lease&, QueryId, cuzk_mem resident);
  cuzk_mem hold(uint64_t bytes, bool allocated, const std::string& what);

  std::vector<Ledger::Region> regions_;
  std::vector<cuzk_mem> slots_;
  std::array<cuzk_mem, kQueries> masks_{};  ///< by owner, see mask_owner()

 public:
  DeviceQueue queue;
  WorkerPool free_workers;

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
  std::array<std::unique_ptr<Msm::Bases>, kQueries> bases_;
};

}  // namespace cuzk::groth16
