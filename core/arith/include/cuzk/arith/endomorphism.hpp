#pragma once
/// The efficient endomorphisms of the four groups, and scalar multiplication through them.

#include <array>
#include <cstdint>
#include <type_traits>

#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/xyzz.hpp>

namespace cuzk::arith {

/// The cube roots of unity kBeta in Fp and kLambda in Fr (plain limbs) with (beta x, y) = lambda (x, y) on G1.
template <class C>
struct CubeRoots;

template <>
struct CubeRoots<Bn254> {
  static constexpr Bn254Fp kBeta = from_hex<Bn254Fp>("59e26bcea0d48bacd4f263f1acdb5c4f5763473177fffffe");
  static constexpr Bn254Fr::Limbs kLambda{0x8b17ea66b99c90dd, 0x5bfc41088d8daaa7, 0xb3c4d79d41a91758, 0};
};

template <>
struct CubeRoots<Bls12381> {
  static constexpr Bls12381Fp kBeta = from_hex<Bls12381Fp>(
      "1a0111ea397fe699ec02408663d4de85aa0d857d89759ad4897d29650fb85f9b409427eb4f49fffd8bfd00000000aaac");
  static constexpr Bls12381Fr::Limbs kLambda{0x00000000ffffffff, 0xac45a4010001a402, 0, 0};
};

/// The beta of group G: on G2 the same lambda belongs to the other primitive root, beta^2 = -1 - beta.
template <class G>
constexpr typename G::Curve::Fp beta() {
  using Fp = typename G::Curve::Fp;
  constexpr Fp value = CubeRoots<typename G::Curve>::kBeta;
  if constexpr (std::is_same_v<typename G::Base, Fp>) {
    return value;
  } else {
    constexpr Fp other = -Fp::one() - value;
    return other;
  }
}

/// phi(P) = lambda P = (beta x, y) for P in the subgroup: 1M on G1, 2M on G2.
template <class G>
constexpr Affine<G> phi(const Affine<G>& p) {
  return {p.x * beta<G>(), p.y};
}

/// psi = twist^-1 o Frobenius o twist, (x, y) -> (conj(x) cx, conj(y) cy), an endomorphism of the twist that is
/// multiplication by p mod r on G2: by 6x^2 on BN254, by x on BLS12-381 (x the curve's parameter).
/// S. Galbraith, M. Scott, "Exponentiation in pairing-friendly groups using homomorphisms" (2008).
template <class C>
Affine<typename C::G2> psi(const Affine<typename C::G2>& p);

/// One half of a decomposed scalar: (-1)^negative * magnitude.
struct GlvHalf {
  std::array<std::uint64_t, 2> magnitude;
  bool negative;
};

/// k = half[0] + half[1] lambda (mod r), each magnitude below 2^127, for any k below 2^256 (plain, little-endian
/// limbs). Rounds k's coordinates in a short basis of {(u, v): u + v lambda = 0 mod r}: R. Gallant, R. Lambert, S.
/// Vanstone, "Faster point multiplication on elliptic curves with efficient endomorphisms" (2001), with the divisions
/// replaced by products with 2^320-fold reciprocals. lambda = CubeRoots<C>::kLambda serves both groups.
template <class C>
std::array<GlvHalf, 2> glv_decompose(const std::array<std::uint64_t, 4>& k);

/// scalar * point for a point of the subgroup (in_subgroup), else meaningless; any 256-bit scalar, plain. Half the
/// doublings of scalar_mul(). Variable time.
template <class G>
Xyzz<G> glv_mul(const Affine<G>& point, const std::array<std::uint64_t, 4>& scalar);

}  // namespace cuzk::arith
