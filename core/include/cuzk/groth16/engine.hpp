#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <cuzk/groth16/prover.hpp>

namespace cuzk {

/// A strategy with any number of keys, for any number of threads. Each of the strategy's devices is open for one key at
/// a time, with all its workers; it changes to another key when nobody proves on it, so that the books of a device
/// never count two layouts. Who waits for a worker is served in order of arrival, but proofs with a device's open key
/// may pass one that waits for another key, up to 16 times. Threads: any; prove() waits and must not be called from a
/// task of the CPU pool.
class Engine {
 public:
  static constexpr uint32_t kMostPassed = 16;

  /// device_memory: `--device-memory`, the limit of each device's ledger. Error usage: no device or no worker.
  Engine(HostServices&, Strategy, std::optional<uint64_t> device_memory = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// One proof, on the first worker that is free. Errors as Prover's constructor and Prover::prove(). The key is held
  /// until its device changes to another.
  ProofResult prove(std::shared_ptr<const ProvingKey>, const Witness&, const ProveOptions& = {});

  struct DeviceUse {
    std::shared_ptr<Device> device;
    uint64_t proofs = 0;           ///< begun on it
    uint64_t keys_opened = 0;      ///< times it was opened for a key
    std::optional<Layout> layout;  ///< of the key that it was opened for last
    Ledger::Figures memory{};      ///< of that one; high_water: most over all
  };
  /// One a device of the strategy, in its order.
  std::vector<DeviceUse> devices() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk
