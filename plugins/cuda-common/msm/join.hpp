#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace cuzk::cuda {

/// out = sum of 2^(width w) sums[w] over w < windows, by Horner's rule: one affine point in the form of the bases.
/// sums: as many Xyzz of that curve and group, at any alignment. On the calling thread.
void join_windows(uint32_t curve, uint32_t group, std::span<const std::byte> sums, unsigned windows, unsigned width,
                  void* out);

}  // namespace cuzk::cuda
