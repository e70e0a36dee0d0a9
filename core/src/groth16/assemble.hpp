#pragma once
#include "groth16/msm_jobs.hpp"
#include "groth16/random.hpp"

namespace cuzk::groth16 {

/// The proof from the sums of the five queries and fresh r and s (J. Groth, "On the size of pairing-based
/// non-interactive arguments", 2016, section 3.2):
///   A = alpha + a + r delta,  B = beta + b + s delta,  C = s A + r B1 - r s delta + h + l,  B1 being B in G1.
Proof assemble(const ProvingKey&, const Points&, const RandomSource&);

}  // namespace cuzk::groth16
