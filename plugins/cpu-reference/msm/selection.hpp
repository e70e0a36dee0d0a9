#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cuzk::cpu {

/// The scalars of a query: all of a range, or those whose bit is set in a mask (u64 words, LSB first, any alignment).
/// Positions count from the start of the range.
class Selection {
 public:
  Selection() = default;
  Selection(const void* mask, uint64_t span) : mask_(static_cast<const std::byte*>(mask)), span_(span) {}

  /// Selected positions of the whole range.
  uint64_t count() const {
    if (mask_ == nullptr) return span_;
    uint64_t total = 0;
    for (uint64_t at = 0; at < span_; at += 64) total += static_cast<uint64_t>(std::popcount(word(at)));
    return total;
  }

  bool contains(uint64_t position) const { return mask_ == nullptr || ((word(position) >> (position % 64)) & 1) != 0; }

  /// The first selected position that is not below `position`; there must be one.
  uint64_t next(uint64_t position) const {
    if (mask_ == nullptr) return position;
    uint64_t bits = word(position) >> (position % 64) << (position % 64);
    while (bits == 0) {
      position = (position / 64 + 1) * 64;
      bits = word(position);
    }
    return position / 64 * 64 + static_cast<uint64_t>(std::countr_zero(bits));
  }

  /// Right behind the n-th selected position that is not below `position`; there must be so many.
  uint64_t skip(uint64_t position, uint64_t n) const {
    if (mask_ == nullptr || n == 0) return position + n;
    for (;;) {
      uint64_t bits = word(position) >> (position % 64) << (position % 64);
      const auto set = static_cast<uint64_t>(std::popcount(bits));
      if (set >= n) {
        for (; n > 1; --n) bits &= bits - 1;
        return position / 64 * 64 + static_cast<uint64_t>(std::countr_zero(bits)) + 1;
      }
      n -= set;
      position = (position / 64 + 1) * 64;
    }
  }

 private:
  /// The word that holds `position`, without what lies behind the range.
  uint64_t word(uint64_t position) const {
    uint64_t bits;
    std::memcpy(&bits, mask_ + position / 64 * 8, sizeof(bits));
    const uint64_t left = span_ - position / 64 * 64;
    return left < 64 ? bits & ((uint64_t{1} << left) - 1) : bits;
  }

  const std::byte* mask_ = nullptr;
  uint64_t span_ = 0;
};

}  // namespace cuzk::cpu
