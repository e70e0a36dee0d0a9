#pragma once
/// The bit-reversal permutation, in place.
///
/// Index = (high, middle, low) with high and low of kSideBits bits: the squares of the middles m and rev(m) change
/// places and are transposed, both through shared memory, so that memory is touched in runs of kSide elements. L.
/// Carter, K. S. Gatlin, "Towards an optimal bit-reversal permutation program" (1998).

#include "tile.cuh"

namespace cuzk::cuda::ntt {

inline constexpr uint32_t kSideBits = 4;
inline constexpr uint32_t kSide = 1U << kSideBits;
inline constexpr uint32_t kSquarePlane =
    kSide * (kSide + 1);  ///< units of one half of a square's elements, rows padded
inline constexpr size_t kPermuteBytes = 4 * size_t{kSquarePlane} * sizeof(Unit);

/// v of 2^log2_size elements, log2_size >= 2 kSideBits; middle < 2^(log2_size - 2 kSideBits). `shared`: kPermuteBytes.
CUZK_DEVICE void permute_squares(Lane lane, Unit* shared, Unit* v, uint32_t log2_size, uint32_t middle) {
  const uint32_t mirrored = reverse_bits(middle, log2_size - 2 * kSideBits);
  if (mirrored < middle) return;
  const uint32_t squares = mirrored == middle ? 1 : 2;
  const auto unit_of = [&](uint32_t of_middle, uint32_t row, uint32_t column, uint32_t half) -> Unit& {
    const size_t at = (size_t{row} << (log2_size - kSideBits)) + of_middle * kSide + column;
    return v[2 * at + half];
  };
  const auto place = [&](uint32_t square, uint32_t row, uint32_t column, uint32_t half) -> Unit& {
    return shared[(2 * square + half) * kSquarePlane + row * (kSide + 1) + column];
  };
  constexpr uint32_t kUnits = 2 * kSide * kSide;
  for (uint32_t i = lane.id; i < squares * kUnits; i += lane.count) {
    const uint32_t square = i / kUnits, row = i / (2 * kSide) % kSide, column = i / 2 % kSide, half = i % 2;
    lane.fetch(place(square, reverse_bits(column, kSideBits), reverse_bits(row, kSideBits), half),
               unit_of(square == 0 ? middle : mirrored, row, column, half));
  }
  lane.sync_fetched();
  for (uint32_t i = lane.id; i < squares * kUnits; i += lane.count) {
    const uint32_t square = i / kUnits, row = i / (2 * kSide) % kSide, column = i / 2 % kSide, half = i % 2;
    unit_of(square == 0 ? mirrored : middle, row, column, half) = place(square, row, column, half);
  }
}

/// The same for vectors too short for squares; one block does all.
CUZK_DEVICE void permute_short(Lane lane, Unit* v, uint32_t log2_size) {
  for (uint32_t i = lane.id; i < 2U << log2_size; i += lane.count) {
    const uint32_t from = i / 2, to = reverse_bits(from, log2_size), half = i % 2;
    if (to <= from) continue;
    const Unit kept = v[2 * to + half];
    v[2 * to + half] = v[2 * from + half];
    v[2 * from + half] = kept;
  }
}

}  // namespace cuzk::cuda::ntt
