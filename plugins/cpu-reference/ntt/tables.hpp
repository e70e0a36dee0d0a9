#pragma once
/// Twiddle factors and coset powers of a domain, in bit-reversed order.

#include "../arena.hpp"
#include "../lanes.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <cuzk/sdk/ntt_domain.hpp>

namespace cuzk::cpu {

/// Lives in memory handed in; immutable once filled. rev_k(i): the low k bits of i, mirrored.
template <class Fr>
struct NttTables {
  /// Coset powers of larger domains are products of two factors, so that the tables stay in cache.
  static constexpr unsigned kMaxLog2Fine = 18;

  unsigned log2_size = 0;
  Fr shift{}, z_inverse{};
  std::span<Fr> roots;  ///< roots[i] = omega^rev(i), i < n/2, rev of log2_size - 1 bits
  std::span<Fr> fine;   ///< fine[i] = shift^(rev_f(i) 2^(log2_size - f)) / n, i < 2^f, f = min(log2_size, kMaxLog2Fine)
  std::span<Fr> coarse;       ///< coarse[i] = shift^rev(i), i < n / 2^f, rev of log2_size - f bits
  Fr size{}, size_inverse{};  ///< n and 1/n
  Fr unshift{};               ///< shift^(1-n)

  unsigned log2_fine() const { return log2_size < kMaxLog2Fine ? log2_size : kMaxLog2Fine; }

  static NttTables lay_out(Arena& arena, unsigned log2_size) {
    NttTables t;
    t.log2_size = log2_size;
    t.roots = arena.take<Fr>((uint64_t{1} << log2_size) / 2 + 1);
    t.fine = arena.take<Fr>(uint64_t{1} << t.log2_fine());
    t.coarse = arena.take<Fr>(uint64_t{1} << (log2_size - t.log2_fine()));
    return t;
  }

  /// n multiplications a table.
  void fill(const Parallel& parallel, const Fr& omega, const Fr& coset_shift, const Fr& vanishing_inverse) {
    shift = coset_shift;
    z_inverse = vanishing_inverse;
    size = Fr::from_u64(uint64_t{1} << log2_size);
    size_inverse = size.inverse();
    const unsigned f = log2_fine();
    fill_powers(parallel, roots.first((size_t{1} << log2_size) / 2), Fr::one(),
                [&](unsigned bit) { return sdk::repeated_square(omega, log2_size - 2 - bit); });
    fill_powers(parallel, fine, size_inverse,
                [&](unsigned bit) { return sdk::repeated_square(shift, log2_size - 1 - bit); });
    fill_powers(parallel, coarse, Fr::one(),
                [&](unsigned bit) { return sdk::repeated_square(shift, log2_size - f - 1 - bit); });
    // shift^(n-1) = product of shift^(2^i)
    Fr product = Fr::one();
    for (unsigned i = 0; i < log2_size; ++i) product *= sdk::repeated_square(shift, i);
    unshift = product.inverse();
  }

  /// shift^i / n for the coefficient i that stands at `position` in bit-reversed order.
  Fr coset_power(size_t position) const {
    const unsigned f = log2_fine();
    const size_t high = position >> f;
    const Fr& low = fine[position & (fine.size() - 1)];
    return high == 0 ? low : low * coarse[high];
  }

 private:
  /// table[0] = first, and with bit k set times factor(k): by doubling.
  template <class Factor>
  static void fill_powers(const Parallel& parallel, std::span<Fr> table, const Fr& first, Factor&& factor) {
    constexpr uint64_t kGrain = uint64_t{1} << 10;
    if (table.empty()) return;
    table[0] = first;
    for (size_t half = 1; half < table.size(); half *= 2) {
      const Fr step = factor(static_cast<unsigned>(std::countr_zero(half)));
      for_ranges(parallel, half, kGrain, [&](uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) table[half + i] = table[i] * step;
      });
    }
  }
};

}  // namespace cuzk::cpu
