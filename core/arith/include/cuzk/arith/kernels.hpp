#pragma once
/// The ring operations on raw limbs, each choosing the best code the running CPU has. Operands are below p and in
/// Montgomery form, and so are results. Outputs may alias inputs.

#include <type_traits>

#include <cuzk/arith/cpu.hpp>
#include <cuzk/arith/montgomery.hpp>
#ifdef CUZK_ARITH_X86
#include <cuzk/arith/x86/add.hpp>
#include <cuzk/arith/x86/adx.hpp>
#endif

namespace cuzk::arith::kernels {

#ifdef CUZK_ARITH_X86
/// Whether there is x86 code for fields of this many limbs.
template <std::size_t N>
inline constexpr bool kHasX86 = N == 4 || N == 6;

/// The portable code stays out of line, where it costs the callers that do not need it nothing.
#define CUZK_ARITH_OUT_OF_LINE [[gnu::noinline, gnu::cold]]
#else
#define CUZK_ARITH_OUT_OF_LINE
#endif

template <class P>
CUZK_ARITH_OUT_OF_LINE void portable_mul(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a,
                                         const LimbArray<P::kLimbs>& b) {
  r = portable::mul<P>(a, b);
}

template <class P>
CUZK_ARITH_OUT_OF_LINE void portable_sum_of_products(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a,
                                                     const LimbArray<P::kLimbs>& b, const LimbArray<P::kLimbs>& c,
                                                     const LimbArray<P::kLimbs>& d) {
  r = portable::sum_of_products<P>(a, b, c, d);
}

#undef CUZK_ARITH_OUT_OF_LINE

template <class P>
constexpr void add(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b) {
#ifdef CUZK_ARITH_X86
  if constexpr (kHasX86<P::kLimbs>) {
    if (!std::is_constant_evaluated()) {
      r = x86::subtract_if_not_less(x86::add(a, b), P::kModulus);
      return;
    }
  }
#endif
  limbs::add(r, a, b);
  r = portable::reduce_once<P>(r);
}

template <class P>
constexpr void sub(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b) {
#ifdef CUZK_ARITH_X86
  if constexpr (kHasX86<P::kLimbs>) {
    if (!std::is_constant_evaluated()) {
      std::uint64_t mask = 0;
      const LimbArray<P::kLimbs> difference = x86::sub(a, b, mask);
      r = x86::add_masked(difference, mask, P::kModulus);
      return;
    }
  }
#endif
  const std::uint64_t borrow = limbs::sub(r, a, b);
  limbs::add(r, r, limbs::select(~borrow + 1, P::kModulus, LimbArray<P::kLimbs>{}));
}

template <class P>
constexpr void neg(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a) {
#ifdef CUZK_ARITH_X86
  if constexpr (kHasX86<P::kLimbs>) {
    if (!std::is_constant_evaluated()) {
      r = x86::subtract_unless_zero(P::kModulus, a);
      return;
    }
  }
#endif
  const std::uint64_t keep = limbs::is_zero(a) ? 0 : ~std::uint64_t{0};
  limbs::sub(r, limbs::select(keep, P::kModulus, LimbArray<P::kLimbs>{}), a);
}

template <class P>
constexpr void mul(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b) {
  if (std::is_constant_evaluated()) {
    r = portable::mul<P>(a, b);
    return;
  }
#ifdef CUZK_ARITH_X86
  if constexpr (kHasX86<P::kLimbs>) {
    if (cpu::detail::adx.load(std::memory_order_relaxed)) [[likely]] {
      x86::Adx<P::kLimbs>::mul(r.data(), a.data(), b.data(), MontgomeryConstants<P>::kReduction.data());
      return;
    }
  }
#endif
  portable_mul<P>(r, a, b);
}

template <class P>
constexpr void sqr(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a) {
#ifdef CUZK_ARITH_X86
  if constexpr (kHasX86<P::kLimbs>) {
    if (!std::is_constant_evaluated() && cpu::detail::adx.load(std::memory_order_relaxed)) [[likely]] {
      x86::Adx<P::kLimbs>::sqr(r.data(), a.data(), MontgomeryConstants<P>::kReduction.data());
      return;
    }
  }
#endif
  mul<P>(r, a, a);
}

template <class P>
constexpr void sum_of_products(LimbArray<P::kLimbs>& r, const LimbArray<P::kLimbs>& a, const LimbArray<P::kLimbs>& b,
                               const LimbArray<P::kLimbs>& c, const LimbArray<P::kLimbs>& d) {
  if (std::is_constant_evaluated()) {
    r = portable::sum_of_products<P>(a, b, c, d);
    return;
  }
#ifdef CUZK_ARITH_X86
  if constexpr (kHasX86<P::kLimbs>) {
    if (cpu::detail::adx.load(std::memory_order_relaxed)) [[likely]] {
      if constexpr (MontgomeryConstants<P>::kThreeFit) {
        x86::Adx<P::kLimbs>::sum_of_products(r.data(), a.data(), b.data(), c.data(), d.data(),
                                             MontgomeryConstants<P>::kReduction.data());
      } else {
        LimbArray<P::kLimbs> first{};
        mul<P>(first, a, b);
        mul<P>(r, c, d);
        add<P>(r, r, first);
      }
      return;
    }
  }
#endif
  portable_sum_of_products<P>(r, a, b, c, d);
}

/// c0 + c1 u = (a0 + a1 u)(b0 + b1 u) with u^2 = -1.
template <class P>
constexpr void complex_product(LimbArray<P::kLimbs>& c0, LimbArray<P::kLimbs>& c1, const LimbArray<P::kLimbs>& a0,
                               const LimbArray<P::kLimbs>& a1, const LimbArray<P::kLimbs>& b0,
                               const LimbArray<P::kLimbs>& b1) {
#ifdef CUZK_ARITH_X86
  if constexpr (kHasX86<P::kLimbs>) {
    if (!std::is_constant_evaluated() && cpu::detail::adx.load(std::memory_order_relaxed)) [[likely]] {
      x86::Adx<P::kLimbs>::complex_product(c0.data(), c1.data(), a0.data(), a1.data(), b0.data(), b1.data(),
                                           MontgomeryConstants<P>::kReduction.data());
      return;
    }
  }
#endif
  LimbArray<P::kLimbs> minus_a1{};
  LimbArray<P::kLimbs> real{};
  neg<P>(minus_a1, a1);
  sum_of_products<P>(real, a0, b0, minus_a1, b1);
  sum_of_products<P>(c1, a0, b1, a1, b0);
  c0 = real;
}

}  // namespace cuzk::arith::kernels
