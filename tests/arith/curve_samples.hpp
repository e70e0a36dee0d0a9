#pragma once
/// Known answers (tests/vectors/arith/curves.json) and reproducible random values for the curve tests.

#include "curve_oracle.hpp"

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuzk/arith/scalar_mul.hpp>

namespace cuzk::arith::samples {

using Json = nlohmann::json;
using oracle::Int;

/// The object of one curve in curves.json.
template <class C>
const Json& known() {
  static const Json all = [] {
    std::ifstream file(CUZK_TEST_VECTORS "/arith/curves.json");
    if (!file) throw std::runtime_error("cannot open " CUZK_TEST_VECTORS "/arith/curves.json");
    return Json::parse(file);
  }();
  return all.at(std::string(C::kName));
}

inline Int integer(const Json& json) {
  if (json.is_number()) return Int(json.get<std::int64_t>());
  const auto text = json.get<std::string>();
  return text.starts_with('-') ? Int(-Int(text.substr(1))) : Int(text);
}

inline oracle::Element element(const Json& json) {
  if (json.is_array()) return {integer(json.at(0)), integer(json.at(1))};
  return {integer(json), 0};
}

template <class Base>
Base value(const Json& json) {
  return oracle::from_element<Base>(element(json));
}

template <class G>
Affine<G> point(const Json& json) {
  if (json.is_null()) return Affine<G>::infinity();
  return {value<typename G::Base>(json.at(0)), value<typename G::Base>(json.at(1))};
}

template <class F>
Fp12<F> fp12(const Json& json) {
  const auto half = [](const Json& h) { return Fp6<F>{value<Fp2<F>>(h[0]), value<Fp2<F>>(h[1]), value<Fp2<F>>(h[2])}; };
  return {half(json.at(0)), half(json.at(1))};
}

inline std::array<std::uint64_t, 4> scalar(const Json& json) { return oracle::to_array<4>(integer(json)); }

template <class G>
constexpr bool kIsG1 = std::is_same_v<typename G::Base, typename G::Curve::Fp>;

using Rng = std::mt19937_64;

inline Int random_below(const Int& bound, Rng& rng) {
  Int x = 0;
  for (std::size_t i = 0; i < msb(bound) / 64 + 2; ++i) x = (x << 64) | rng();
  return x % bound;
}

/// Field, Fp2, Fp6 or Fp12, uniform.
template <class Base>
Base random(Rng& rng) {
  if constexpr (requires { Base::kLimbs; }) {
    return Base::from_canonical(oracle::to_array<Base::kLimbs>(random_below(oracle::modulus_of<Base>(), rng)));
  } else {
    Base r;
    r.c0 = random<decltype(r.c0)>(rng);
    r.c1 = random<decltype(r.c1)>(rng);
    if constexpr (requires { r.c2; }) r.c2 = random<decltype(r.c2)>(rng);
    return r;
  }
}

/// A random multiple of the generator.
template <class G>
Affine<G> random_in_subgroup(Rng& rng) {
  return scalar_mul(G::generator(), random<typename G::Scalar>(rng)).to_affine();
}

/// A random point of the curve, almost surely outside the subgroup where there is a cofactor.
template <class G>
Affine<G> random_on_curve(Rng& rng) {
  for (;;) {
    const auto x = random<typename G::Base>(rng);
    if (const auto y = (x.square() * x + G::b()).sqrt()) return {x, *y};
  }
}

}  // namespace cuzk::arith::samples
