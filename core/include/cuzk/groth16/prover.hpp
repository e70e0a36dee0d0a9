#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include <cuzk/groth16/layout.hpp>
#include <cuzk/groth16/proof.hpp>
#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/witness.hpp>
#include <cuzk/runtime/host_services.hpp>
#include <cuzk/runtime/ledger.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk {

struct ProveOptions {
  std::optional<uint64_t> insecure_seed;  ///< r and s from this seed instead of the OS generator: for comparisons only
  bool verify = true;                     ///< false: for benchmarks; the result says so
};

struct ProofResult {
  Proof proof;
  PublicSignals signals;
  bool verified = false;
  uint64_t ticket = 0;
  uint32_t vector_paths = 0;  ///< bits 1 << CUZK_PATH_*: how the partition's vectors came to the device; 0: not at all
  uint32_t base_paths = 0;    ///< likewise of streamed bases
  uint64_t uploaded_bytes = 0;  ///< vectors and streamed bases; adopted bytes are not moved and not counted
};

/// A strategy opened on one of its devices for one key: memory laid out, instances opened, one set a worker. It has the
/// device to itself: while it lives, no other prover of the process opens on the device.
/// Threads: prove() may be called from as many threads at once as the strategy has workers, each with its own worker
/// index.
class Prover {
 public:
  /// device_memory: `--device-memory`, the limit of the device's ledger. Errors: out_of_memory; unusable, also
  /// when another prover has the device.
  Prover(HostServices&, const Strategy&, size_t device, std::shared_ptr<const ProvingKey>,
         std::optional<uint64_t> device_memory = {});
  ~Prover();
  Prover(const Prover&) = delete;
  Prover& operator=(const Prover&) = delete;

  /// One partition, from evaluation to a verified proof. Errors: bad_input (witness does not fit the key; both are
  /// named; or the key's file was cut since it was opened), unverified, cancelled (says where) and
  /// the device's. After an error nothing of it still runs and its memory is back.
  ProofResult prove(const Witness&, const ProveOptions& = {}, uint32_t worker = 0);

  const Layout& layout() const;
  Ledger::Figures memory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk
