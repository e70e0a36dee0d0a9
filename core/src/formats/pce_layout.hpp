#pragma once
/// A PCE file, little-endian and packed: the header, then for A, B and C {u64 count, u32 row pointers}, {u64 count, u32
/// columns}, {u64 count, values of 32 bytes}, then the densities of A over the auxiliary variables, of B over the
/// inputs and of B over the auxiliary variables, each {u64 count, u64 words, u64 bits, u64 set bits}.
/// Header: magic, u32 version, u32 inputs, u32 auxiliary variables, u32 rows, u64 entries of all matrices, u32 zero.

#include <atomic>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cuzk::formats::pce {

inline constexpr std::string_view kMagic = "PCE\x02";
inline constexpr uint32_t kVersion = 2;
inline constexpr uint64_t kHeaderBytes = 32, kValueBytes = 32;
inline constexpr std::string_view kMatrixNames[] = {"matrix A", "matrix B", "matrix C"};

constexpr uint64_t words_for(uint64_t bits) { return (bits + 63) / 64; }

/// Sets a bit from any thread.
inline void set_bit(std::vector<uint64_t>& words, uint64_t i) {
  const std::atomic_ref<uint64_t> word(words[i / 64]);
  const uint64_t bit = uint64_t{1} << (i % 64);
  if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

/// Bits [first, first + count), count <= 64, which the words have.
inline uint64_t bits_at(const std::vector<uint64_t>& words, uint64_t first, uint64_t count) {
  if (count == 0) return 0;
  const uint64_t shift = first % 64;
  uint64_t bits = words[first / 64] >> shift;
  if (shift + count > 64) bits |= words[first / 64 + 1] << (64 - shift);
  return bits & (~uint64_t{0} >> (64 - count));
}

/// One density, a range of a mask over all variables.
struct DensityRange {
  std::string_view name;
  const std::vector<uint64_t>& mask;
  uint64_t first, bits;

  uint64_t words() const { return words_for(bits); }
  uint64_t word(uint64_t i) const { return bits_at(mask, first + 64 * i, bits - 64 * i < 64 ? bits - 64 * i : 64); }
  uint64_t ones() const {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < words(); ++i) sum += static_cast<uint64_t>(std::popcount(word(i)));
    return sum;
  }
};

}  // namespace cuzk::formats::pce
