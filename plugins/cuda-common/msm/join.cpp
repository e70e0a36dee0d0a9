#include "join.hpp"

#include <cstring>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/xyzz.hpp>

namespace cuzk::cuda {
namespace {

template <class G>
void join(std::span<const std::byte> sums, unsigned windows, unsigned width, void* out) {
  using Point = arith::Xyzz<G>;
  Point total = Point::infinity();
  for (unsigned w = windows; w-- > 0;) {
    for (unsigned i = 0; i < width; ++i) total = total.doubled();
    Point sum;
    std::memcpy(&sum, sums.data() + w * sizeof(Point), sizeof(Point));
    total += sum;
  }
  const arith::Affine<G> result = total.to_affine();
  std::memcpy(out, &result, sizeof(result));
}

template <class C>
void join(uint32_t group, std::span<const std::byte> sums, unsigned windows, unsigned width, void* out) {
  if (group == CUZK_G1) {
    join<typename C::G1>(sums, windows, width, out);
  } else {
    join<typename C::G2>(sums, windows, width, out);
  }
}

}  // namespace

void join_windows(uint32_t curve, uint32_t group, std::span<const std::byte> sums, unsigned windows, unsigned width,
                  void* out) {
  if (curve == CUZK_BN254) {
    join<arith::Bn254>(group, sums, windows, width, out);
  } else {
    join<arith::Bls12381>(group, sums, windows, width, out);
  }
}

}  // namespace cuzk::cuda
