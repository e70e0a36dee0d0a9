#pragma once
/// Prime fields in Montgomery form.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include <cuzk/arith/kernels.hpp>
#include <cuzk/arith/limbs.hpp>
#include <cuzk/arith/montgomery.hpp>

namespace cuzk::arith {

/// An element of GF(p). P gives kName, kLimbs, kModulus (odd prime, top bit of its top limb free) and kNonResidue (a
/// small quadratic non-residue).
///
/// In memory: kLimbs little-endian 64-bit limbs holding a R mod p, R = 2^(64 kLimbs), always below p, so that equal
/// elements have equal bytes. Trivially copyable; default construction leaves zero. All operations are free of shared
/// state and take any aliasing of their operands. Nothing throws. inverse(), pow() and sqrt() take time that depends on
/// their inputs; the ring operations do not.
template <class P>
class Field {
 public:
  using Params = P;
  using Constants = MontgomeryConstants<P>;
  static constexpr std::size_t kLimbs = P::kLimbs;
  static constexpr std::size_t kBits = Constants::kBits;  ///< Length of the modulus.
  static constexpr const char* kName = P::kName;
  using Limbs = LimbArray<kLimbs>;

  Limbs limb{};

  static constexpr Field zero() { return Field{}; }
  static constexpr Field one() { return from_raw(Constants::kR); }
  static constexpr Field from_u64(std::uint64_t value) { return from_raw(Limbs{value}).scaled_by_r2(); }
  /// From a plain integer, which must be below p (is_reduced).
  static constexpr Field from_canonical(const Limbs& value) { return from_raw(value).scaled_by_r2(); }
  /// From limbs that are already in Montgomery form and below p.
  static constexpr Field from_raw(const Limbs& montgomery) {
    Field r;
    r.limb = montgomery;
    return r;
  }
  /// The plain integer, below p.
  constexpr Limbs to_canonical() const { return portable::redc<P>(limb); }
  static constexpr bool is_reduced(const Limbs& value) { return limbs::less(value, P::kModulus); }
  static constexpr const Limbs& modulus() { return P::kModulus; }

  friend constexpr Field operator+(const Field& a, const Field& b) {
    Field r;
    kernels::add<P>(r.limb, a.limb, b.limb);
    return r;
  }
  friend constexpr Field operator-(const Field& a, const Field& b) {
    Field r;
    kernels::sub<P>(r.limb, a.limb, b.limb);
    return r;
  }
  friend constexpr Field operator*(const Field& a, const Field& b) {
    Field r;
    kernels::mul<P>(r.limb, a.limb, b.limb);
    return r;
  }
  friend constexpr Field operator-(const Field& a) {
    Field r;
    kernels::neg<P>(r.limb, a.limb);
    return r;
  }
  constexpr Field& operator+=(const Field& b) {
    kernels::add<P>(limb, limb, b.limb);
    return *this;
  }
  constexpr Field& operator-=(const Field& b) {
    kernels::sub<P>(limb, limb, b.limb);
    return *this;
  }
  constexpr Field& operator*=(const Field& b) {
    kernels::mul<P>(limb, limb, b.limb);
    return *this;
  }

  friend constexpr bool operator==(const Field& a, const Field& b) {
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) difference |= a.limb[i] ^ b.limb[i];
    return difference == 0;
  }
  constexpr bool is_zero() const { return limbs::is_zero(limb); }

  constexpr Field square() const {
    Field r;
    kernels::sqr<P>(r.limb, limb);
    return r;
  }
  constexpr Field doubled() const { return *this + *this; }
  /// this / 2.
  constexpr Field halved() const {
    Limbs even{};
    const std::uint64_t odd_mask = ~(limb[0] & 1U) + 1;
    const std::uint64_t carry = limbs::add(even, limb, limbs::select(odd_mask, P::kModulus, Limbs{}));
    return from_raw(limbs::shift_right(even, 1, carry));
  }
  /// 1 / this; zero for zero.
  Field inverse() const { return from_raw(modular_quotient(Constants::kR2, limb, P::kModulus, Constants::kInv64)); }

