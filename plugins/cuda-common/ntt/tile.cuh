#pragma once
/// What one thread block does to one tile. A block is a number of lanes that meet in sync(); one lane alone, as in
/// tests without a device, does the same.

#include "../field/field.cuh"
#include "index.hpp"

#include <cstddef>
#include <cstdint>
#if defined(__CUDACC__)
#include <cuda_pipeline_primitives.h>
#else
#include <barrier>
#endif

namespace cuzk::cuda::ntt {

/// Half an element of Fr: what a lane moves at a time between memories, so that neighbouring lanes touch neighbouring
/// 16 bytes.
#if defined(__CUDACC__)
using Unit = uint4;
#else
struct alignas(16) [[gnu::may_alias]] Unit {
  uint32_t x, y, z, w;
};
#endif

struct Lane {
  uint32_t id, count;
#if !defined(__CUDACC__)
  std::barrier<>* meeting = nullptr;
#endif

  CUZK_DEVICE void sync() const {
#if defined(__CUDACC__)
    __syncthreads();
#else
    if (meeting != nullptr) meeting->arrive_and_wait();
#endif
  }
  /// From global to shared memory, there after sync_fetched(): all of a lane's fetches are under way at once and take
  /// no registers.
  CUZK_DEVICE void fetch(Unit& to, const Unit& from) const {
#if defined(__CUDACC__)
    __pipeline_memcpy_async(&to, &from, sizeof(Unit));
#else
    to = from;
#endif
  }
  CUZK_DEVICE void sync_fetched() const {
#if defined(__CUDACC__)
    __pipeline_commit();
    __pipeline_wait_prior(0);
#endif
    sync();
  }
};

/// Elements in shared memory, in two planes of low and high halves.
template <class F>
struct Tile {
  static_assert(F::kWords == 8);

  Unit* units;
  uint32_t plane;  ///< distance of the planes: 4 modulo 8 keeps the halves of four neighbours in different banks

  static constexpr CUZK_HOST_DEVICE uint32_t plane_of(uint32_t log2_tile) { return (1U << log2_tile) + 4; }
  static constexpr CUZK_HOST_DEVICE size_t bytes(uint32_t log2_tile) {
    return 2 * size_t{plane_of(log2_tile)} * sizeof(Unit);
  }

  CUZK_DEVICE Unit& unit(uint32_t i, uint32_t half) const { return units[half * plane + swizzle(i)]; }
  CUZK_DEVICE F read(uint32_t i) const {
    const Unit low = unit(i, 0), high = unit(i, 1);
    return {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
  }
  CUZK_DEVICE void write(uint32_t i, const F& value) const {
    const auto& limb = value.limb;
    unit(i, 0) = Unit{limb[0], limb[1], limb[2], limb[3]};
    unit(i, 1) = Unit{limb[4], limb[5], limb[6], limb[7]};
  }
};

/// The factors. kFull: one table; else products of two factors.
template <class F, bool kFull>
struct Roots {
  const F* fine;
  const F* coarse;
  uint32_t log2_fine;

  CUZK_DEVICE F at(uint32_t b) const {
    if constexpr (kFull) {
      return load_constant(fine + b);
    } else {
      F w = load_constant(fine + (b & ((1U << log2_fine) - 1)));
      if (const uint32_t high = b >> log2_fine; high != 0) w *= load_constant(coarse + high);
      return w;
    }
  }
};

/// What the value at a position of the vector is multiplied by between the way down and the way up: powers[position ^
/// flip] as two factors; without fine ones the first coarse one; without coarse ones nothing.
template <class F>
struct Scale {
  const F* fine;
  const F* coarse;
  uint32_t log2_fine, flip;

  CUZK_DEVICE F apply(const F& value, uint32_t position) const {
    if (fine == nullptr) return value * load_constant(coarse);
    const uint32_t at = position ^ flip;
    return value * load_constant(fine + (at & ((1U << log2_fine) - 1))) * load_constant(coarse + (at >> log2_fine));
  }
};

/// The tile's rounds on shared memory. `block`: of the pass's first level.
template <class F, bool kFull>
struct Rounds {
  Lane lane;
  Tile<F> tile;
  Pass pass;
  uint32_t block;
  Roots<F, kFull> roots;

