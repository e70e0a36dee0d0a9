#pragma once
/// Elements of the prime fields and of their quadratic extensions, for device code.

#include "montgomery.cuh"
#include "params.hpp"
#include "square.cuh"

#include <cstddef>
#include <cstdint>

namespace cuzk::cuda {

/// An element of GF(p) in Montgomery form, always below p; the bytes are those of the plugin boundary (and of
/// arith::Field): little-endian limbs, here of 32 bits. Every operation takes any aliasing; the ring operations are
/// free of branches.
template <class P>
struct alignas(16) Fe {
  using Params = P;
  static constexpr size_t kWords = P::kLimbs32;

  uint32_t limb[kWords];

  static CUZK_DEVICE Fe zero() { return Fe{}; }
  static CUZK_DEVICE Fe one() {
    constexpr auto value = P::kOne;
    return from(value);
  }
  static CUZK_DEVICE Fe from(const Words<kWords>& words) {
    Fe r;
    CUZK_UNROLL
    for (size_t i = 0; i < kWords; ++i) r.limb[i] = words.at[i];
    return r;
  }

  CUZK_DEVICE bool is_zero() const {
    uint32_t any = 0;
    CUZK_UNROLL
    for (size_t i = 0; i < kWords; ++i) any |= limb[i];
    return any == 0;
  }
  friend CUZK_DEVICE bool operator==(const Fe& a, const Fe& b) {
    uint32_t difference = 0;
    CUZK_UNROLL
    for (size_t i = 0; i < kWords; ++i) difference |= a.limb[i] ^ b.limb[i];
    return difference == 0;
  }

  friend CUZK_DEVICE Fe operator+(const Fe& a, const Fe& b) {
    Fe r;
    r.limb[0] = add_cc(a.limb[0], b.limb[0]);
    CUZK_UNROLL
    for (size_t i = 1; i + 1 < kWords; ++i) r.limb[i] = addc_cc(a.limb[i], b.limb[i]);
    r.limb[kWords - 1] = addc(a.limb[kWords - 1], b.limb[kWords - 1]);
    montgomery::subtract_once<P>(r.limb);
    return r;
  }
  friend CUZK_DEVICE Fe operator-(const Fe& a, const Fe& b) {
    constexpr auto p = P::kModulus;
    Fe r;
    r.limb[0] = sub_cc(a.limb[0], b.limb[0]);
    CUZK_UNROLL
    for (size_t i = 1; i < kWords; ++i) r.limb[i] = subc_cc(a.limb[i], b.limb[i]);
    const uint32_t borrowed = subc(0, 0);
    r.limb[0] = add_cc(r.limb[0], p.at[0] & borrowed);
    CUZK_UNROLL
    for (size_t i = 1; i + 1 < kWords; ++i) r.limb[i] = addc_cc(r.limb[i], p.at[i] & borrowed);
    r.limb[kWords - 1] = addc(r.limb[kWords - 1], p.at[kWords - 1] & borrowed);
    return r;
  }
  friend CUZK_DEVICE Fe operator*(const Fe& a, const Fe& b) {
    Fe r;
    montgomery::multiply<P>(r.limb, a.limb, b.limb);
    return r;
  }
  CUZK_DEVICE Fe operator-() const {
    constexpr auto p = P::kModulus;
    const uint32_t mask = is_zero() ? 0 : UINT32_MAX;
    Fe r;
    r.limb[0] = sub_cc(p.at[0] & mask, limb[0]);
    CUZK_UNROLL
    for (size_t i = 1; i + 1 < kWords; ++i) r.limb[i] = subc_cc(p.at[i] & mask, limb[i]);
    r.limb[kWords - 1] = subc(p.at[kWords - 1] & mask, limb[kWords - 1]);
    return r;
  }
  CUZK_DEVICE Fe& operator+=(const Fe& b) { return *this = *this + b; }
  CUZK_DEVICE Fe& operator-=(const Fe& b) { return *this = *this - b; }
  CUZK_DEVICE Fe& operator*=(const Fe& b) { return *this = *this * b; }

  CUZK_DEVICE Fe square() const {
    Fe r;
    montgomery::square<P>(r.limb, limb);
    return r;
  }
  CUZK_DEVICE Fe doubled() const { return *this + *this; }

  /// The plain integer, below p, as limbs.
  CUZK_DEVICE Fe to_canonical() const {
    Fe unit{};
    unit.limb[0] = 1;
    return *this * unit;
  }

  /// 1 / this; zero for zero. Fermat: this^(p - 2), one square a bit and a product for each set bit.
  CUZK_DEVICE_CALL Fe inverse() const {
    constexpr auto exponent = P::kModulusMinusTwo;
    const Fe base = *this;
    Fe r = one();
    CUZK_NO_UNROLL
    for (size_t i = 32 * kWords; i-- > 0;) {
      r = r.square();
      if ((exponent.at[i / 32] >> (i % 32)) & 1U) r *= base;
    }
    return r;
  }
};

/// F[u]/(u^2 + 1): c0 + c1 u, the coordinates of G2.
template <class F>
struct Fe2 {
  using Coefficient = F;