  /// this^exponent for a plain exponent in little-endian words, of any length; x^0 = 1 for every x.
  Field pow(std::span<const std::uint64_t> exponent) const;

  /// True for zero and for squares.
  bool is_square() const;
  /// A square root (which of the two is unspecified), or nothing for a non-square.
  std::optional<Field> sqrt() const;

  /// Whether the plain integer exceeds (p - 1) / 2, the sign of point encodings.
  constexpr bool is_lexicographically_largest() const { return limbs::less(Constants::kHalf, to_canonical()); }

 private:
  constexpr Field scaled_by_r2() const { return *this * from_raw(Constants::kR2); }
};

/// a b + c d with one reduction; cheaper than two products.
template <class P>
constexpr Field<P> sum_of_products(const Field<P>& a, const Field<P>& b, const Field<P>& c, const Field<P>& d) {
  Field<P> r;
  kernels::sum_of_products<P>(r.limb, a.limb, b.limb, c.limb, d.limb);
  return r;
}

/// a b - c d with one reduction; cheaper than two products.
template <class P>
constexpr Field<P> difference_of_products(const Field<P>& a, const Field<P>& b, const Field<P>& c, const Field<P>& d) {
  return sum_of_products(a, b, -c, d);
}

/// y^2 - x^3: 2M + 1S with two reductions.
template <class P>
constexpr Field<P> square_minus_cube(const Field<P>& y, const Field<P>& x) {
  return difference_of_products(y, y, x.square(), x);
}

/// c0 + c1 u = (a0 + a1 u)(b0 + b1 u) with u^2 = -1: the product of the quadratic extensions of both curves. The
/// outputs may be the inputs.
template <class P>
constexpr void complex_product(Field<P>& c0, Field<P>& c1, const Field<P>& a0, const Field<P>& a1, const Field<P>& b0,
                               const Field<P>& b1) {
  kernels::complex_product<P>(c0.limb, c1.limb, a0.limb, a1.limb, b0.limb, b1.limb);
}

/// Left to right with windows of four bits.
template <class P>
Field<P> Field<P>::pow(std::span<const std::uint64_t> exponent) const {
  std::array<Field, 16> powers{one(), *this};
  for (std::size_t i = 2; i < powers.size(); ++i) powers[i] = powers[i - 1] * *this;
  Field r = one();
  bool started = false;
  for (std::size_t i = 16 * exponent.size(); i-- > 0;) {
    const std::size_t window = (exponent[i / 16] >> (4 * (i % 16))) & 15U;
    if (started) r = r.square().square().square().square();
    if (window != 0) {
      r *= powers[window];
      started = true;
    }
  }
  return r;
}

template <class P>
bool Field<P>::is_square() const {
  return is_zero() || pow(Constants::kHalf) == one();
}

/// Tonelli-Shanks (H. Cohen, "A course in computational algebraic number theory", algorithm 1.5.1). With p = 3 mod 4 it
/// is one power and a check.
template <class P>
std::optional<Field<P>> Field<P>::sqrt() const {
  static constexpr std::size_t kTwoAdicity = limbs::trailing_zeros(Constants::kMinusOne);
  static constexpr Limbs kOddPart = limbs::shift_right(Constants::kMinusOne, kTwoAdicity);
  static const Field root = from_u64(P::kNonResidue).pow(kOddPart);  // of order 2^kTwoAdicity

  const Field power = pow(limbs::shift_right(kOddPart, 1));
  Field x = *this * power;
  Field b = x * power;  // this^kOddPart; the invariant is x^2 = this b
  Field z = root;
  std::size_t order = kTwoAdicity;  // z has order 2^order
  while (!(b == one()) && !b.is_zero()) {
    std::size_t m = 0;
    for (Field t = b; !(t == one()); t = t.square()) {
      if (++m == order) return std::nullopt;
    }
    for (; order > m + 1; --order) z = z.square();
    x *= z;
    z = z.square();
    b *= z;
    order = m;
  }
  return x;
}

}  // namespace cuzk::arith
