#include "calldata.hpp"

#include <span>
#include <variant>

#include <cuzk/error.hpp>
#include <cuzk/formats/json.hpp>

namespace cuzk::run {
namespace {

using Bn254 = arith::Bn254;

std::string word(std::span<const uint64_t> limbs) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\"0x";
  for (size_t i = limbs.size(); i-- > 0;) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[limbs[i] >> shift & 15];
  }
  return text + "\"";
}
std::string word(const Bn254::Fp& value) { return word(value.to_canonical()); }
std::string pair(const std::string& first, const std::string& second) { return "[" + first + ", " + second + "]"; }
std::string words(const arith::Affine<Bn254::G1>& point) { return pair(word(point.x), word(point.y)); }
std::string words(const arith::Affine<Bn254::G2>& point) {
  return "[" + pair(word(point.x.c1), word(point.x.c0)) + "," + pair(word(point.y.c1), word(point.y.c0)) + "]";
}

}  // namespace

std::string calldata(const std::string& public_file, const std::string& proof_file) {
  const Proof proof = read_proof(proof_file);
  const auto* const on_bn254 = std::get_if<ProofOf<Bn254>>(&proof);
  if (on_bn254 == nullptr) {
    throw Error(ErrorCode::bad_input, proof_file + ": found a proof on " + std::string(name(curve_of(proof))) +
                                          ", expected bn254, the curve of Solidity verifiers");
  }
  std::string signals;
  for (const cuzk_fr& signal : read_public(public_file, Curve::bn254)) {
    signals += (signals.empty() ? "" : ",") + word(signal.limb);
  }
  return words(on_bn254->a) + "," + words(on_bn254->b) + "," + words(on_bn254->c) + ",[" + signals + "]";
}

}  // namespace cuzk::run
