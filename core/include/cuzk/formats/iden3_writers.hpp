#pragma once
#include <cuzk/formats/byte_sink.hpp>
#include <cuzk/groth16/circuit.hpp>
#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk {

// snarkjs's binary files, written in order in pieces of at most about 1 MiB. Error usage, before the first byte, names
// what the format cannot hold: counts of 2^32 and more, or a key that is none of the circuit's or not of snarkjs's
// conventions. What the sink throws passes through.

/// A .zkey with no contributions. Where the key is insecure, a section of cuzk's own says so; other readers skip it.
void write_zkey(const ProvingKey&, const Circuit&, const ByteSink&);
void write_wtns(const Witness&, const ByteSink&);
/// All public signals as outputs, no names of inputs or signals.
void write_r1cs(const Circuit&, const ByteSink&);

}  // namespace cuzk
