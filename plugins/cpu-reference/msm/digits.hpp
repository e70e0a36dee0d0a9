#pragma once
/// Scalars as signed digits.

#include <array>
#include <cstddef>
#include <cstdint>

#include <cuzk/arith/field.hpp>

namespace cuzk::cpu {

/// A scalar as +-magnitude with magnitude <= (r - 1) / 2: one bit shorter, and r - 1 becomes as cheap as 1.
template <class Fr>
struct CenteredScalar {
  typename Fr::Limbs magnitude;
  bool negative;

  /// Any 256-bit plain integer; reduced modulo r.
  static CenteredScalar from(typename Fr::Limbs s) {
    namespace limbs = arith::limbs;
    while (!Fr::is_reduced(s)) limbs::sub(s, s, Fr::modulus());
    const bool negative = limbs::less(Fr::Constants::kHalf, s);
    if (negative) limbs::sub(s, Fr::modulus(), s);
    return {s, negative};
  }
};

/// Cuts centered scalars into digits of `width` bits, each in [-2^(width-1), 2^(width-1)]: half the buckets of unsigned
/// digits. With K = sum of 2^(width-1) at every digit but the top one, the digits of s are those of s + K, each less
/// 2^(width-1): no carry runs from one to the next.
template <class Fr>
class Recoding {
 public:
  static constexpr unsigned kBits = Fr::kBits - 1;  ///< length of a centered scalar
  static constexpr unsigned kMinWidth = 3, kMaxWidth = 16;
  static_assert(Fr::kLimbs == 4 && kBits < 255, "s + K must fit four limbs with a sign");
  static_assert(kBits % kMaxWidth < kMaxWidth - 1, "the top digit must fit int16_t");

  /// The top digit has at most width - 1 bits, so that what the lower ones carry into it still fits.
  static constexpr unsigned windows(unsigned width) { return kBits / width + 1; }
  static constexpr size_t buckets(unsigned width) { return size_t{1} << (width - 1); }

  explicit Recoding(unsigned width) : width_(width), windows_(windows(width)) {
    for (unsigned w = 0; w + 1 < windows_; ++w) {
      const unsigned bit = w * width + width - 1;
      offset_[bit / 64] |= uint64_t{1} << (bit % 64);
    }
  }

  /// digits[w * stride] for every window w; only those that are not zero are written.
  void operator()(const CenteredScalar<Fr>& scalar, int16_t* digits, size_t stride) const {
    const auto& s = scalar.magnitude;
    const int64_t half = int64_t{1} << (width_ - 1);
    if ((s[1] | s[2] | s[3]) == 0 && s[0] < static_cast<uint64_t>(half)) {
      const auto digit = static_cast<int16_t>(s[0]);
      if (digit != 0) *digits = static_cast<int16_t>(scalar.negative ? -digit : digit);
      return;
    }
    typename Fr::Limbs sum;  // in two's complement
    if (scalar.negative) {
      arith::limbs::sub(sum, offset_, s);
    } else {
      arith::limbs::add(sum, offset_, s);
    }
    const std::array<uint64_t, 5> t{sum[0], sum[1], sum[2], sum[3], ~(sum[3] >> 63) + 1};
    const uint64_t mask = (uint64_t{1} << width_) - 1;
    for (unsigned w = 0; w < windows_; ++w, digits += stride) {
      const unsigned bit = w * width_, limb = bit / 64, shift = bit % 64;
      const uint64_t bits = (t[limb] >> shift) | ((t[limb + 1] << 1) << (63 - shift));
      const int64_t digit = w + 1 < windows_ ? static_cast<int64_t>(bits & mask) - half : static_cast<int64_t>(bits);
      if (digit != 0) *digits = static_cast<int16_t>(digit);
    }
  }

 private:
  unsigned width_, windows_;
  typename Fr::Limbs offset_{};
};

}  // namespace cuzk::cpu
