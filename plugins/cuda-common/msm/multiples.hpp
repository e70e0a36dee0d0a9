#pragma once
/// How many multiples of one point are made, and what memory that takes. Host code; no device is touched.
///
/// A table holds d 2^(b w) P for all windows w of b bits and 1 <= d <= 2^(b-1), so that a multiple is one mixed
/// addition a window and no doubling (E. Brickell, D. Gordon, K. McCurley, D. Wilson, "Fast exponentiation with
/// precomputation", 1992, with signed digits). Its entries are multiples of P themselves: the same kernels make them
/// from a small table of 4-bit windows, which the host makes.

#include "digits.hpp"
#include "plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// The cut of one call.
struct MultiplesShape {
  static constexpr unsigned kBaseWidth = 4;  ///< of the host's table
  static constexpr unsigned kMaxWidth = 14;  ///< tables up to here stay in the L2 cache
  static constexpr uint64_t kMost = uint64_t{1} << 30;

  uint32_t curve, group;
  unsigned width;  ///< bits of a digit
  uint64_t count;  ///< scalars

  uint64_t base_entries() const { return entries(kBaseWidth); }
  /// Of the table of `width`; 0: the host's table serves.
  uint64_t table_entries() const { return width == kBaseWidth ? 0 : entries(width); }

  /// The shape for so many scalars under a plan that plan_multiples() answered. Error bad argument.
  static MultiplesShape from(const cuzk_plan& plan, uint32_t curve, uint32_t group, uint64_t count);

 private:
  uint64_t entries(unsigned bits) const { return uint64_t{scalar_bits(curve) / bits + 1} << (bits - 1); }
};

/// The parts of a call's workspace.
struct MultiplesWorkspace {
  void* base_table;    ///< [base_entries], affine
  void* table;         ///< [table_entries], affine
  void *zzz, *before;  ///< coordinates, one each for the most points made at once
  uint64_t bytes;

  static MultiplesWorkspace lay_out(void* base, const MultiplesShape& shape);
};

/// The cheapest plan within the limit, else the least.
cuzk_plan plan_multiples(uint32_t curve, uint32_t group, uint64_t count, uint64_t limit);

/// The table of 4-bit windows for an affine point, [windows][8] affine points.
std::vector<std::byte> base_table(uint32_t curve, uint32_t group, const void* point);

}  // namespace cuzk::cuda
