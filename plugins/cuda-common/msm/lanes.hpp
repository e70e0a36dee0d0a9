#pragma once
/// What the lanes of a warp do together. The host compiler gets warps of one lane.

#include "../field/carry.cuh"

#include <cstdint>

namespace cuzk::cuda {

#if defined(__CUDACC__)
constexpr unsigned kLanes = 32;
CUZK_DEVICE unsigned lane() { return threadIdx.x % kLanes; }
/// Bit l: what lane l says. All lanes of the warp call it.
CUZK_DEVICE uint32_t ballot(bool own) { return __ballot_sync(0xffffffffU, own); }
CUZK_DEVICE unsigned count_ones(uint64_t word) { return static_cast<unsigned>(__popcll(word)); }
/// Bits up to the highest that is set.
CUZK_DEVICE unsigned bit_length(uint64_t word) { return 64U - static_cast<unsigned>(__clzll(word)); }
#else
constexpr unsigned kLanes = 1;
inline unsigned lane() { return 0; }
inline uint32_t ballot(bool own) { return own ? 1 : 0; }
inline unsigned count_ones(uint64_t word) { return static_cast<unsigned>(__builtin_popcountll(word)); }
inline unsigned bit_length(uint64_t word) { return word == 0 ? 0 : 64U - static_cast<unsigned>(__builtin_clzll(word)); }
#endif

}  // namespace cuzk::cuda
