#pragma once
/// The optimal ate pairing G1 x G2 -> Fp12. Defined for both curves in pairing.cpp.

#include <span>
#include <utility>

#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/fp12.hpp>

namespace cuzk::arith {

/// The two sides of one pairing, affine, in their subgroups (in_subgroup()); either may be infinity. With points
/// elsewhere the functions below stay defined but their results mean nothing.
template <class C>
using PairingInput = std::pair<Affine<typename C::G1>, Affine<typename C::G2>>;

/// The product of the Miller values of all pairs, squarings shared; one for no pairs. Defined up to factors that the
/// final exponentiation removes. F. Vercauteren, "Optimal pairings" (2010): loop over 6x + 2 and two Frobenius lines on
/// BN254, over x on BLS12-381. Allocates; any thread.
template <class C>
typename C::Fp12 miller_loop(std::span<const PairingInput<C>> pairs);

/// value^((p^12 - 1)/r * m). The multiplier m, prime to r, is the one usual on each curve, so that values compare with
/// other libraries' and with verification keys' vk_alphabeta_12: 3 on BLS12-381 (D. Hayashida, K. Hayasaka, T. Teruya,
/// "Efficient final exponentiation via cyclotomic structure for pairings over families of elliptic curves", 2020) and
/// 2x(6x^2 + 3x + 1) on BN254 (L. Fuentes-Castaneda, E. Knapp, F. Rodriguez-Henriquez, "Faster hashing to G2", 2011).
/// Zero for zero.
template <class C>
typename C::Fp12 final_exponentiation(const typename C::Fp12& value);

/// e(p, q) = final_exponentiation(miller_loop({p, q})).
template <class C>
typename C::Fp12 pairing(const Affine<typename C::G1>& p, const Affine<typename C::G2>& q);

/// Whether the product of all e(p, q) is one: the check of a Groth16 proof.
template <class C>
bool pairing_product_is_one(std::span<const PairingInput<C>> pairs);

}  // namespace cuzk::arith
