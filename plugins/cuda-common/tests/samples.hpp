#pragma once
/// Scalars, and points of known logarithms, by number: any range of them is made without those before.

#include <array>
#include <cstdint>
#include <vector>

#include <cuzk/arith/batch_affine.hpp>

namespace cuzk::cuda {

/// The i-th of a sequence of random words (SplitMix64).
inline uint64_t random_word(uint64_t i) {
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// A random element: a value below 2^252, which is below either r, as the representation.
template <class Fr>
Fr random_element(uint64_t i) {
  return Fr::from_raw(
      {random_word(4 * i), random_word(4 * i + 1), random_word(4 * i + 2), random_word(4 * i + 3) >> 4});
}

enum class Scalars {
  uniform,
  witness,  ///< 45 % zeros, 45 % ones
  sparse,   ///< 49 % zeros, 49 % ones
  ones,
  equal,   ///< one full-width value: a single bucket in each window
  sorted,  ///< i: neighbours meet in the same buckets, and high windows are empty
  edges    ///< 0, 1, -1, -2, 1/2, and values with only top bits, only low bits, and all bits but the top one
};
inline constexpr const char* kScalarNames[] = {"uniform", "witness", "sparse", "ones", "equal", "sorted", "edges"};

template <class Fr>
class ScalarSample {
 public:
  explicit ScalarSample(Scalars kind) : kind_(kind) {
    const Fr one = Fr::one(), two = one + one;
    const Fr top = two.pow(std::array<uint64_t, 1>{252});
    edges_ = {Fr::zero(), one, -one, -two, two.inverse(), top, top + top - one, Fr::from_u64(UINT64_MAX)};
  }

  Fr operator()(uint64_t i) const {
    if (kind_ == Scalars::ones) return Fr::one();
    if (kind_ == Scalars::equal) return random_element<Fr>(0);
    if (kind_ == Scalars::sorted) return Fr::from_u64(i);
    if (kind_ == Scalars::edges) return edges_[random_word(i) % edges_.size()];
    if (kind_ != Scalars::uniform) {
      const uint64_t roll = random_word(~i) % 100, share = kind_ == Scalars::witness ? 45 : 49;
      if (roll < 2 * share) return roll < share ? Fr::zero() : Fr::one();
    }
    return random_element<Fr>(i);
  }

 private:
  Scalars kind_;
  std::array<Fr, 8> edges_;
};

enum class Points {
  multiples,  ///< k G, k = 1 .. kDistinct
  equal,      ///< all G
  opposites,  ///< P, -P, 2P, -2P, ...
  infinities  ///< as multiples, infinity at every third place
};
inline constexpr const char* kPointNames[] = {"multiples", "equal", "opposites", "infinities"};
inline constexpr uint64_t kDistinct = uint64_t{1} << 16;  ///< points repeat after so many

/// The logarithm of the i-th point.
inline int64_t logarithm(Points kind, uint64_t i) {
  const auto k = static_cast<int64_t>(i % kDistinct);
  switch (kind) {
    case Points::equal:
      return 1;
    case Points::opposites:
      return k % 2 == 0 ? k / 2 + 1 : -(k / 2 + 1);
    case Points::infinities:
      return k % 3 == 0 ? 0 : k + 1;
    default:
      return k + 1;
  }
}

template <class Fr>
Fr to_field(int64_t k) {
  return k < 0 ? -Fr::from_u64(static_cast<uint64_t>(-k)) : Fr::from_u64(static_cast<uint64_t>(k));
}

/// The points of the first kDistinct numbers.
template <class G>
class PointSample {
 public:
  PointSample() : multiples_(kDistinct) {
    std::vector<arith::Xyzz<G>> sums(kDistinct);
    auto sum = arith::Xyzz<G>::infinity();
    for (auto& s : sums) s = sum += G::generator();
    arith::batch_to_affine<G>(sums, multiples_);
  }
  std::vector<arith::Affine<G>> points(Points kind) const {
    std::vector<arith::Affine<G>> out(kDistinct, arith::Affine<G>::infinity());
    for (uint64_t i = 0; i < kDistinct; ++i) {
      const int64_t k = logarithm(kind, i);
      if (k > 0) out[i] = multiples_[static_cast<size_t>(k - 1)];
      if (k < 0) out[i] = -multiples_[static_cast<size_t>(-k - 1)];
    }
    return out;
  }

 private:
  std::vector<arith::Affine<G>> multiples_;
};

}  // namespace cuzk::cuda
