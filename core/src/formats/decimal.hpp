#pragma once
/// Decimal text of unsigned integers of N little-endian limbs.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <cuzk/arith/limbs.hpp>

namespace cuzk::formats {

/// Nothing unless the text is the one usual way to write an integer below 2^(64 N): digits only, no leading zeros.
template <size_t N>
std::optional<arith::LimbArray<N>> parse_decimal(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  arith::LimbArray<N> value{};
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    auto carry = static_cast<uint64_t>(c - '0');
    for (uint64_t& limb : value) limb = arith::limbs::mul_add(0, limb, 10, carry);
    if (carry != 0) return std::nullopt;
  }
  return value;
}

template <size_t N>
std::string to_decimal(arith::LimbArray<N> value) {
  std::string digits;
  do {
    uint64_t remainder = 0;
    for (size_t i = N; i-- > 0;) {
      const auto dividend = (static_cast<arith::limbs::u128>(remainder) << 64) | value[i];
      value[i] = static_cast<uint64_t>(dividend / 10);
      remainder = static_cast<uint64_t>(dividend % 10);
    }
    digits += static_cast<char>('0' + remainder);
  } while (!arith::limbs::is_zero(value));
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace cuzk::formats
