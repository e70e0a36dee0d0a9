// Verification key, proof and public signals: each input is tried as every one of them.
#include "fuzz.hpp"

#include <cuzk/formats/json.hpp>

namespace {

using cuzk::fuzz::require;

/// What was read is written as it was read.
void round_trip(const cuzk::Proof& proof) {
  static cuzk::fuzz::MemoryFile file;
  const std::string text = cuzk::proof_json(proof);
  const std::string& path = file.with({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  require(cuzk::proof_json(cuzk::read_proof(path)) == text, "a proof changed on its way out and in");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuzk::fuzz;
  using cuzk::Curve;
  static MemoryFile file;
  const std::string& path = file.with({data, size});
  expect_soundness(path, [&] { static_cast<void>(cuzk::verification_key_json(cuzk::read_verification_key(path))); });
  expect_soundness(path, [&] { round_trip(cuzk::read_proof(path)); });
  for (const Curve curve : {Curve::bn254, Curve::bls12_381}) {
    expect_soundness(path, [&] { static_cast<void>(cuzk::public_json(cuzk::read_public(path, curve))); });
  }
  expect_soundness(path, [&] { cuzk::read_public(path, Curve::bn254, cuzk::SignalCount{1, "a key"}); });
  return 0;
}