  /// Down, level l, with the inverse factors.
  CUZK_DEVICE void down_pairs(uint32_t l) const {
    for (uint32_t g = lane.id; g < 1U << (pass.log2_tile() - 1); g += lane.count) {
      const Places at = pass.pair(l, g);
      const uint32_t b = (block << l) + at.block;
      const F u = tile.read(at.first);
      const F v = minus_inverse(b, tile.read(at.first + at.step));
      tile.write(at.first, u - v);
      tile.write(at.first + at.step, u + v);
    }
    lane.sync();
  }
  /// Down, levels l and l + 1.
  CUZK_DEVICE void down_quads(uint32_t l) const {
    for (uint32_t g = lane.id; g < 1U << (pass.log2_tile() - 2); g += lane.count) {
      const Places at = pass.quad(l, g);
      const uint32_t b = (block << l) + at.block;
      F x0 = tile.read(at.first), x1 = tile.read(at.first + at.step);
      F x2 = tile.read(at.first + 2 * at.step), x3 = tile.read(at.first + 3 * at.step);
      if (b == 0) {
        x2 = -x2;
        x3 = -x3;
      } else {
        const F w = roots.at(mirror(b));
        x2 *= w;
        x3 *= w;
      }
      const F y0 = x0 - x2, y1 = minus_inverse(2 * b, x1 - x3);
      const F y2 = x0 + x2, y3 = minus_inverse(2 * b + 1, x1 + x3);
      tile.write(at.first, y0 - y1);
      tile.write(at.first + at.step, y0 + y1);
      tile.write(at.first + 2 * at.step, y2 - y3);
      tile.write(at.first + 3 * at.step, y2 + y3);
    }
    lane.sync();
  }
  /// Up, level l, with the factors.
  CUZK_DEVICE void up_pairs(uint32_t l) const {
    for (uint32_t g = lane.id; g < 1U << (pass.log2_tile() - 1); g += lane.count) {
      const Places at = pass.pair(l, g);
      const uint32_t b = (block << l) + at.block;
      const F u = tile.read(at.first), v = tile.read(at.first + at.step);
      tile.write(at.first, u + v);
      tile.write(at.first + at.step, times_factor(b, u - v));
    }
    lane.sync();
  }
  /// Up, levels l + 1 and l.
  CUZK_DEVICE void up_quads(uint32_t l) const {
    for (uint32_t g = lane.id; g < 1U << (pass.log2_tile() - 2); g += lane.count) {
      const Places at = pass.quad(l, g);
      const uint32_t b = (block << l) + at.block;
      const F x0 = tile.read(at.first), x1 = tile.read(at.first + at.step);
      const F x2 = tile.read(at.first + 2 * at.step), x3 = tile.read(at.first + 3 * at.step);
      const F y0 = x0 + x1, y1 = times_factor(2 * b, x0 - x1);
      const F y2 = x2 + x3, y3 = times_factor(2 * b + 1, x2 - x3);
      F low = y0 - y2, high = y1 - y3;
      if (b != 0) {
        const F w = roots.at(b);
        low *= w;
        high *= w;
      }
      tile.write(at.first, y0 + y2);
      tile.write(at.first + at.step, y1 + y3);
      tile.write(at.first + 2 * at.step, low);
      tile.write(at.first + 3 * at.step, high);
    }
    lane.sync();
  }

 private:
  /// x times factor b, which is 1 for block 0: n - 1 multiplications less in a transform.
  CUZK_DEVICE F times_factor(uint32_t b, const F& x) const { return b == 0 ? x : x * roots.at(b); }
  /// -x / factor b.
  CUZK_DEVICE F minus_inverse(uint32_t b, const F& x) const { return b == 0 ? -x : x * roots.at(mirror(b)); }
};

/// One tile of a pass over v: read, down, scale, up, written back. Odd numbers of levels have their first one alone.
template <bool kDown, bool kUp, class F, bool kFull>
CUZK_DEVICE void run_tile(Lane lane, Unit* shared, Unit* v, const Pass& pass, uint32_t index,
                          const Roots<F, kFull>& roots, const Scale<F>& scale) {
  const Tile<F> tile{shared, Tile<F>::plane_of(pass.log2_tile())};
  const uint32_t size = 1U << pass.log2_tile();
  for (uint32_t i = lane.id; i < 2 * size; i += lane.count) {
    lane.fetch(tile.unit(i / 2, i % 2), v[2 * size_t{pass.position(index, i / 2)} + i % 2]);
  }
  lane.sync_fetched();
  const Rounds<F, kFull> rounds{lane, tile, pass, pass.block(index), roots};
  const uint32_t alone = pass.levels % 2;
  if constexpr (kDown) {
    if (alone != 0) rounds.down_pairs(0);
    CUZK_NO_UNROLL
    for (uint32_t l = alone; l < pass.levels; l += 2) rounds.down_quads(l);
  }
  if (scale.coarse != nullptr) {
    for (uint32_t i = lane.id; i < size; i += lane.count) {
      tile.write(i, scale.apply(tile.read(i), pass.position(index, i)));
    }
    lane.sync();
  }
  if constexpr (kUp) {
    CUZK_NO_UNROLL
    for (uint32_t l = pass.levels; l > alone;) {
      l -= 2;
      rounds.up_quads(l);
    }
    if (alone != 0) rounds.up_pairs(0);
  }
  for (uint32_t i = lane.id; i < 2 * size; i += lane.count) {
    v[2 * size_t{pass.position(index, i / 2)} + i % 2] = tile.unit(i / 2, i % 2);
  }
}

}  // namespace cuzk::cuda::ntt
