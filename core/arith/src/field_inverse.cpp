#include <algorithm>
#include <bit>
#include <utility>

#include <cuzk/arith/montgomery.hpp>

/// T. Pornin, "Optimized binary GCD for modular inversion" (IACR ePrint 2020/972), algorithm 2, in variable time: the
/// inner loop works on 64-bit approximations of a and b and shifts out runs of zeros at once. Each outer round removes
/// kStep bits: about 1.4 len(p) / kStep rounds of four linear combinations of n words.
namespace cuzk::arith {
namespace {

using limbs::i128;
using limbs::u128;

constexpr unsigned kStep = 31;
constexpr std::uint64_t kStepMask = (std::uint64_t{1} << kStep) - 1;

/// (a, b) <- (a f0 + b g0, a f1 + b g1) / 2^kStep; |f0| + |g0| and |f1| + |g1| are at most 2^kStep.
struct Transition {
  std::int64_t f0 = 1, g0 = 0, f1 = 0, g1 = 1;
};

/// The low kStep bits of a, below the 33 bits that start at bit `top` - 33.
template <std::size_t N>
std::uint64_t approximate(const LimbArray<N>& a, std::size_t top) {
  const std::size_t shift = top - 33;
  const std::size_t word = shift / 64;
  const std::size_t bit = shift % 64;
  std::uint64_t high = a[word] >> bit;
  if (bit > 31) high |= a[word + 1] << (64 - bit);
  return (high << kStep) | (a[0] & kStepMask);
}

/// kStep halvings of the binary GCD on approximations; b is odd.
Transition inner_loop(std::uint64_t a, std::uint64_t b) {
  Transition t;
  unsigned left = kStep;
  for (;;) {
    const unsigned zeros = static_cast<unsigned>(std::countr_zero(a | (std::uint64_t{1} << left)));
    a >>= zeros;
    t.f1 = static_cast<std::int64_t>(static_cast<std::uint64_t>(t.f1) << zeros);
    t.g1 = static_cast<std::int64_t>(static_cast<std::uint64_t>(t.g1) << zeros);
    left -= zeros;
    if (left == 0) return t;
    if (a < b) {
      std::swap(a, b);
      std::swap(t.f0, t.f1);
      std::swap(t.g0, t.g1);
    }
    a -= b;
    t.f0 -= t.f1;
    t.g0 -= t.g1;
  }
}

template <std::size_t N>
void negate(LimbArray<N>& a) {
  limbs::sub(a, LimbArray<N>{}, a);
}

/// r = |a f + b g| / 2^kStep, an exact division; returns whether the sum was negative.
template <std::size_t N>
bool combine(LimbArray<N>& r, const LimbArray<N>& a, std::int64_t f, const LimbArray<N>& b, std::int64_t g) {
  LimbArray<N> low{};
  i128 acc = 0;
  for (std::size_t i = 0; i < N; ++i) {
    acc += static_cast<i128>(a[i]) * f + static_cast<i128>(b[i]) * g;
    low[i] = static_cast<std::uint64_t>(acc);
    acc >>= 64;
  }
  r = limbs::shift_right(low, kStep, static_cast<std::uint64_t>(acc));
  if (acc >= 0) return false;
  negate(r);
  return true;
}

/// r = (u f + v g) / 2^kStep mod p for u, v < p: one Montgomery step of kStep bits, result within (-p, 2p), corrected.
template <std::size_t N>
void combine_mod(LimbArray<N>& r, const LimbArray<N>& u, std::int64_t f, const LimbArray<N>& v, std::int64_t g,
                 const LimbArray<N>& modulus, std::uint64_t inv64) {
  const std::uint64_t lowest = u[0] * static_cast<std::uint64_t>(f) + v[0] * static_cast<std::uint64_t>(g);
  const auto m = static_cast<std::int64_t>((lowest * inv64) & kStepMask);
  LimbArray<N> low{};
  i128 acc = 0;
  for (std::size_t i = 0; i < N; ++i) {
    acc += static_cast<i128>(u[i]) * f + static_cast<i128>(v[i]) * g + static_cast<i128>(modulus[i]) * m;
    low[i] = static_cast<std::uint64_t>(acc);
    acc >>= 64;
  }
  r = limbs::shift_right(low, kStep, static_cast<std::uint64_t>(acc));
  if (acc < 0) {
    limbs::add(r, r, modulus);
  } else if (!limbs::less(r, modulus)) {
    limbs::sub(r, r, modulus);
  }
}

}  // namespace

template <std::size_t N>
LimbArray<N> modular_quotient(const LimbArray<N>& start, const LimbArray<N>& value, const LimbArray<N>& modulus,
                              std::uint64_t inv64) {
  LimbArray<N> a = value;
  LimbArray<N> b = modulus;
  LimbArray<N> u = start;  // invariants: value u = start a and value v = start b mod p; b is odd
  LimbArray<N> v{};
  if (limbs::is_zero(a)) return a;
  while (!limbs::is_zero(a)) {
    const std::size_t top = std::max({limbs::bit_length(a), limbs::bit_length(b), std::size_t{64}});
    Transition t = inner_loop(approximate(a, top), approximate(b, top));
    LimbArray<N> next_a{};
    LimbArray<N> next_b{};
    if (combine(next_a, a, t.f0, b, t.g0)) {
      t.f0 = -t.f0;
      t.g0 = -t.g0;
    }
    if (combine(next_b, a, t.f1, b, t.g1)) {
      t.f1 = -t.f1;
      t.g1 = -t.g1;
    }
    a = next_a;
    b = next_b;
    LimbArray<N> next_u{};
    LimbArray<N> next_v{};
    combine_mod(next_u, u, t.f0, v, t.g0, modulus, inv64);
    combine_mod(next_v, u, t.f1, v, t.g1, modulus, inv64);
    u = next_u;
    v = next_v;
  }
  return v;
}

template LimbArray<4> modular_quotient<4>(const LimbArray<4>&, const LimbArray<4>&, const LimbArray<4>&, std::uint64_t);
template LimbArray<6> modular_quotient<6>(const LimbArray<6>&, const LimbArray<6>&, const LimbArray<6>&, std::uint64_t);

}  // namespace cuzk::arith
