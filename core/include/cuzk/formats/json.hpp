#pragma once
#include <span>
#include <string>

#include <cuzk/groth16/proof.hpp>

namespace cuzk {

// snarkjs's JSON files. Readers check syntax, types, the protocol and curve names, that coordinates are below the modulus and
// points on the curve and in their subgroup, and name file and field in Error bad_input.

VerifyingKey read_verification_key(const std::string& path);
Proof read_proof(const std::string& path);
PublicSignals read_public(const std::string& path, Curve curve);

std::string verification_key_json(const VerifyingKey&);
std::string proof_json(const Proof&);
std::string public_json(std::span<const cuzk_fr> signals);

}  // namespace cuzk
