#pragma once
/// Known answers: hexadecimal plain integers, Fp2 as [c0, c1], points as [x, y] or null.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include <cuzk/arith/curves.hpp>

namespace cuzk::conformance {

/// From share/cuzk/conformance, beside the program's own folder.
inline nlohmann::json load_vectors(const char* file) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return nlohmann::json::parse(std::ifstream(program.parent_path().parent_path() / "share/cuzk/conformance" / file));
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