  F c0, c1;

  static CUZK_DEVICE Fe2 zero() { return {F::zero(), F::zero()}; }
  static CUZK_DEVICE Fe2 one() { return {F::one(), F::zero()}; }

  CUZK_DEVICE bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  friend CUZK_DEVICE bool operator==(const Fe2& a, const Fe2& b) { return a.c0 == b.c0 && a.c1 == b.c1; }
  friend CUZK_DEVICE Fe2 operator+(const Fe2& a, const Fe2& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend CUZK_DEVICE Fe2 operator-(const Fe2& a, const Fe2& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  CUZK_DEVICE Fe2 operator-() const { return {-c0, -c1}; }
  friend CUZK_DEVICE Fe2 operator*(const Fe2& a, const Fe2& b) { return product(a, b); }
  friend CUZK_DEVICE Fe2 operator*(const Fe2& a, const F& b) { return {a.c0 * b, a.c1 * b}; }
  CUZK_DEVICE Fe2& operator+=(const Fe2& b) { return *this = *this + b; }
  CUZK_DEVICE Fe2& operator-=(const Fe2& b) { return *this = *this - b; }
  CUZK_DEVICE Fe2& operator*=(const Fe2& b) { return *this = *this * b; }

  CUZK_DEVICE Fe2 square() const { return squared(*this); }
  CUZK_DEVICE Fe2 doubled() const { return {c0.doubled(), c1.doubled()}; }
  /// conjugate / norm; zero for zero.
  CUZK_DEVICE Fe2 inverse() const {
    const F scale = (c0.square() + c1.square()).inverse();
    return {c0 * scale, -(c1 * scale)};
  }

 private:
  /// Karatsuba, 3M. Called, not inlined: kernels on G2 have dozens of them.
  static CUZK_DEVICE_CALL Fe2 product(Fe2 a, Fe2 b) {
    const F low = a.c0 * b.c0;
    const F high = a.c1 * b.c1;
    return {low - high, (a.c0 + a.c1) * (b.c0 + b.c1) - low - high};
  }
  /// (c0 + c1)(c0 - c1) + 2 c0 c1 u, 2M.
  static CUZK_DEVICE_CALL Fe2 squared(Fe2 a) {
    const F cross = a.c0 * a.c1;
    return {(a.c0 + a.c1) * (a.c0 - a.c1), cross.doubled()};
  }
};

#if defined(__CUDACC__)
template <class P>
CUZK_DEVICE void set_quad(Fe<P>& r, size_t i, const uint4& quad) {
  r.limb[4 * i] = quad.x;
  r.limb[4 * i + 1] = quad.y;
  r.limb[4 * i + 2] = quad.z;
  r.limb[4 * i + 3] = quad.w;
}
#endif

/// Elements in memory, 16 bytes an access.
template <class P>
CUZK_DEVICE Fe<P> load(const Fe<P>* from) {
#if defined(__CUDACC__)
  Fe<P> r;
  const auto* quads = reinterpret_cast<const uint4*>(from);
  CUZK_UNROLL
  for (size_t i = 0; i < Fe<P>::kWords / 4; ++i) {
    set_quad(r, i, quads[i]);
  }
  return r;
#else
  return *from;
#endif
}
/// The same for memory that nothing writes while the kernel runs.
template <class P>
CUZK_DEVICE Fe<P> load_constant(const Fe<P>* from) {
#if defined(__CUDACC__)
  Fe<P> r;
  const auto* quads = reinterpret_cast<const uint4*>(from);
  CUZK_UNROLL
  for (size_t i = 0; i < Fe<P>::kWords / 4; ++i) {
    set_quad(r, i, __ldg(quads + i));
  }
  return r;
#else
  return *from;
#endif
}
template <class P>
CUZK_DEVICE void store(Fe<P>* to, const Fe<P>& value) {
#if defined(__CUDACC__)
  auto* quads = reinterpret_cast<uint4*>(to);
  CUZK_UNROLL
  for (size_t i = 0; i < Fe<P>::kWords / 4; ++i) {
    quads[i] = make_uint4(value.limb[4 * i], value.limb[4 * i + 1], value.limb[4 * i + 2], value.limb[4 * i + 3]);
  }
#else
  *to = value;
#endif
}
template <class F>
CUZK_DEVICE Fe2<F> load(const Fe2<F>* from) {
  return {load(&from->c0), load(&from->c1)};
}
template <class F>
CUZK_DEVICE void store(Fe2<F>* to, const Fe2<F>& value) {
  store(&to->c0, value.c0);
  store(&to->c1, value.c1);
}

}  // namespace cuzk::cuda
