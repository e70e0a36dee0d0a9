#pragma once
/// The tables a transform reads: where they lie in the resident memory and what they hold. Filled by doubling, on the
/// device.

#include <array>
#include <cstdint>
#include <utility>

#include <cuzk/sdk/ntt_domain.hpp>

namespace cuzk::cuda::ntt {

/// Offsets and sizes in elements. rev_k: the low k bits, mirrored; n = 2^log2_size.
///   roots   omega^rev(b), b < n/2, rev of log2(n) - 1 bits: as one table where log2_fine_roots is log2(n) - 1, else as
///           products of two factors: fine for the low bits of b, coarse for those above.
///   powers  shift^rev(j), j < n, rev of log2(n) bits, always as two factors. The coarse ones stand there thrice: as
///           they are, times 1/n, times shift^(1-n) / n.
struct TableLayout {
  uint32_t log2_size, log2_fine_roots;

  /// The fastest tables, n/2 values.
  static constexpr TableLayout full(uint32_t log2_size) { return {log2_size, log2_roots(log2_size)}; }
  /// The smallest: a multiplication more for most butterflies.
  static constexpr TableLayout least(uint32_t log2_size) { return {log2_size, (log2_roots(log2_size) + 1) / 2}; }

  static constexpr uint32_t log2_roots(uint32_t log2_size) { return log2_size == 0 ? 0 : log2_size - 1; }
  constexpr bool is_full() const { return log2_fine_roots == log2_roots(log2_size); }
  constexpr uint32_t log2_coarse_roots() const { return log2_roots(log2_size) - log2_fine_roots; }
  constexpr uint32_t log2_fine_powers() const { return (log2_size + 1) / 2; }
  constexpr uint32_t log2_coarse_powers() const { return log2_size - log2_fine_powers(); }

  constexpr uint64_t fine_roots() const { return 0; }
  constexpr uint64_t coarse_roots() const { return uint64_t{1} << log2_fine_roots; }
  constexpr uint64_t fine_powers() const { return coarse_roots() + (uint64_t{1} << log2_coarse_roots()); }
  constexpr uint64_t coarse_powers() const { return fine_powers() + (uint64_t{1} << log2_fine_powers()); }
  constexpr uint64_t scaled_powers() const { return coarse_powers() + (uint64_t{1} << log2_coarse_powers()); }
  constexpr uint64_t unshift_powers() const { return scaled_powers() + (uint64_t{1} << log2_coarse_powers()); }
  constexpr uint64_t elements() const { return unshift_powers() + (uint64_t{1} << log2_coarse_powers()); }
};

/// Calls begin(offset, first) and then double_up(offset, half, step), table[half + i] = table[i] * step for i < half,
/// for every table. Fr is the host's field.
template <class Fr, class Begin, class DoubleUp>
void fill_tables(const TableLayout& layout, const Fr& omega, const Fr& shift, Begin&& begin, DoubleUp&& double_up) {
  // Bit k of a table's index stands for base^(2^(bits - 1 - k)).
  const auto fill = [&](uint64_t offset, uint32_t log2_count, const Fr& first, const Fr& base, uint32_t bits) {
    begin(offset, first);
    for (uint32_t k = 0; k < log2_count; ++k) {
      double_up(offset, uint32_t{1} << k, sdk::repeated_square(base, bits - 1 - k));
    }
  };
  const uint32_t log2_size = layout.log2_size;
  const uint32_t coarse_roots = layout.log2_coarse_roots(), coarse_powers = layout.log2_coarse_powers();
  fill(layout.fine_roots(), layout.log2_fine_roots, Fr::one(), omega, layout.log2_roots(log2_size));
  fill(layout.coarse_roots(), coarse_roots, Fr::one(), omega, coarse_roots);
  fill(layout.fine_powers(), layout.log2_fine_powers(), Fr::one(), shift, log2_size);

  const Fr scale = Fr::from_u64(uint64_t{1} << log2_size).inverse();
  Fr wrap = Fr::one();  // shift^(n-1), the product of shift^(2^i)
  for (uint32_t i = 0; i < log2_size; ++i) wrap *= sdk::repeated_square(shift, i);
  const std::array<std::pair<uint64_t, Fr>, 3> coarse{{{layout.coarse_powers(), Fr::one()},
                                                       {layout.scaled_powers(), scale},
                                                       {layout.unshift_powers(), scale * wrap.inverse()}}};
  for (const auto& [offset, first] : coarse) {
    fill(offset, coarse_powers, first, shift, coarse_powers);
  }
}

}  // namespace cuzk::cuda::ntt
