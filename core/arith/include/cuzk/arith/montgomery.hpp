#pragma once
/// Portable Montgomery arithmetic and the constants derived from a modulus.
/// P. L. Montgomery, "Modular multiplication without trial division" (1985); Koc, Acar, Kaliski, "Analyzing and
/// comparing Montgomery multiplication algorithms" (1996), method CIOS.

#include <cuzk/arith/limbs.hpp>

namespace cuzk::arith {

/// What follows from a modulus P::kModulus of P::kLimbs limbs; R = 2^(64 kLimbs). All evaluated at compile time.
template <class P>
struct MontgomeryConstants {
  static constexpr std::size_t kLimbs = P::kLimbs;
  using Limbs = LimbArray<kLimbs>;
  static constexpr const Limbs& kModulus = P::kModulus;
  static_assert((P::kModulus[0] & 1U) == 1, "the modulus must be odd");
  /// One spare bit lets sums of two reduced values stay inside kLimbs limbs and drops CIOS's last carry word.
  static_assert((P::kModulus[kLimbs - 1] >> 63) == 0, "the modulus must leave its top bit free");

  /// -p^-1 mod 2^64, by Newton iteration: each step doubles the number of right low bits, starting from 3.
  static constexpr std::uint64_t negated_inverse() {
    std::uint64_t x = P::kModulus[0];
    for (int i = 0; i < 5; ++i) x *= 2 - P::kModulus[0] * x;
    return ~x + 1;
  }

  /// 2^exponent mod p.
  static constexpr Limbs power_of_two(std::size_t exponent) {
    Limbs r{1};
    for (std::size_t i = 0; i < exponent; ++i) {
      limbs::add(r, r, r);
      Limbs reduced{};
      if (limbs::sub(reduced, r, P::kModulus) == 0) r = reduced;
    }
    return r;
  }

  static constexpr Limbs minus_one() {
    Limbs r = P::kModulus;
    r[0] -= 1;
    return r;
  }

  /// p followed by -p^-1 mod 2^64, as the kernels of src/x86 read it.
  static constexpr LimbArray<kLimbs + 1> reduction() {
    LimbArray<kLimbs + 1> r{};
    for (std::size_t i = 0; i < kLimbs; ++i) r[i] = P::kModulus[i];
    r[kLimbs] = negated_inverse();
    return r;
  }

  /// Whether 3 p < R.
  static constexpr bool three_fit() {
    Limbs r{};
    limbs::add(r, P::kModulus, P::kModulus);
    return limbs::add(r, r, P::kModulus) == 0;
  }

  static constexpr std::size_t kBits = limbs::bit_length(P::kModulus);
  static constexpr std::uint64_t kInv64 = negated_inverse();
  static constexpr LimbArray<kLimbs + 1> kReduction = reduction();
  static constexpr bool kThreeFit = three_fit();
  static constexpr Limbs kR = power_of_two(64 * kLimbs);
  static constexpr Limbs kR2 = power_of_two(128 * kLimbs);
  static constexpr Limbs kMinusOne = minus_one();                   ///< p - 1, plain.
  static constexpr Limbs kHalf = limbs::shift_right(kMinusOne, 1);  ///< (p - 1) / 2, plain.
};

namespace portable {

/// t - p if t >= p, else t; branchless. t < 2p.
template <class P>
constexpr LimbArray<P::kLimbs> reduce_once(const LimbArray<P::kLimbs>& t) {
  LimbArray<P::kLimbs> reduced{};
  const std::uint64_t borrow = limbs::sub(reduced, t, P::kModulus);
  return limbs::select(~borrow + 1, t, reduced);
}

/// One step of Montgomery reduction: t = (t + m p) / 2^64 with t of kLimbs + 1 words.
template <class P>
constexpr void reduce_step(LimbArray<P::kLimbs + 1>& t) {
  constexpr std::size_t n = P::kLimbs;
  const std::uint64_t m = t[0] * MontgomeryConstants<P>::kInv64;
  std::uint64_t carry = 0;
  limbs::mul_add(t[0], m, P::kModulus[0], carry);
  for (std::size_t j = 1; j < n; ++j) t[j - 1] = limbs::mul_add(t[j], m, P::kModulus[j], carry);
  std::uint64_t top = 0;
  t[n - 1] = limbs::add_carry(t[n], carry, top);
  t[n] = top;
}

/// t += a * b with a one word; t of kLimbs + 1 words, which the sum must fit.
template <std::size_t N>
constexpr void accumulate(LimbArray<N + 1>& t, std::uint64_t a, const LimbArray<N>& b) {
  std::uint64_t carry = 0;
  for (std::size_t j = 0; j < N; ++j) t[j] = limbs::mul_add(t[j], a, b[j], carry);
  t[N] += carry;
}

template <class P>
constexpr LimbArray<P::kLimbs> low_words(const LimbArray<P::kLimbs + 1>& t) {
  LimbArray<P::kLimbs> r{};
  for (std::size_t i = 0; i < P::kLimbs; ++i) r[i] = t[i];
  return r;
}

/// a b / R mod p for a, b < p: 2n^2 + n word products.
template <class P>
constexpr LimbArray<P::kLimbs> mul(const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b) {
  LimbArray<P::kLimbs + 1> t{};
  for (std::size_t i = 0; i < P::kLimbs; ++i) {
    accumulate<P::kLimbs>(t, a[i], b);
    reduce_step<P>(t);
  }
  return reduce_once<P>(low_words<P>(t));
}

/// (a b + c d) / R mod p for a, b, c, d < p with one reduction: 3n^2 + n word products. The result before the last
/// subtraction is below p + 2p^2/R <= 2p. P. Longa, "Efficient algorithms for large prime characteristic fields and
/// their application to bilinear pairings" (2022), algorithm 2.
template <class P>
constexpr LimbArray<P::kLimbs> sum_of_products(const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b,
                                               const LimbArray<P::kLimbs>& c, const LimbArray<P::kLimbs>& d) {
  LimbArray<P::kLimbs + 1> t{};
  for (std::size_t i = 0; i < P::kLimbs; ++i) {
    accumulate<P::kLimbs>(t, a[i], b);
    accumulate<P::kLimbs>(t, c[i], d);
    reduce_step<P>(t);
  }
  return reduce_once<P>(low_words<P>(t));
}

/// a / R mod p for a < R: leaves Montgomery form.
template <class P>
constexpr LimbArray<P::kLimbs> redc(const LimbArray<P::kLimbs>& a) {
  LimbArray<P::kLimbs + 1> t{};
  for (std::size_t i = 0; i < P::kLimbs; ++i) t[i] = a[i];
  for (std::size_t i = 0; i < P::kLimbs; ++i) reduce_step<P>(t);
  return reduce_once<P>(low_words<P>(t));
}

}  // namespace portable

/// start / a mod p for 0 < a < p, start < p, p an odd prime; 0 for a = 0. Plain integers (the caller chooses start to
/// land in the form it wants). inv64 = -p^-1 mod 2^64. Running time depends on a. Defined for N = 4 and N = 6.
template <std::size_t N>
LimbArray<N> modular_quotient(const LimbArray<N>& start, const LimbArray<N>& a, const LimbArray<N>& modulus,
                              std::uint64_t inv64);

}  // namespace cuzk::arith
