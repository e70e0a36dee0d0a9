#pragma once
#include "options.hpp"

namespace cuzk::run {

/// Writes the files of a workload into the folder, which is made where it is absent: circuit.r1cs, circuit.zkey,
/// verification_key.json, witness.wtns (partition-N.wtns where there are several) and, on BLS12-381, circuit.params and
/// circuit.pce. All appear together or not at all. Returns the exit code.
int write_workload(const Options&);

}  // namespace cuzk::run
