#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <cuzk/arith/limbs.hpp>

namespace cuzk::groth16 {

/// Fills `bytes` bytes at dst like getrandom(2): returns how many it wrote, or -1 with errno set.
using RandomSource = std::function<std::ptrdiff_t(void* dst, size_t bytes)>;

/// The operating system's generator, getrandom(2).
RandomSource system_random();

/// Fills dst with one call of the source. An interrupted call is made again; an error or a short answer is Error
/// internal: up to 256 bytes, getrandom(2) gives none.
void fill(const RandomSource&, std::span<std::byte> dst);

/// A stream that the seed determines on every platform: SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable
/// pseudorandom number generators", 2014) from state `seed`, outputs as little-endian words. Predictable, so INSECURE:
/// for comparisons only.
RandomSource insecure_random(uint64_t seed);

/// The seed of stream number `stream` of a seed: streams of one seed, and those of different seeds, have nothing to do
/// with each other. INSECURE like insecure_random().
uint64_t stream_seed(uint64_t seed, uint64_t stream);

/// Uniform in [0, modulus), canonical limbs: draws 32 bytes, clears the bits above the modulus's length and draws again
/// while the value is not below it. Errors of fill().
arith::LimbArray<4> random_scalar(const RandomSource&, const arith::LimbArray<4>& modulus);

}  // namespace cuzk::groth16
