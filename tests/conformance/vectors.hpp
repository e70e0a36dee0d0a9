#pragma once
/// Known answers: hexadecimal plain integers, Fp2 as [c0, c1], points as [x, y] or null.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include <cuzk/arith/curves.hpp>

namespace cuzk::conformance {

inline nlohmann::json load_vectors(const char* file) {
  return nlohmann::json::parse(std::ifstream(std::string(CUZK_TEST_VECTORS "/conformance/") + file));
}

template <class F>
struct Parse {
  static F from(const nlohmann::json& text) { return arith::from_hex<F>(text.get<std::string>().substr(2)); }
};
template <class F>
struct Parse<arith::Fp2<F>> {
  static arith::Fp2<F> from(const nlohmann::json& pair) { return {Parse<F>::from(pair[0]), Parse<F>::from(pair[1])}; }
};

template <class G>
arith::Affine<G> parse_point(const nlohmann::json& point) {
  using Base = typename G::Base;
  if (point.is_null()) return arith::Affine<G>::infinity();
  return {Parse<Base>::from(point[0]), Parse<Base>::from(point[1])};
}

}  // namespace cuzk::conformance
