#pragma once
/// Points as a .zkey stores them: affine, Montgomery form, which is also the layout in memory.

#include "formats/bin_file.hpp"
#include "formats/bytes.hpp"
#include "formats/first_failure.hpp"

#include <cuzk/arith/curves.hpp>
#include <cuzk/formats/mapped_file.hpp>

namespace cuzk::formats {

template <class P>
constexpr bool is_reduced(const arith::Field<P>& value) {
  return arith::Field<P>::is_reduced(value.limb);
}
template <class F>
constexpr bool is_reduced(const arith::Fp2<F>& value) {
  return is_reduced(value.c0) && is_reduced(value.c1);
}

/// Coordinates below the modulus and the point on the curve; infinity (all zero) is.
template <class G>
bool is_valid(const arith::Affine<G>& point) {
  return is_reduced(point.x) && is_reduced(point.y) && point.on_curve();
}

/// What is wrong with a point that is not valid.
template <class G>
std::string fault_of(const arith::Affine<G>& point) {
  if (is_reduced(point.x) && is_reduced(point.y)) return "is not on the curve";
  return "has a coordinate that is not below the base field's prime";
}

/// Checks every point of a section that holds nothing else: see Affine::on_curve() for the cost.
template <class G>
void check_points(CpuPool& pool, const MappedFile& file, const Section& section) {
  using Point = arith::Affine<G>;
  constexpr uint64_t kBlock = (uint64_t{1} << 20) / sizeof(Point);  // points read ahead at once
  const auto bytes = section.bytes();
  const uint64_t count = bytes.size() / sizeof(Point);
  const auto at = [&](uint64_t i) { return load<Point>(bytes.data() + i * sizeof(Point)); };
  const auto fault = first_failure(pool, count, 1024, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      if ((i - begin) % kBlock == 0) {
        file.prefetch(bytes.subspan(i * sizeof(Point), std::min(kBlock, end - i) * sizeof(Point)));
      }
      if (!is_valid(at(i))) return i;
    }
    return end;
  });
  if (fault) section.fail(*fault * sizeof(Point), "point " + std::to_string(*fault) + " " + fault_of(at(*fault)));
}

}  // namespace cuzk::formats
