#pragma once
#include <memory>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk::testing {

struct SyntheticOptions {
  Curve curve = Curve::bn254;
  uint32_t h_basis = CUZK_H_COSET_LAGRANGE;
  bool masked = false;   ///< a, b1, b2 hold only the variables that occur, the rest is masked out, as in bellman's keys
  bool encoded = false;  ///< points do not lie in the ABI's layout: read() decodes
};

/// A key made from known secrets for the circuit x^(2^4) + x + 5 = y (y public, x private), by the definition of the
/// set-up (Groth 2016, section 3.2), and a satisfying witness for any x.
std::shared_ptr<const ProvingKey> synthetic_key(const SyntheticOptions&);
Witness synthetic_witness(HostPool&, Curve, uint64_t x);

}  // namespace cuzk::testing
