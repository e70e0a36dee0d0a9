#pragma once
/// The steps of the CUDA MSM in their order, on the host: the device's code for threads, one thread after the other.

#include "cuda-common/curve/points.cuh"
#include "cuda-common/field/field.cuh"
#include "cuda-common/msm/buckets.hpp"
#include "cuda-common/msm/digits.hpp"
#include "cuda-common/msm/entry_steps.hpp"
#include "cuda-common/msm/join.hpp"
#include "cuda-common/msm/multiples_steps.hpp"
#include "cuda-common/msm/plan.hpp"
#include "cuda-common/msm/selection.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <cuzk/arith/curves.hpp>

namespace cuzk::cuda {

/// The device's field of coordinates of an arith group.
template <class G>
struct DeviceBase;
template <>
struct DeviceBase<arith::Bn254::G1> {
  using Type = Fe<Bn254Fp>;
};
template <>
struct DeviceBase<arith::Bn254::G2> {
  using Type = Fe2<Fe<Bn254Fp>>;
};
template <>
struct DeviceBase<arith::Bls12381::G1> {
  using Type = Fe<Bls12381Fp>;
};
template <>
struct DeviceBase<arith::Bls12381::G2> {
  using Type = Fe2<Fe<Bls12381Fp>>;
};

template <class G>
class MsmModel {
 public:
  using F = typename DeviceBase<G>::Type;
  using Point = Xyzz<F>;
  using Scalars = std::vector<std::array<uint64_t, kScalarLimbs>>;
  static_assert(sizeof(Affine<F>) == sizeof(arith::Affine<G>));

  /// count: bases; those of the selection where there is one. log2_run: else the shape's.
  MsmModel(const Shape& shape, const Scalars& scalars, uint64_t count, Selection selection = {},
           std::optional<unsigned> log2_run = {})
      : planned_(shape), shape_(shape), scalars_(scalars), count_(count), selection_(selection), log2_run_(log2_run) {
    const Recoding any = recoding(G::Curve::kId, shape.width, shape.stride);
    for (uint64_t begin = 0; begin < count; begin += block()) {
      lengths_.resize(lengths_.size() + kLengthClasses);
      count_lengths(any, begin, std::min(begin + block(), count), scalar_of(), &*(lengths_.end() - kLengthClasses));
      for (unsigned c = 0; c < kLengthClasses; ++c) totals_[c] += *(lengths_.end() - kLengthClasses + c);
    }
    use(shape);
  }

  /// As the device does once it has counted.
  void narrow() { use(planned_.narrowed(profile_of(totals_))); }
  const Shape& shape() const { return shape_; }
  /// Slots that were sorted, and pieces, so far.
  uint64_t slots() const { return slots_; }
  unsigned pieces() const { return pieces_; }

  void feed(std::span<const arith::Affine<G>> bases) { feed(bases.data() - fed_, bases.size()); }

  /// All bases, with tables as the shape has them.
  void feed_resident(std::span<const arith::Affine<G>> bases) {
    std::vector<arith::Affine<G>> all(bases.begin(), bases.end());
    all.resize(shape_.tables() * count_);
    for (size_t i = 0; i < all.size() - count_; i += count_) {
      shift_all(all.data() + i, all.data() + i + count_);
    }
    feed(all.data(), count_);
  }

  arith::Affine<G> result() const {
    std::vector<Point> sums;
    for (unsigned w = 0; w < shape_.windows; ++w) {
      const Point* first = &buckets_[w * shape_.window_buckets()];
      Point sum = Point::infinity();
      for (uint32_t range = 0; range < shape_.window_ranges(); ++range) {
        sum.add(weighted_range<F>(range, shape_.log2_range, [first](uint32_t at) { return first[at]; }));
      }
      sums.push_back(sum);
    }
    arith::Affine<G> out;
    join_windows(G::Curve::kId, kGroup, std::as_bytes(std::span(sums)), fed_ == 0 ? 0 : shape_.windows, shape_.width,
                 &out);
    return out;
  }

 private:
  static constexpr uint32_t kGroup = std::is_same_v<G, typename G::Curve::G1> ? CUZK_G1 : CUZK_G2;

  /// The next `count` bases; base i of the query stands at bases + i.
  void feed(const arith::Affine<G>* bases, uint64_t count) {
    const uint64_t end = fed_ + count;
    for (unsigned window = 0; window < shape_.windows; window += shape_.group) {
      const WindowRange windows = shape_.group_from(window);
      const EntryBound bound = EntryBound::of(shape_, windows);
      for (uint64_t at = fed_; at < end;) {
        const Piece piece = next_piece(shape_, lengths_, bound, at, end);
        ASSERT_GT(piece.count, 0U);
        if (count == count_ && shape_.in_one_piece(profile_of(totals_))) {
          EXPECT_EQ(piece, whole_piece(shape_, profile_of(totals_), bound, count_));
        }
        if (piece.entries != 0) accumulate(bases + at, piece, windows, bound);
        at += piece.count;
      }
    }
    fed_ = end;
  }

  /// As the two kernels do it.
  void shift_all(const arith::Affine<G>* from, arith::Affine<G>* to) const {
    const auto count = static_cast<uint32_t>(count_);
    std::vector<Affine<F>> out(count);
    std::vector<F> zzz(count), before(count);
    for (uint32_t i = 0; i < count; ++i) {
      std::memcpy(static_cast<void*>(&out[i]), from + i, sizeof(out[i]));
      shift(Affine<F>(out[i]), shape_.stride, &out[i], &zzz[i]);
    }
    const uint32_t threads = (count + 6) / 7;
    for (uint32_t t = 0; t < threads; ++t) to_affine(t, threads, count, out.data(), zzz.data(), before.data());
    std::memcpy(static_cast<void*>(to), out.data(), count * sizeof(out[0]));
  }

