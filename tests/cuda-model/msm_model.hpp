#pragma once
/// The steps of the CUDA MSM in their order, on the host: the device's code for threads, one thread after the other.

#include "cuda-common/curve/points.cuh"
#include "cuda-common/field/field.cuh"
#include "cuda-common/msm/buckets.hpp"
#include "cuda-common/msm/digits.hpp"
#include "cuda-common/msm/join.hpp"
#include "cuda-common/msm/plan.hpp"
#include "cuda-common/msm/selection.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
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

  MsmModel(const Shape& shape, const Scalars& scalars, Selection selection = {})
      : shape_(shape),
        recoding_(recoding(G::Curve::kId, shape.width)),
        scalars_(scalars),
        selection_(selection),
        buckets_(shape.buckets(), Point::infinity()) {}

  void feed(std::span<const arith::Affine<G>> bases) {
    for (size_t done = 0; done < bases.size();) {
      const auto now = std::min<size_t>(bases.size() - done, shape_.piece);
      for (unsigned window = 0; window < shape_.windows; window += shape_.group) {
        accumulate(bases.subspan(done, now), window, std::min(shape_.group, shape_.windows - window));
      }
      fed_ += now;
      done += now;
    }
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

  void accumulate(std::span<const arith::Affine<G>> bases, unsigned window, unsigned windows) {
    const auto count = static_cast<uint32_t>(bases.size());
    const auto buckets = static_cast<uint32_t>(windows * shape_.window_buckets());
    std::vector<uint32_t> keys, values;
    for (unsigned w = 0; w < windows; ++w) {
      for (uint32_t i = 0; i < count; ++i) {
        const Digits digits = Digits::of(recoding_, scalars_[selection_.position(fed_ + i)].data());
        const int32_t digit = digits.at(recoding_, window + w);
        keys.push_back(key_of(recoding_, w, digit, buckets));
        values.push_back(i | (digit < 0 ? kNegative : 0));
      }
    }
    ASSERT_LE(keys.size(), shape_.entries());
    sort(keys, values);
    const SortedEntries sorted{keys.data(), values.data(), static_cast<uint32_t>(keys.size()), buckets,
                               shape_.log2_run};

    std::vector<Point> partials(shape_.partials());
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
          Slots::of(bucket, first_entry(sorted, bucket), first_entry(sorted, bucket + 1), shape_.log2_run);
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
        buckets_[window * shape_.window_buckets() + bucket].add(first[j * left.stride]);
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

  Shape shape_;
  Recoding recoding_;
  const Scalars& scalars_;
  Selection selection_;
  std::vector<Point> buckets_;
  uint64_t fed_ = 0;
};

}  // namespace cuzk::cuda
