#pragma once
#include <string>

#include <cuzk/formats/json.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk::testing {

/// Files of tests/vectors/circuits, "bn128/poseidon2".
inline std::string vector_path(const std::string& circuit, const std::string& file) {
  return std::string(CUZK_TEST_VECTORS) + "/circuits/" + circuit + "/" + file;
}

struct Circuit {
  Circuit(HostServices& services, const std::string& circuit)
      : key(open_zkey(vector_path(circuit, "circuit.zkey"), services.cpu())),
        witness(read_wtns(vector_path(circuit, "witness.wtns"), services.cpu(), services.memory())),
        verifying_key(read_verification_key(vector_path(circuit, "verification_key.json"))),
        signals(read_public(vector_path(circuit, "public.json"), curve_of(verifying_key))) {}

  std::shared_ptr<const ProvingKey> key;
  Witness witness;
  VerifyingKey verifying_key;
  PublicSignals signals;
};

inline bool operator==(const cuzk_fr& a, const cuzk_fr& b) {
  return a.limb[0] == b.limb[0] && a.limb[1] == b.limb[1] && a.limb[2] == b.limb[2] && a.limb[3] == b.limb[3];
}

inline bool same_signals(const PublicSignals& a, const PublicSignals& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const cuzk_fr& x, const cuzk_fr& y) { return x == y; });
}

}  // namespace cuzk::testing
