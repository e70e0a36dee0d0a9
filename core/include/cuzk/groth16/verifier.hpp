#pragma once
#include <span>

#include <cuzk/groth16/proof.hpp>

namespace cuzk {

/// Groth16's equation e(A, B) = e(alpha, beta) e(sum ic, gamma) e(C, delta), with the points' curve and subgroup
/// checks. False: the proof does not hold. Error bad_input: curves differ (names both) or the count of signals is not
/// ic - 1. Precondition: signals are canonical (readers of public.json refuse others).
bool verify(const VerifyingKey&, std::span<const cuzk_fr> signals, const Proof&);

}  // namespace cuzk
