#pragma once
/// An independent view of the curves: schoolbook arithmetic on big integers, textbook affine additions, polynomials
/// modulo w^12 - 2a w^6 + a^2 + 1 for the tower. Shares no code with the library.

#include <array>
#include <boost/integer/mod_inverse.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/fp12.hpp>

namespace cuzk::arith::oracle {

using Int = boost::multiprecision::cpp_int;

template <std::size_t N>
Int to_int(const std::array<std::uint64_t, N>& limbs) {
  Int value = 0;
  for (std::size_t i = N; i-- > 0;) value = (value << 64) | limbs[i];
  return value;
}

/// As many limbs as the number needs, at least `size`.
inline std::vector<std::uint64_t> to_limbs(Int value, std::size_t size = 0) {
  std::vector<std::uint64_t> limbs;
  for (; value != 0; value >>= 64) limbs.push_back(static_cast<std::uint64_t>(value & ~std::uint64_t{0}));
  if (limbs.size() < size) limbs.resize(size, 0);
  return limbs;
}

template <std::size_t N>
std::array<std::uint64_t, N> to_array(const Int& value) {
  const auto limbs = to_limbs(value, N);
  std::array<std::uint64_t, N> result{};
  for (std::size_t i = 0; i < N; ++i) result[i] = limbs.at(i);
  return result;
}

inline Int mod(const Int& value, const Int& modulus) {
  const Int r = value % modulus;
  return r < 0 ? r + modulus : r;
}

template <class F>
Int modulus_of() {
  return to_int(F::modulus());
}

/// a + b u with u^2 = -1; b = 0 for elements of the prime field.
struct Element {
  Int a = 0, b = 0;
  friend bool operator==(const Element&, const Element&) = default;
};

/// Fp or Fp2, by its modulus.
struct Arithmetic {
  Int q;

  Element reduce(const Element& x) const { return {mod(x.a, q), mod(x.b, q)}; }
  Element add(const Element& x, const Element& y) const { return reduce({x.a + y.a, x.b + y.b}); }
  Element sub(const Element& x, const Element& y) const { return reduce({x.a - y.a, x.b - y.b}); }
  Element mul(const Element& x, const Element& y) const {
    return reduce({x.a * y.a - x.b * y.b, x.a * y.b + x.b * y.a});
  }
  Element inverse(const Element& x) const {
    const Int norm = mod(x.a * x.a + x.b * x.b, q);
    const Int i = boost::integer::mod_inverse(norm, q);
    return reduce({x.a * i, -x.b * i});
  }
};

template <class P>
Element to_element(const Field<P>& x) {
  return {to_int(x.to_canonical()), 0};
}
template <class F>
Element to_element(const Fp2<F>& x) {
  return {to_int(x.c0.to_canonical()), to_int(x.c1.to_canonical())};
}

/// The library's element, Field or Fp2.
template <class Base>
Base from_element(const Element& x) {
  if constexpr (requires { typename Base::Coefficient; }) {
    using F = typename Base::Coefficient;
    return {F::from_canonical(to_array<F::kLimbs>(x.a)), F::from_canonical(to_array<F::kLimbs>(x.b))};
  } else {
    return Base::from_canonical(to_array<Base::kLimbs>(x.a));
  }
}

/// An affine point or infinity.
struct Coordinates {
  Element x, y;
  friend bool operator==(const Coordinates&, const Coordinates&) = default;
};
using Point = std::optional<Coordinates>;

template <class G>
Point to_point(const Affine<G>& p) {
  if (p.is_infinity()) return std::nullopt;
  return Coordinates{to_element(p.x), to_element(p.y)};
}

template <class G>
Affine<G> from_point(const Point& p) {
  if (!p) return Affine<G>::infinity();
  return {from_element<typename G::Base>(p->x), from_element<typename G::Base>(p->y)};
}

template <class G>
struct Group {
  Arithmetic f{modulus_of<typename G::Curve::Fp>()};

  Point negate(const Point& p) const {
    if (!p) return p;
    return Coordinates{p->x, f.sub({}, p->y)};
  }
  Point add(const Point& p, const Point& q) const {
    if (!p) return q;
    if (!q) return p;
    Element slope;
    if (p->x == q->x) {
      if (f.add(p->y, q->y) == Element{}) return std::nullopt;
      slope = f.mul(f.mul({3}, f.mul(p->x, p->x)), f.inverse(f.add(p->y, p->y)));
    } else {
      slope = f.mul(f.sub(q->y, p->y), f.inverse(f.sub(q->x, p->x)));
    }
    const Element x = f.sub(f.sub(f.mul(slope, slope), p->x), q->x);
    return Coordinates{x, f.sub(f.mul(slope, f.sub(p->x, x)), p->y)};
  }
  Point mul(const Point& p, const Int& k) const {
    Point sum;
    for (std::size_t i = k == 0 ? 0 : msb(k) + 1; i-- > 0;) {
      sum = add(sum, sum);
      if (bit_test(k, static_cast<unsigned>(i))) sum = add(sum, p);
    }
    return sum;
  }
};

/// Fp12 as polynomials in w of degree below 12. With xi = w^6 = a + u, u = w^6 - a and (w^6 - a)^2 = -1.
template <class F>
struct Polynomials {
  using Value = std::vector<Int>;

  Int q = modulus_of<F>();
  Int a = to_int(mul_by_xi(Fp2<F>::one()).c0.to_canonical());

  Value from(const Fp12<F>& x) const {
    const std::array<Fp2<F>, 6> by_power{x.c0.c0, x.c1.c0, x.c0.c1, x.c1.c1, x.c0.c2, x.c1.c2};
    Value v(12);
    for (std::size_t i = 0; i < 6; ++i) {
      const Element e = to_element(by_power[i]);
      v[i] = mod(e.a - a * e.b, q);
      v[i + 6] = e.b;
    }
    return v;
  }
  Value mul(const Value& x, const Value& y) const {
    Value wide(23);
    for (std::size_t i = 0; i < 12; ++i) {
      for (std::size_t j = 0; j < 12; ++j) wide[i + j] += x[i] * y[j];
    }
    for (std::size_t i = 22; i >= 12; --i) {
      wide[i - 6] += 2 * a * wide[i];
      wide[i - 12] -= (a * a + 1) * wide[i];
    }
    wide.resize(12);
    for (Int& c : wide) c = mod(c, q);
    return wide;
  }
  Value pow(const Value& x, const Int& exponent) const {
    Value r(12);
    r[0] = 1;
    for (std::size_t i = exponent == 0 ? 0 : msb(exponent) + 1; i-- > 0;) {
      r = mul(r, r);
      if (bit_test(exponent, static_cast<unsigned>(i))) r = mul(r, x);
    }
    return r;
  }
};

}  // namespace cuzk::arith::oracle
