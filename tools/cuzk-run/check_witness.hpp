#pragma once
#include "open_key.hpp"
#include "options.hpp"

#include <optional>
#include <string>

#include <cuzk/groth16/engine.hpp>

namespace cuzk::run {

/// What a circuit says about a witness.
struct WitnessVerdict {
  std::string circuit;                ///< the file, or the workload
  uint64_t constraints = 0;           ///< without the rows that key formats add
  std::optional<uint64_t> violation;  ///< the first violated constraint; nothing: it satisfies all
};

/// "violates constraint 3 of circuit.r1cs" or "satisfies all 240 constraints of circuit.r1cs".
std::string words(const WitnessVerdict&);

/// circuit_file: a .r1cs or a PCE file. Error bad_input.
WitnessVerdict check_witness(HostServices&, const std::string& circuit_file, const std::string& witness_file);

/// Why the proof of this witness did not verify, in words that go on from "the proof does not verify: ": asks the
/// workload's circuit, --r1cs, the PCE or the .r1cs beside the key. Never throws for what is wrong with those, or with
/// the witness, which is read again.
std::string why_unverified(HostServices&, const Options&, const KeyPlace&, const OpenKey&, const WitnessSource&);

}  // namespace cuzk::run
