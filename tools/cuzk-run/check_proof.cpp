#include "check_proof.hpp"

#include <variant>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/formats/bellman_proof.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/groth16/verifier.hpp>

namespace cuzk::run {

namespace {

Proof read(const std::string& file, ProofFormat format) {
  if (format == ProofFormat::snarkjs) return read_proof(file);
  std::vector<Proof> proofs = read_bellman_proofs(file);
  if (proofs.size() != 1) {
    throw Error(ErrorCode::bad_input, file + ": found " + std::to_string(proofs.size()) + " proofs, expected 1");
  }
  return proofs.front();
}

}  // namespace

bool check_proof(const std::string& key_file, const std::string& public_file, const std::string& proof_file,
                 ProofFormat format) {
  const VerifyingKey key = read_verification_key(key_file);
  const Curve curve = curve_of(key);
  const Proof proof = read(proof_file, format);
  if (curve_of(proof) != curve) {
    throw Error(ErrorCode::bad_input, proof_file + ": found a proof on " + std::string(name(curve_of(proof))) +
                                          ", expected " + std::string(name(curve)) + " for " + key_file);
  }
  const size_t signals = std::visit([](const auto& vk) { return vk.ic.size() - 1; }, key);
  return verify(key, read_public(public_file, curve, SignalCount{signals, key_file}), proof);
}

}  // namespace cuzk::run
