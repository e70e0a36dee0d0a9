#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/groth16/workload.hpp>
#include <cuzk/loader/compose.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk::run {

enum class Action { prove, explain, simulate, write_workload, verify, check_witness, calldata, help, version };

enum class ProofFormat {
  snarkjs,  ///< proof.json
  bellman   ///< 192 bytes
};

/// Where a key comes from.
struct KeyPlace {
  enum class Kind { sample, zkey, params, workload } kind = Kind::sample;
  std::string file;                      ///< the .zkey or .params
  std::string pce;                       ///< with a .params
  std::optional<WorkloadSpec> workload;  ///< where the key is made here
};

/// One proof to make.
struct JobPlan {
  size_t key = 0;          ///< of Options::keys
  std::string witness;     ///< the file; empty for the sample and for workloads
  uint32_t partition = 0;  ///< of a workload
  std::string proof;       ///< where it is to be written; empty: nowhere
  std::string publics;     ///< likewise the public signals

  std::vector<std::string> outputs() const;
};

/// The command line, checked.
struct Options {
  Action action = Action::prove;
  std::vector<KeyPlace> keys;      ///< prove: one or more; explain, write_workload: one
  std::vector<JobPlan> jobs;       ///< prove: one or more
  std::vector<std::string> files;  ///< verify: key, publics, proof; calldata: publics, proof; check_witness: circuit,
                                   ///< witness; write_workload: the folder
  ProofFormat format = ProofFormat::snarkjs;
  std::string out_dir;     ///< to be made where it is absent; empty: none
  std::string timeline;    ///< file for the timeline; empty: none
  std::string model_file;  ///< what request.device_model was read from; empty: none
  std::string r1cs;        ///< asked when a proof does not verify; empty: the one beside the key
  bool check_key = false;  ///< subgroups of all its points
  StrategyRequest request;
  std::optional<std::string> plugin_path;  ///< all --plugin-path, separated by colons
  uint32_t threads = 0;                    ///< 0: as many as there are CPUs to use
  std::optional<uint64_t> device_memory;   ///< bytes
  std::optional<uint64_t> host_memory;     ///< bytes
  std::optional<uint64_t> deadline_s;      ///< for all proofs, from when the keys are open
  std::optional<uint64_t> insecure_seed;
  bool check = true;  ///< verify the proof before it leaves
  bool json = false;
  std::optional<LogLevel> log_level = LogLevel::warn;  ///< nothing: no log
};

/// Error usage with one line.
Options parse_options(int argc, const char* const* argv);

std::string help_text();

}  // namespace cuzk::run
