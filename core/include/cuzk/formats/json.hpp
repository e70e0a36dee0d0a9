#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <cuzk/groth16/proof.hpp>

namespace cuzk {

// snarkjs's JSON files. Numbers are strings of decimal digits, coordinates canonical and affine. Readers check syntax,
// types, the protocol and curve names, that coordinates are below the modulus and points on the curve and in their
// subgroup, and name file and field in Error bad_input.

/// alpha, beta, gamma and delta must not be infinity, nPublic must be the length of IC - 1. vk_alphabeta_12, which
/// follows from the rest, is not read.
VerifyingKey read_verification_key(const std::string& path);
/// A proof without "curve" is taken for one on bn128, as some provers write it.
Proof read_proof(const std::string& path);
/// How many public signals a key takes, and its name for messages.
struct SignalCount {
  size_t count;
  std::string key;
};
/// Values of the curve's scalar field, canonical. With a count, another one is refused, as is a file larger than so
/// many can need, before it is read.
PublicSignals read_public(const std::string& path, Curve curve, const std::optional<SignalCount>& = {});

// The same bytes as snarkjs writes.
std::string verification_key_json(const VerifyingKey& key);
std::string proof_json(const Proof& proof);
std::string public_json(std::span<const cuzk_fr> signals);

}  // namespace cuzk
