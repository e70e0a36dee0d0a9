#pragma once
#include <string>

namespace cuzk::run {

/// The arguments of snarkjs's Solidity verifier for a proof, as `snarkjs zkey export soliditycalldata` prints them:
/// A, B, C and the public signals, numbers as 32-byte hexadecimal strings, G2's coordinates with c1 first (EIP-197).
/// Error bad_input names the file: malformed, or not on bn254, the only curve of that verifier.
std::string calldata(const std::string& public_file, const std::string& proof_file);

}  // namespace cuzk::run
