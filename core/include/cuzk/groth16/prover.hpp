#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/groth16/host_plan.hpp>
#include <cuzk/groth16/layout.hpp>
#include <cuzk/groth16/proof.hpp>
#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/witness.hpp>
#include <cuzk/runtime/held_device.hpp>
#include <cuzk/runtime/host_services.hpp>
#include <cuzk/runtime/ledger.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk {

struct ProveOptions {
  std::optional<uint64_t> insecure_seed;  ///< r and s from this seed instead of the OS generator: for comparisons only
  bool verify = true;                     ///< false: for benchmarks; the result says so
  const ProofJob* job = nullptr;          ///< the request that the proof is a part of; null: one of its own
};

struct ProofResult {
  Proof proof;
  PublicSignals signals;
  bool verified = false;
  uint64_t ticket = 0;
  uint32_t vector_paths = 0;  ///< bits 1 << CUZK_PATH_*: how the partition's vectors came to the device; 0: not at all
  uint32_t base_paths = 0;    ///< likewise of streamed bases
  uint64_t uploaded_bytes = 0;        ///< vectors and streamed bases; adopted bytes are not moved and not counted
  std::string device;                 ///< where it was made
  bool plainest = false;              ///< made with the plainest path, see Engine
  std::vector<std::string> failures;  ///< of the attempts before this one, in order; of an Engine
};

/// A strategy opened on one of its devices for one key: memory laid out, instances opened, one set a worker. It has the
/// device to itself: while it lives, no other prover of the process opens on the device, but those of whoever gave it a
/// HeldDevice.
/// Threads: any number at once, but memory is planned for host().in_flight. Each drives its partition from the witness
/// to the proof and has a worker only from when the partition is prepared until the device is done with it.
class Prover {
 public:
  /// device_memory: `--device-memory`, the limit of the device's ledger. host_memory: most bytes of the engine's pool
  /// that its partitions and workers may hold. job: for whom the key is loaded; it may end before the prover. Errors:
  /// out_of_memory; unusable, also when another prover has the device; cancelled, also when the job's time is over.
  Prover(HostServices&, const Strategy&, size_t device, std::shared_ptr<const ProvingKey>,
         std::optional<uint64_t> device_memory = {}, std::optional<uint64_t> host_memory = {},
         const ProofJob* job = nullptr);
  /// On a device that the caller holds, who may open provers for several keys there and prove with one of them at a
  /// time.
  Prover(HostServices&, const Strategy&, std::shared_ptr<HeldDevice>, std::shared_ptr<const ProvingKey>,
         std::optional<uint64_t> host_memory = {}, const ProofJob* job = nullptr);
  ~Prover();
  Prover(const Prover&) = delete;
  Prover& operator=(const Prover&) = delete;

  /// One partition, from evaluation to a verified proof. Errors: bad_input (witness does not fit the key; both are
  /// named; or the key's file was cut since it was opened), unverified, cancelled (says where; also when the job's time
  /// is over) and the device's. After an error nothing of it still runs and its memory is back.
  /// lane: for the timeline, where it stands for the worker in what the CPU does; proofs made at once have their own.
  ProofResult prove(const Witness&, const ProveOptions& = {}, uint32_t lane = 0);

  const std::shared_ptr<const ProvingKey>& key() const;
  const Layout& layout() const;
  const HostPlan& host() const;
  Ledger::Figures memory() const;  ///< of the whole device

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk
