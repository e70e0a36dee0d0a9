#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <cuzk/groth16/circuit.hpp>
#include <cuzk/groth16/setup.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk {

/// A synthetic circuit with its witnesses, by name: "dense:K[,OPTION...]" or "porep:K[,OPTION...]", the options
/// curve=bn254|bls12-381, seed=N, rows=-1|0|+1 and, of porep, bits=SHARE and partitions=N.
struct WorkloadSpec {
  enum class Kind {
    dense,  ///< every witness value is full-width; a squaring chain mixed with linear terms
    porep   ///< the proportions of Filecoin's proof of replication (32 GiB sectors)
  };
  static constexpr uint32_t kLeastLog2 = 4, kMostLog2 = 27, kMostPartitions = 1000;

  Kind kind = Kind::dense;
  uint32_t log2_rows = 0;      ///< K, kLeastLog2 .. kMostLog2
  Curve curve = Curve::bn254;  ///< bls12-381 where porep's is not given
  uint64_t seed = 1;           ///< of the circuit, its secrets and its witnesses
  int32_t extra_rows = 0;      ///< -1, 0 or 1: constraints + public signals + 1 = 2^K + extra_rows
  double bits = 0.95;          ///< porep: share of witness values that are 0 or 1, in [0, 1]
  uint32_t partitions = 1;     ///< witnesses of the circuit; porep: 10 where not given
};

/// Error usage says which part is wrong and what is allowed.
WorkloadSpec parse_workload(std::string_view text);
/// The canonical form, every option spelled out, in an order of its own: equal texts mean equal workloads.
std::string to_string(const WorkloadSpec&);

/// A circuit and its witnesses, determined by the specification on every platform. Immutable; any thread.
class Workload {
 public:
  /// Makes the circuit: time and memory linear in its rows.
  explicit Workload(const WorkloadSpec&);

  const WorkloadSpec& spec() const { return spec_; }
  /// Its name is to_string(spec) without what does not change it, the partitions.
  const std::shared_ptr<const Circuit>& circuit() const { return circuit_; }
  /// bellman's for porep on bls12-381, as there; snarkjs's for all others.
  Conventions conventions() const;
  /// The satisfying witness of partition < spec().partitions, every one another, public signals included (but
  /// with bits=1 and few rows, where a few bits are all that is free, two may be the same). Linear time, most of it on
  /// one thread: each constraint defines a value from earlier ones.
  Witness witness(uint32_t partition, CpuPool&, HostPool&) const;

 private:
  WorkloadSpec spec_;
  std::shared_ptr<const Circuit> circuit_;
  uint64_t free_values_ = 0, free_bits_ = 0;
};

}  // namespace cuzk
