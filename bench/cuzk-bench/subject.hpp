#pragma once
#include "common/command_line.hpp"

#include <memory>
#include <string>
#include <vector>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::bench {

/// What strategies are measured with: a process's services and plugins, one workload, its key and its witnesses, all in
/// memory. Made once, outside of what is timed. One thread.
class Subject {
 public:
  /// --workload, --threads, --plugin-path; warnings, and where the key is made, go to standard error.
  static void describe(boost::program_options::options_description&);
  explicit Subject(const tool::CommandLine&);

  HostServices services;
  PluginRegistry registry;

  /// Makes the key, on the strategy's first device where that can, and all witnesses, beside each other. The key is
  /// not kept in the cache: one from a file may need decoding, which would be measured with it.
  void make(const StrategyRequest& where);
  const WorkloadSpec& spec() const { return workload_.spec(); }
  const std::shared_ptr<const ProvingKey>& key() const { return key_; }
  double circuit_seconds() const { return circuit_seconds_; }  ///< what making it took; likewise:
  double key_seconds() const { return key_seconds_; }
  double witness_seconds() const { return witness_seconds_; }  ///< of all
  size_t partitions() const { return witnesses_.size(); }
  /// A copy in the engine's memory, where a witness that was read or made would be.
  Witness witness(size_t partition);

 private:
  std::vector<Witness> all_witnesses();

  HostPool kept_;  ///< never page-locked: not the engine's
  double circuit_seconds_ = 0, key_seconds_ = 0, witness_seconds_ = 0;
  const Workload workload_;
  std::shared_ptr<const ProvingKey> key_;
  std::vector<Witness> witnesses_;
};

}  // namespace cuzk::bench
