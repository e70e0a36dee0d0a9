#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <cuzk/groth16/prover.hpp>

namespace cuzk {

/// Reads or makes the witness of a partition: once it may be held in memory, and again for another attempt.
using WitnessSource = std::function<Witness()>;

/// A strategy with any number of keys, for any number of threads. Each of the strategy's devices is open for one key at
/// a time, with all its workers; it changes to another key when nobody proves on it. What was resident then rests on
/// the device, ready to go on, until a key that is opened wants its memory: the least recently used goes first, and
/// those go whose keys the caller no longer has. Who waits for a device is served in order of arrival, but proofs with
/// a device's open key may pass one that waits for another key, up to 16 times.
///
/// On each device most_in_flight() partitions are under way at once, fewer where `--host-memory` is short: while the
/// workers have some on the device, one is prepared and one is finished by the CPU.
///
/// A partition that failed on a device is tried once more on the same device with plainest(strategy), for which the
/// device is opened anew once the others have left it; the result says so. When the device is lost the partition moves
/// to another of the strategy's, if one is left, and the log says that the process must be restarted.
///
/// Threads: any; prove() waits and must not be called from a task of the CPU pool. The partitions of a job are handed
/// to a JobQueue, whose futures give their results in order.
class Engine {
 public:
  static constexpr uint32_t kMostPassed = 16;

  /// device_memory: `--device-memory`, the limit of each device's ledger. host_memory: `--host-memory`, from now on the
  /// limit of the services' pool; each device has an equal part of it. Error usage: no device or no worker.
  Engine(HostServices&, Strategy, std::optional<uint64_t> device_memory = {}, std::optional<uint64_t> host_memory = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// One proof. Errors as of Prover's constructor, of Prover::prove() and of the source; deadline, when the job's time
  /// was over; unusable, when every device is lost. The key is held as long as it is open or rests on a device.
  ProofResult prove(std::shared_ptr<const ProvingKey>, const WitnessSource&, const ProveOptions& = {});
  /// The same of a witness that the caller holds, beyond what is planned for.
  ProofResult prove(std::shared_ptr<const ProvingKey>, const Witness&, const ProveOptions& = {});

  uint32_t most_in_flight() const;  ///< on all devices: more threads than that only wait

  struct DeviceUse {
    std::shared_ptr<Device> device;
    uint64_t proofs = 0;           ///< begun on it
    uint64_t keys_opened = 0;      ///< times that it was opened for a key which did not rest on it
    std::optional<Layout> layout;  ///< of the key that it was opened for last
    std::optional<HostPlan> host;  ///< likewise
    Ledger::Figures memory{};      ///< of that one; high_water: most over all
  };
  /// One a device of the strategy, in its order.
  std::vector<DeviceUse> devices() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk
