#include "check_proof.hpp"

#include <variant>

#include <cuzk/error.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/groth16/verifier.hpp>

namespace cuzk::run {

bool check_proof(const std::string& key_file, const std::string& public_file, const std::string& proof_file) {
  const VerifyingKey key = read_verification_key(key_file);
  const Curve curve = curve_of(key);
  const Proof proof = read_proof(proof_file);
  if (curve_of(proof) != curve) {
    throw Error(ErrorCode::bad_input, proof_file + ": found a proof on " + std::string(name(curve_of(proof))) +
                                          ", expected " + std::string(name(curve)) + " for " + key_file);
  }
  const size_t signals = std::visit([](const auto& vk) { return vk.ic.size() - 1; }, key);
  return verify(key, read_public(public_file, curve, SignalCount{signals, key_file}), proof);
}

}  // namespace cuzk::run
