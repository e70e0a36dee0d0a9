#pragma once
/// Points of BLS12-381 in zcash's encoding: coordinates of 48 bytes, big-endian, plain integers; x before y, in Fp2 c1
/// before c0. The top three bits of the first byte are flags. Uncompressed points have none but that of infinity;
/// compressed ones are x and the sign of y.

#include "formats/bytes.hpp"

#include <array>
#include <optional>

#include <cuzk/arith/curves.hpp>

namespace cuzk::formats::zcash {

inline constexpr std::byte kCompressed{0x80}, kInfinity{0x40}, kLargest{0x20};

using Fp = arith::Bls12381::Fp;
using Fp2 = arith::Bls12381::Fp2;
template <class G>
using Affine = arith::Affine<G>;

template <class G>
inline constexpr size_t kPointBytes = sizeof(Affine<G>);  ///< uncompressed
template <class G>
inline constexpr size_t kCompressedBytes = sizeof(typename G::Base);

constexpr bool has(std::byte byte, std::byte flag) { return (byte & flag) != std::byte{0}; }

// A coordinate in the file and as limbs that hold the plain integer, unchecked.
inline void load_plain(const std::byte* at, Fp& value) {
  for (size_t i = 0; i < Fp::kLimbs; ++i) {
    value.limb[Fp::kLimbs - 1 - i] = __builtin_bswap64(load<uint64_t>(at + 8 * i));
  }
}
inline void load_plain(const std::byte* at, Fp2& value) {
  load_plain(at, value.c1);
  load_plain(at + sizeof(Fp), value.c0);
}

inline Fp to_montgomery(const Fp& plain) { return Fp::from_canonical(plain.limb); }
inline Fp2 to_montgomery(const Fp2& plain) { return {to_montgomery(plain.c0), to_montgomery(plain.c1)}; }

inline void store(const Fp& value, std::byte* at) {
  const auto plain = value.to_canonical();
  for (size_t i = 0; i < Fp::kLimbs; ++i) {
    const uint64_t word = __builtin_bswap64(plain[Fp::kLimbs - 1 - i]);
    std::memcpy(at + 8 * i, &word, sizeof word);
  }
}
inline void store(const Fp2& value, std::byte* at) {
  store(value.c1, at);
  store(value.c0, at + sizeof(Fp));
}

template <class G>
Affine<G> load_plain_point(const std::byte* at) {
  Affine<G> point;
  load_plain(at, point.x);
  load_plain(at + kCompressedBytes<G>, point.y);
  return point;
}

/// The same as formats::is_reduced(); the top limb decides nearly always.
inline bool is_below_prime(const Fp& plain) {
  constexpr size_t kTop = Fp::kLimbs - 1;
  return plain.limb[kTop] < Fp::modulus()[kTop] || Fp::is_reduced(plain.limb);
}
inline bool is_below_prime(const Fp2& plain) { return is_below_prime(plain.c0) && is_below_prime(plain.c1); }

// x^3 - y^2 of plain coordinates, times R^-2: taken for Montgomery forms they stand for x / R and y / R, and y is
// divided once more. Nothing is brought into Montgomery form first.
inline constexpr Fp kOverR = Fp::from_raw({1});
/// 2M + 1S and a product whose reduction is shared.
inline Fp curve_difference(const Fp& x, const Fp& y) { return difference_of_products(x.square(), x, y * kOverR, y); }
/// x^3 = x0 (x0^2 - 3 x1^2) + x1 (3 x0^2 - x1^2) u, y^2 = (y0 + y1)(y0 - y1) + 2 y0 y1 u. 4M + 2S and two such
/// products.
inline Fp2 curve_difference(const Fp2& x, const Fp2& y) {
  const Fp x0 = x.c0.square(), x1 = x.c1.square();
  const Fp y0 = y.c0 * kOverR, y1 = y.c1 * kOverR;
  return {difference_of_products(x.c0, x0 - x1.doubled() - x1, y0 + y1, y.c0 - y.c1),
          difference_of_products(x.c1, x0.doubled() + x0 - x1, y0.doubled(), y.c1)};
}

/// y^2 = x^3 + b for coordinates as plain integers, below the prime.
template <class G>
bool on_curve_plain(const Affine<G>& plain) {
  static constexpr auto kMinusB = -(G::b() * (kOverR * kOverR * kOverR));
  return curve_difference(plain.x, plain.y) == kMinusB;
}

/// What is wrong with an uncompressed point of a key, which is on the curve and not infinity; null: nothing.
template <class G>
const char* fault_of(const std::byte* at) {
  if (has(at[0], kCompressed)) return "has the flag of a compressed point, expected an uncompressed one";
  if (has(at[0], kInfinity)) return "is the point at infinity";
  if (has(at[0], kLargest)) return "has the sign flag, which only compressed points have";
  const auto plain = load_plain_point<G>(at);
  if (!is_below_prime(plain.x) || !is_below_prime(plain.y)) {
    return "has a coordinate that is not below the base field's prime";
  }
  if (on_curve_plain(plain)) return nullptr;
  return plain.is_infinity() ? "is all zero, which encodes no point" : "is not on the curve";
}

/// An uncompressed point that has no fault. 2M in G1, 4M in G2.
template <class G>
Affine<G> decode(const std::byte* at) {
  const auto plain = load_plain_point<G>(at);
  return {to_montgomery(plain.x), to_montgomery(plain.y)};
}

/// Writes kPointBytes<G>. The point is not infinity.
template <class G>
void encode(const Affine<G>& point, std::byte* at) {
  store(point.x, at);
  store(point.y, at + kCompressedBytes<G>);
}

template <class G>
std::array<std::byte, kCompressedBytes<G>> compress(const Affine<G>& point) {
  std::array<std::byte, kCompressedBytes<G>> bytes{};
  store(point.x, bytes.data());
  bytes[0] |= kCompressed;
  if (point.is_infinity()) {
    bytes[0] |= kInfinity;
  } else if (point.y.is_lexicographically_largest()) {
    bytes[0] |= kLargest;
  }
  return bytes;
}

/// The point of a compressed encoding, on the curve; its subgroup is not checked. Infinity is refused.
/// fault: on failure, what is wrong.
template <class G>
std::optional<Affine<G>> decompress(std::array<std::byte, kCompressedBytes<G>> bytes, const char*& fault) {
  const auto refuse = [&](const char* what) {
    fault = what;
    return std::nullopt;
  };
  const bool largest = has(bytes[0], kLargest);
  if (!has(bytes[0], kCompressed)) return refuse("lacks the flag of a compressed point");
  if (has(bytes[0], kInfinity)) return refuse("is the point at infinity");
  bytes[0] &= ~(kCompressed | kLargest);
  typename G::Base x;
  load_plain(bytes.data(), x);
  if (!is_below_prime(x)) return refuse("has a coordinate that is not below the base field's prime");
  x = to_montgomery(x);
  const auto y = (x.square() * x + G::b()).sqrt();
  if (!y) return refuse("is not on the curve: no point has this x");
  return Affine<G>{x, y->is_lexicographically_largest() == largest ? *y : -*y};
}

}  // namespace cuzk::formats::zcash
