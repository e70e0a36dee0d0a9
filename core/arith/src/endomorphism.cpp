#include "frobenius.hpp"
#include "wnaf.hpp"

#include <cuzk/arith/endomorphism.hpp>

namespace cuzk::arith {
namespace {

using Wide = LimbArray<3>;  // two's complement, 192 bits

/// A short basis (a1, b1), (a2, b2) of the lattice of relations a + b lambda = 0 mod r, so that with
/// c1 = round(k |b2| / r) and c2 = round(k |b1| / r) the pair (k, 0) + c1 (a1, b1) + c2 (a2, b2) is short. The vectors'
/// signs are chosen so that both are added.
template <class C>
struct GlvBasis;

template <>
struct GlvBasis<Bn254> {
  // (-(6x^2 + 4x + 1), -(2x + 1)) and (-(2x + 1), 6x^2 + 2x)
  static constexpr Wide kA1{0xf41b1eabeddedaf5, 0x90b27db71147a602, ~std::uint64_t{0}};
  static constexpr Wide kB1{0x762cda976b2dec1d, ~std::uint64_t{0}, ~std::uint64_t{0}};
  static constexpr Wide kA2{0x762cda976b2dec1d, ~std::uint64_t{0}, ~std::uint64_t{0}};
  static constexpr Wide kB2{0x8211bbeb7d4f1128, 0x6f4d8248eeb859fc, 0};
  // round(2^320 |b2| / r), round(2^320 |b1| / r)
  static constexpr LimbArray<4> kG1{0xa5e38cfb5eaa26da, 0x7a7bd9d4391eb18d, 0x4ccef014a773d2cf, 2};
  static constexpr LimbArray<4> kG2{0x6eb9c714773a6ef3, 0xd91d232ec7e0b3d7, 2, 0};
};

template <>
struct GlvBasis<Bls12381> {
  // (-1, -x^2) and (-(x^2 - 1), 1)
  static constexpr Wide kA1{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  static constexpr Wide kB1{0xffffffff00000000, 0x53ba5bfefffe5bfd, ~std::uint64_t{0}};
  static constexpr Wide kA2{0xffffffff00000001, 0x53ba5bfefffe5bfd, ~std::uint64_t{0}};
  static constexpr Wide kB2{1, 0, 0};
  static constexpr LimbArray<4> kG1{0x355094edfede377c, 2, 0, 0};
  static constexpr LimbArray<4> kG2{0x389f49a7268bf7a4, 0x63f6e522f6cfee30, 0x7c6becf1e01faadd, 1};
};

/// round(k g / 2^320).
Wide rounded_quotient(const LimbArray<4>& k, const LimbArray<4>& g) {
  LimbArray<8> product{};
  product[4] = std::uint64_t{1} << 63;
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < 4; ++j) product[i + j] = limbs::mul_add(product[i + j], k[i], g[j], carry);
    for (std::size_t j = i + 4; j < 8; ++j) product[j] = limbs::add_carry(product[j], 0, carry);
  }
  return {product[5], product[6], product[7]};
}

/// sum + a b mod 2^192.
Wide multiply_add(Wide sum, const Wide& a, const Wide& b) {
  for (std::size_t i = 0; i < 3; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; i + j < 3; ++j) sum[i + j] = limbs::mul_add(sum[i + j], a[i], b[j], carry);
  }
  return sum;
}

GlvHalf half_of(const Wide& value) {
  const bool negative = (value[2] >> 63) != 0;
  Wide magnitude = value;
  if (negative) limbs::sub(magnitude, Wide{}, value);
  return {{magnitude[0], magnitude[1]}, negative};
}

}  // namespace

template <class C>
Affine<typename C::G2> psi(const Affine<typename C::G2>& p) {
  using Fp2 = typename C::Fp2;
  static const std::array<Fp2, 2> constants = [] {
    // untwisting multiplies x by w^2 and y by w^3 on a D-type twist, and divides by them on an M-type twist
    const auto& gamma = FrobeniusConstants<typename C::Fp>::get().gamma[0];
    if constexpr (std::is_same_v<C, Bn254>) {
      return std::array<Fp2, 2>{gamma[2], gamma[3]};
    } else {
      return std::array<Fp2, 2>{gamma[2].inverse(), gamma[3].inverse()};
    }
  }();
  return {p.x.conjugate() * constants[0], p.y.conjugate() * constants[1]};
}

template <class C>
std::array<GlvHalf, 2> glv_decompose(const std::array<std::uint64_t, 4>& k) {
  using Basis = GlvBasis<C>;
  const Wide c1 = rounded_quotient(k, Basis::kG1);
  const Wide c2 = rounded_quotient(k, Basis::kG2);
  const Wide low = multiply_add(multiply_add({k[0], k[1], k[2]}, c1, Basis::kA1), c2, Basis::kA2);
  const Wide high = multiply_add(multiply_add({}, c1, Basis::kB1), c2, Basis::kB2);
  return {half_of(low), half_of(high)};
}

template <class G>
Xyzz<G> glv_mul(const Affine<G>& point, const std::array<std::uint64_t, 4>& scalar) {
  if (point.is_infinity()) return Xyzz<G>::infinity();
  const auto [low, high] = glv_decompose<typename G::Curve>(scalar);
  std::array<wnaf::Term<G>, 2> terms{
      wnaf::Term<G>{wnaf::digits(low.magnitude), wnaf::odd_multiples(low.negative ? -point : point)},
      wnaf::Term<G>{wnaf::digits(high.magnitude), {}}};
  const bool signs_differ = low.negative != high.negative;
  for (std::size_t i = 0; i < wnaf::kTableSize; ++i) {
    const Affine<G> image = phi(terms[0].table[i]);
    terms[1].table[i] = signs_differ ? -image : image;
  }
  return wnaf::sum<G>(terms);
}

template Affine<Bn254::G2> psi<Bn254>(const Affine<Bn254::G2>&);
template Affine<Bls12381::G2> psi<Bls12381>(const Affine<Bls12381::G2>&);
template std::array<GlvHalf, 2> glv_decompose<Bn254>(const std::array<std::uint64_t, 4>&);
template std::array<GlvHalf, 2> glv_decompose<Bls12381>(const std::array<std::uint64_t, 4>&);
template Xyzz<Bn254::G1> glv_mul(const Affine<Bn254::G1>&, const std::array<std::uint64_t, 4>&);
template Xyzz<Bn254::G2> glv_mul(const Affine<Bn254::G2>&, const std::array<std::uint64_t, 4>&);
template Xyzz<Bls12381::G1> glv_mul(const Affine<Bls12381::G1>&, const std::array<std::uint64_t, 4>&);
template Xyzz<Bls12381::G2> glv_mul(const Affine<Bls12381::G2>&, const std::array<std::uint64_t, 4>&);

}  // namespace cuzk::arith
