#pragma once
/// Counting sort of a piece's digits by bucket. Buckets are numbered through: window by window, |digit| - 1 within.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace cuzk::cpu {

/// A point of the current piece and its sign.
struct Entry {
  static constexpr uint32_t kNegative = uint32_t{1} << 31;

  uint32_t bits;

  uint32_t index() const { return bits & ~kNegative; }
  bool negative() const { return (bits & kNegative) != 0; }
};

/// Calls visit(i, digit) for each digit that is not zero; skips zeros by fours, since most digits of real witnesses are
/// zero. Digits behind the last, up to the next multiple of four, must be readable and zero.
template <class Visit>
void for_digits(std::span<const int16_t> digits, Visit&& visit) {
  for (size_t i = 0; i < digits.size(); i += 4) {
    uint64_t four;
    std::memcpy(&four, digits.data() + i, sizeof(four));
    if (four == 0) continue;
    for (size_t j = i; j < i + 4; ++j) {
      const int digit = digits.data()[j];
      if (digit != 0) visit(static_cast<uint32_t>(j), digit);
    }
  }
}

/// sizes[b] becomes the number of digits of magnitude b + 1. @return their sum
inline uint32_t count_digits(std::span<const int16_t> digits, std::span<uint32_t> sizes) {
  std::memset(sizes.data(), 0, sizes.size_bytes());
  uint32_t total = 0;
  for_digits(digits, [&](uint32_t, int digit) {
    ++sizes[static_cast<size_t>(digit < 0 ? -digit : digit) - 1];
    ++total;
  });
  return total;
}

/// Places the window's entries at entries[begin] and on, ordered by bucket. `sizes`, from count_digits(), becomes the
/// end of each bucket's entries.
inline void place_entries(std::span<const int16_t> digits, uint32_t begin, std::span<uint32_t> sizes,
                          std::span<Entry> entries) {
  for (uint32_t& size : sizes) {
    const uint32_t next = begin + size;
    size = begin;  // moves up to the bucket's end while its entries are placed
    begin = next;
  }
  for_digits(digits, [&](uint32_t i, int digit) {
    const bool negative = digit < 0;
    entries[sizes[static_cast<size_t>(negative ? -digit : digit) - 1]++] = {i | (negative ? Entry::kNegative : 0)};
  });
}

}  // namespace cuzk::cpu
