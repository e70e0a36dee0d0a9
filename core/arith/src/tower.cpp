#include "frobenius.hpp"

#include <cuzk/arith/fp12.hpp>
#include <cuzk/arith/fp6.hpp>

namespace cuzk::arith {

template <class F>
Fp6<F> Fp6<F>::times(const Fp6& b) const {
  const Fp2 t0 = c0 * b.c0;
  const Fp2 t1 = c1 * b.c1;
  const Fp2 t2 = c2 * b.c2;
  return {t0 + mul_by_xi((c1 + c2) * (b.c1 + b.c2) - t1 - t2),  //
          (c0 + c1) * (b.c0 + b.c1) - t0 - t1 + mul_by_xi(t2),  //
          (c0 + c2) * (b.c0 + b.c2) - t0 - t2 + t1};
}

template <class F>
Fp6<F> Fp6<F>::times(const Fp2& b0, const Fp2& b1) const {
  const Fp2 t0 = c0 * b0;
  const Fp2 t1 = c1 * b1;
  return {t0 + mul_by_xi(c2 * b1), (c0 + c1) * (b0 + b1) - t0 - t1, c2 * b0 + t1};
}

template <class F>
Fp6<F> Fp6<F>::times_v(const Fp2& b1) const {
  return {mul_by_xi(c2 * b1), c0 * b1, c1 * b1};
}

template <class F>
Fp6<F> Fp6<F>::square() const {
  const Fp2 s0 = c0.square();
  const Fp2 s1 = (c0 * c1).doubled();
  const Fp2 s2 = (c0 - c1 + c2).square();
  const Fp2 s3 = (c1 * c2).doubled();
  const Fp2 s4 = c2.square();
  return {s0 + mul_by_xi(s3), s1 + mul_by_xi(s4), s1 + s2 + s3 - s0 - s4};
}

template <class F>
Fp6<F> Fp6<F>::inverse() const {
  const Fp2 a = c0.square() - mul_by_xi(c1 * c2);
  const Fp2 b = mul_by_xi(c2.square()) - c0 * c1;
  const Fp2 c = c1.square() - c0 * c2;
  const Fp2 scale = (c0 * a + mul_by_xi(c2 * b + c1 * c)).inverse();
  return {a * scale, b * scale, c * scale};
}

template <class F>
Fp12<F> Fp12<F>::times(const Fp12& b) const {
  const Fp6 t0 = c0 * b.c0;
  const Fp6 t1 = c1 * b.c1;
  return {t0 + t1.times_v(), (c0 + c1) * (b.c0 + b.c1) - t0 - t1};
}

template <class F>
Fp12<F> Fp12<F>::times_line_d(const Fp2& a0, const Fp2& b0, const Fp2& b1) const {
  const Fp6 t0 = c0 * a0;
  const Fp6 t1 = c1.times(b0, b1);
  return {t0 + t1.times_v(), (c0 + c1).times(a0 + b0, b1) - t0 - t1};
}

template <class F>
Fp12<F> Fp12<F>::times_line_m(const Fp2& a0, const Fp2& a1, const Fp2& b1) const {
  const Fp6 t0 = c0.times(a0, a1);
  const Fp6 t1 = c1.times_v(b1);
  return {t0 + t1.times_v(), (c0 + c1).times(a0, a1 + b1) - t0 - t1};
}

template <class F>
Fp12<F> Fp12<F>::square() const {
  const Fp6 t = c0 * c1;
  return {(c0 + c1) * (c0 + c1.times_v()) - t - t.times_v(), t.doubled()};
}

template <class F>
Fp12<F> Fp12<F>::cyclotomic_square() const {
  // Fp12 as three copies of Fp4 = Fp2[s]/(s^2 - xi), s = w^3
  const auto square4 = [](const Fp2& a, const Fp2& b) {
    const Fp2 aa = a.square();
    const Fp2 bb = b.square();
    return std::pair{aa + mul_by_xi(bb), (a + b).square() - aa - bb};
  };
  const auto triple_minus = [](const Fp2& t, const Fp2& z) { return (t - z).doubled() + t; };
  const auto triple_plus = [](const Fp2& t, const Fp2& z) { return (t + z).doubled() + t; };
  const auto [a0, a1] = square4(c0.c0, c1.c1);
  const auto [b0, b1] = square4(c1.c0, c0.c2);
  const auto [d0, d1] = square4(c0.c1, c1.c2);
  return {{triple_minus(a0, c0.c0), triple_minus(b0, c0.c1), triple_minus(d0, c0.c2)},
          {triple_plus(mul_by_xi(d1), c1.c0), triple_plus(a1, c1.c1), triple_plus(b1, c1.c2)}};
}

template <class F>
Fp12<F> Fp12<F>::inverse() const {
  const Fp6 scale = (c0.square() - c1.square().times_v()).inverse();
  return {c0 * scale, -(c1 * scale)};
}

template <class F>
Fp12<F> Fp12<F>::frobenius(unsigned power) const {
  const auto& gamma = FrobeniusConstants<F>::get().gamma[power - 1];
  const auto map = [&](const Fp2& a, std::size_t i) {
    if (power == 2) return a * gamma[i].c0;  // gamma is in F
    return i == 0 ? a.conjugate() : a.conjugate() * gamma[i];
  };
  return {{map(c0.c0, 0), map(c0.c1, 2), map(c0.c2, 4)}, {map(c1.c0, 1), map(c1.c1, 3), map(c1.c2, 5)}};
}

template <class F>
Fp12<F> Fp12<F>::pow(std::span<const std::uint64_t> exponent) const {
  Fp12 result = one();
  for (std::size_t bit = 64 * exponent.size(); bit-- > 0;) {
    result = result.square();
    if ((exponent[bit / 64] >> (bit % 64)) & 1U) result *= *this;
  }
  return result;
}

template struct Fp6<Bn254Fp>;
template struct Fp6<Bls12381Fp>;
template struct Fp12<Bn254Fp>;
template struct Fp12<Bls12381Fp>;

}  // namespace cuzk::arith
