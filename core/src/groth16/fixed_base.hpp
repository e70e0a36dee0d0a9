#pragma once
/// Many multiples of one point.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <cuzk/arith/batch_affine.hpp>
#include <cuzk/arith/limbs.hpp>
#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk::groth16 {

/// A table of d 2^(b w) P for all windows w of b bits and 1 <= d <= 2^(b-1) (E. Brickell, D. Gordon, K. McCurley, D.
/// Wilson, "Fast exponentiation with precomputation", 1992, with signed digits): a multiple costs one affine addition a
/// window, and blocks of multiples share the inversions, 5M + 1S an addition. No doublings. Immutable once made.
template <class G>
class FixedBase {
 public:
  using Point = arith::Affine<G>;
  using Fr = typename G::Scalar;

  /// count: how many multiples will be made of it, which decides how large a table is worth its making: at most some
  /// 30 MiB. point: in the subgroup.
  FixedBase(CpuPool& pool, const Point& point, uint64_t count) : pool_(pool), bits_(best_bits(count)) {
    table_.resize(windows() * half());
    std::vector<arith::Xyzz<G>> powers{arith::Xyzz<G>::from_affine(point)};  // 2^(b w) P
    while (powers.size() < windows()) {
      arith::Xyzz<G> power = powers.back();
      for (uint32_t bit = 0; bit < bits_; ++bit) power = power.doubled();
      powers.push_back(power);
    }
    std::vector<Point> firsts(powers.size());
    arith::batch_to_affine<G>(powers, firsts);
    for (size_t w = 0; w < windows(); ++w) set_bit(offset_, bits_ * w + bits_ - 1);
    pool.parallel(windows(), [&](uint64_t w) { fill_row(w, firsts[w]); });
  }

  /// out[i] = scalar(i) P, infinity for zero. fill(first, values) gives values[i] = scalar(first + i); it is called on
  /// any thread for blocks of at most kBlock. Error cancelled between blocks, as the pool says.
  template <class Fill>
  void multiply(std::span<Point> out, const Fill& fill) const {
    pool_.ranges(out.size(), kBlock, [&](uint64_t begin, uint64_t end) {
      Scratch scratch;
      for (; begin < end; begin += kBlock) {
        pool_.stop_if_cancelled();
        const auto count = static_cast<size_t>(std::min<uint64_t>(kBlock, end - begin));
        fill(begin, std::span(scratch.scalars).first(count));
        multiply_block(out.subspan(begin, count), scratch);
      }
    });
  }

  static constexpr size_t kBlock = 512;  ///< accumulators, slopes and scalars of a block stay in the L2 cache

 private:
  using Wide = arith::LimbArray<5>;  // a scalar plus the offset
  struct Scratch {
    std::vector<Fr> scalars = std::vector<Fr>(kBlock);
    std::vector<Wide> shifted = std::vector<Wide>(kBlock);
    std::vector<int32_t> digits = std::vector<int32_t>(kBlock);
    std::vector<uint32_t> pairs = std::vector<uint32_t>(kBlock);
    std::vector<typename G::Base> slopes = std::vector<typename G::Base>(kBlock);
  };

  // With four bits or more, scalar + offset < 2^(bits windows) for both scalar fields, whose tops are below 0.91.
  static constexpr uint32_t kLeastBits = 4, kMostBits = 14;

  static constexpr uint64_t windows_of(uint32_t bits) { return Fr::kBits / bits + 1; }
  static uint32_t best_bits(uint64_t count) {
    const auto additions = [&](uint32_t bits) { return windows_of(bits) * (count + (uint64_t{1} << (bits - 1))); };
    uint32_t best = kLeastBits;
    for (uint32_t bits = kLeastBits + 1; bits <= kMostBits; ++bits) {
      if (additions(bits) < additions(best)) best = bits;
    }
    return best;
  }
  static void set_bit(Wide& value, size_t bit) { value[bit / 64] |= uint64_t{1} << (bit % 64); }

  uint64_t windows() const { return windows_of(bits_); }
  size_t half() const { return size_t{1} << (bits_ - 1); }

  /// Multiples 1 .. 2^(b-1) of the first: with 1 .. m known, m + 1 .. 2m are one batch of additions.
  void fill_row(uint64_t w, const Point& first) {
    const std::span<Point> row = std::span(table_).subspan(w * half(), half());
    row[0] = first;
    std::vector<typename G::Base> slopes(half() / 2);
    std::vector<uint32_t> pairs(half() / 2);
    for (size_t m = 1; m < row.size(); m *= 2) {
      const Point middle = row[m - 1];
      std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(m), m, middle);
      std::iota(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(m), 0U);
      arith::batch_add<G>(
          std::span(pairs).first(m), [&](uint32_t i) -> Point& { return row[m + i]; },
          [&](uint32_t i) -> const Point& { return row[i]; }, slopes);
    }
  }

  /// Digit w of scalar + offset, less 2^(b-1): with the offset the sum of all 2^(b w + b - 1) no digit carries.
  int32_t digit(const Wide& shifted, uint64_t w) const {
    const size_t at = bits_ * w, limb = at / 64, bit = at % 64;
    uint64_t value = shifted[limb] >> bit;
    if (bit + bits_ > 64 && limb + 1 < shifted.size()) value |= shifted[limb + 1] << (64 - bit);
    return static_cast<int32_t>(value & (2 * half() - 1)) - static_cast<int32_t>(half());
  }

  void multiply_block(std::span<Point> out, Scratch& scratch) const {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = Point::infinity();
      const auto plain = scratch.scalars[i].to_canonical();
      Wide& wide = scratch.shifted[i];
      wide = {};
      std::copy(plain.begin(), plain.end(), wide.begin());
      arith::limbs::add(wide, wide, offset_);
    }
    for (uint64_t w = 0; w < windows(); ++w) {
      const Point* row = table_.data() + w * half();
      size_t pairs = 0;
      for (size_t i = 0; i < out.size(); ++i) {
        const int32_t d = digit(scratch.shifted[i], w);
        scratch.digits[i] = d;
        if (d == 0) continue;
        prefetch(row[(d < 0 ? -d : d) - 1]);
        scratch.pairs[pairs++] = static_cast<uint32_t>(i);
      }
      arith::batch_add<G>(
          std::span(scratch.pairs).first(pairs), [&](uint32_t i) -> Point& { return out[i]; },
          [&](uint32_t i) {
            const int32_t d = scratch.digits[i];
            return d > 0 ? row[d - 1] : -row[-d - 1];
          },
          scratch.slopes);
    }
  }

  static void prefetch(const Point& point) {
    const char* at = reinterpret_cast<const char*>(&point);
    for (size_t byte = 0; byte < sizeof point; byte += 64) __builtin_prefetch(at + byte);
  }

  CpuPool& pool_;
  uint32_t bits_;
  Wide offset_{};
  std::vector<Point> table_;
};

}  // namespace cuzk::groth16
