#pragma once
/// How long scalars are. That bounds how many digits they have that are not zero, whatever width these are cut to, and
/// so how many entries they make: known to the host before any is made.

#include "digits.hpp"
#include "lanes.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace cuzk::cuda {

/// By the bits of the magnitude: class 0 has none, class 1 up to 3 (one digit at every width), class c up to
/// 16 (c - 1).
constexpr unsigned kLengthClasses = 18;

CUZK_DEVICE unsigned length_class(const uint64_t* magnitude) {
  for (unsigned i = kScalarLimbs; i-- > 0;) {
    if (magnitude[i] == 0) continue;
    const unsigned bits = 64 * i + bit_length(magnitude[i]);
    return bits <= 3 ? 1 : 1 + (bits + 15) / 16;
  }
  return 0;
}

/// Digits of `width` bits behind which a scalar of the class has only zeros. One of b bits has none from digit w >= 2
/// on if b <= w width - 2: with the offsets of the digits below, 2^(w width - 1) + 2^((w - 1) width - 1) + ..., it
/// stays under 2^(w width).
constexpr unsigned digits_of_class(unsigned length_class, unsigned width) {
  if (length_class == 0) return 0;
  const unsigned bits = length_class == 1 ? 3 : 16 * (length_class - 1);
  return bits < width ? 1 : (bits + 1) / width + 1;
}

/// Some windows that follow each other.
struct WindowRange {
  unsigned first, count;
};

/// Most entries that a scalar of each class makes in a range of windows.
struct EntryBound {
  uint32_t of_class[kLengthClasses];

  static constexpr EntryBound of(unsigned width, WindowRange windows) {
    EntryBound bound{};
    for (unsigned c = 0; c < kLengthClasses; ++c) {
      const unsigned digits = digits_of_class(c, width);
      const unsigned within = digits < windows.first ? 0 : digits - windows.first;
      bound.of_class[c] = within < windows.count ? within : windows.count;
    }
    return bound;
  }

  /// counts: scalars of each class.
  template <class Count>
  CUZK_DEVICE uint64_t sum(const Count* counts) const {
    uint64_t entries = 0;
    for (unsigned c = 0; c < kLengthClasses; ++c) entries += uint64_t{of_class[c]} * counts[c];
    return entries;
  }
};

/// Scalars of a query by class.
using Profile = std::array<uint64_t, kLengthClasses>;
/// Nothing is known of them.
constexpr Profile full_width(uint64_t scalars) {
  Profile profile{};
  profile.back() = scalars;
  return profile;
}
/// Of all blocks. counts: [blocks][kLengthClasses].
inline Profile profile_of(std::span<const uint16_t> counts) {
  Profile profile{};
  for (size_t i = 0; i < counts.size(); ++i) profile[i % kLengthClasses] += counts[i];
  return profile;
}

}  // namespace cuzk::cuda
