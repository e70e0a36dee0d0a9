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

/// Where the digits of a scalar stand, see Recoding: digit d is that of window d % windows and table d / windows.
struct Places {
  unsigned bits;     ///< of the longest magnitude
  unsigned width;    ///< most bits of a digit
  unsigned stride;   ///< bits of the digits that meet one table
  unsigned windows;  ///< digits that meet one table
  unsigned digits;

  /// stride 0: one table.
  static constexpr Places of(unsigned bits, unsigned width, unsigned stride) {
    Places places{bits, width, stride, 0, 0};
    if (stride == 0) places.stride = (bits / width + 1) * width;
    places.windows = (places.stride + width - 1) / width;
    while (places.end(places.digits) <= bits) ++places.digits;
    ++places.digits;
    return places;
  }
  constexpr unsigned tables() const { return (digits - 1) / windows + 1; }
  constexpr unsigned begin(unsigned digit) const { return digit / windows * stride + digit % windows * width; }
  constexpr unsigned end(unsigned digit) const {
    const unsigned start = digit % windows * width, next = start + width;
    return digit / windows * stride + (next < stride ? next : stride);
  }

  /// The first digit from which on a scalar of the class has only zeros. A magnitude of b bits has none from digit 1 on
  /// if b < begin(1), the offset of digit 0 being 2^(begin(1) - 1); none from a later one on if b <= begin - 3, as the
  /// offsets of those below are under 2^(begin - 1) + 2^(begin - 2) + 2^(begin - 3).
  constexpr unsigned reached(unsigned length_class) const {
    if (length_class == 0) return 0;
    const unsigned longest = length_class == 1 ? 3 : 16 * (length_class - 1);
    if (longest < begin(1)) return 1;
    unsigned low = 1, high = digits;  // begin(low) < longest + 3 <= begin(high), or there is no `high`
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      (begin(middle) < longest + 3 ? low : high) = middle;
    }
    return high;
  }
};

/// Some windows that follow each other.
struct WindowRange {
  unsigned first, count;
};

/// Most entries that a scalar of each class makes in a range of windows, with all tables.
struct EntryBound {
  uint32_t of_class[kLengthClasses];

  static constexpr EntryBound of(const Places& places, WindowRange windows) {
    EntryBound bound{};
    for (unsigned c = 0; c < kLengthClasses; ++c) {
      const unsigned digits = places.reached(c);
      for (unsigned first = windows.first; first < digits; first += places.windows) {
        const unsigned left = digits - first;
        bound.of_class[c] += left < windows.count ? left : windows.count;
      }
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
/// Of all blocks. totals: [kLengthClasses].
inline Profile profile_of(std::span<const uint32_t> totals) {
  Profile profile{};
  for (size_t c = 0; c < totals.size(); ++c) profile[c] = totals[c];
  return profile;
}

}  // namespace cuzk::cuda