  uint64_t block() const { return uint64_t{1} << planned_.log2_block; }
  auto scalar_of() const {
    return [this](uint64_t i, uint64_t* limbs) {
      std::copy_n(scalars_[selection_.position(i)].begin(), kScalarLimbs, limbs);
    };
  }
  void use(const Shape& shape) {
    EXPECT_LE(shape.buckets(), planned_.buckets());
    EXPECT_LE(shape.group_buckets(), planned_.group_buckets());
    EXPECT_LE(shape.ranges(), planned_.ranges());
    EXPECT_LE(shape.entries, planned_.entries);
    shape_ = shape;
    recoding_ = recoding(G::Curve::kId, shape.width, shape.stride);
    buckets_.assign(shape.buckets(), Point::infinity());
  }

  void accumulate(const arith::Affine<G>* bases, const Piece& piece, WindowRange windows, const EntryBound& bound) {
    const auto buckets = static_cast<uint32_t>(windows.count * shape_.window_buckets());
    ASSERT_LE(piece.entries, shape_.entries);
    constexpr uint32_t kUntouched = UINT32_MAX;
    std::vector<uint32_t> keys(piece.entries, kUntouched), values(piece.entries, kUntouched);
    uint32_t next = 0;
    for (uint32_t b = 0; b < piece.blocks; ++b) {
      const auto end = next + static_cast<uint32_t>(bound.sum(&lengths_[(piece.first_block + b) * kLengthClasses]));
      write_entries(recoding_, windows, piece, static_cast<uint32_t>(count_), shape_.log2_block, b, scalar_of(), next,
                    end, keys.data(), values.data());
      next = end;
    }
    ASSERT_EQ(next, piece.entries);
    slots_ += next;
    ++pieces_;
    for (uint32_t i = 0; i < next; ++i) {
      ASSERT_LE(keys[i], buckets);
      ASSERT_TRUE(keys[i] == buckets || (values[i] & ~kNegative) < (shape_.tables() - 1) * count_ + piece.count);
    }
    sort(keys, values);
    const SortedEntries sorted{keys.data(), values.data(), piece.entries, buckets,
                               log2_run_.value_or(shape_.log2_run(piece.entries))};

    std::vector<Point> partials(log2_run_ ? piece.entries + buckets : shape_.partials());
    std::vector<bool> stored(partials.size());
    struct Entry {
      Affine<F> at;
      F x() const { return at.x; }
      F y() const { return at.y; }
    };
    const auto point = [&](uint32_t value) {
      Entry entry;
      std::memcpy(&entry.at, &bases[value & ~kNegative], sizeof(entry.at));
      if ((value & kNegative) != 0) entry.at.y = -entry.at.y;
      return entry;
    };
    for (uint32_t run = 0; run < sorted.runs(); ++run) {
      accumulate_run<F>(sorted, run, point, [&](uint32_t slot, const Point& sum) {
        ASSERT_LT(slot, partials.size());
        ASSERT_FALSE(stored[slot]) << "two partial sums in one place";
        stored[slot] = true;
        partials[slot] = sum;
      });
    }
    for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
      const Slots slots =
          Slots::of(bucket, first_entry(sorted, bucket), first_entry(sorted, bucket + 1), sorted.log2_run);
      for (uint32_t i = 0; i < slots.count; ++i) {
        ASSERT_TRUE(stored[slots.first + i]);
        stored[slots.first + i] = false;  // each partial sum belongs to one bucket
      }
      Point* const first = partials.data() + slots.first;
      for (uint32_t step = 0; step < kFoldSteps; ++step) {
        const Folded from = Folded::of(slots.count, step), to = Folded::of(slots.count, step + 1);
        for (uint32_t j = to.count; from.stride != to.stride && j-- > 0;) {  // the order of threads is nobody's
          first[j * to.stride] = from.neighbours<F>(j, [first](uint32_t place) { return first[place]; });
        }
      }
      const Folded left = Folded::of(slots.count, kFoldSteps);
      for (uint32_t j = 0; j < left.count; ++j) {
        buckets_[windows.first * shape_.window_buckets() + bucket].add(first[j * left.stride]);
      }
    }
    EXPECT_EQ(std::count(stored.begin(), stored.end(), true), 0) << "partial sums of no bucket";
  }

  static void sort(std::vector<uint32_t>& keys, std::vector<uint32_t>& values) {
    std::vector<size_t> order(keys.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
    const auto apply = [&](std::vector<uint32_t>& all) {
      std::vector<uint32_t> moved;
      for (const size_t at : order) moved.push_back(all[at]);
      all = std::move(moved);
    };
    apply(keys);
    apply(values);
  }

  const Shape planned_;
  Shape shape_;
  Recoding recoding_;
  const Scalars& scalars_;
  uint64_t count_;
  Selection selection_;
  std::optional<unsigned> log2_run_;
  std::vector<uint16_t> lengths_;
  std::array<uint32_t, kLengthClasses> totals_{};  ///< of all blocks
  std::vector<Point> buckets_;
  uint64_t slots_ = 0;
  unsigned pieces_ = 0;
  uint64_t fed_ = 0;
};

}  // namespace cuzk::cuda
