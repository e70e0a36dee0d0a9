#include "multiples.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include <cuzk/arith/batch_affine.hpp>
#include <cuzk/arith/curves.hpp>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

[[noreturn]] void bad(const std::string& what) { throw sdk::Error(CUZK_BAD_ARGUMENT, what); }

/// In mixed additions. An entry of the table has about a quarter of its own window's digits and one inversion's share.
uint64_t cost_of(const MultiplesShape& shape) {
  const uint64_t windows = scalar_bits(shape.curve) / shape.width + 1;
  return windows * shape.count + (shape.width / 4 + 3) * shape.table_entries();
}

template <class G>
std::vector<std::byte> table_of(const void* point) {
  constexpr unsigned kRow = 1U << (MultiplesShape::kBaseWidth - 1);
  constexpr unsigned kWindows = (G::Scalar::kBits - 1) / MultiplesShape::kBaseWidth + 1;
  arith::Affine<G> affine;
  std::memcpy(&affine, point, sizeof(affine));
  std::vector<arith::Xyzz<G>> multiples;
  multiples.reserve(kWindows * kRow);
  auto power = arith::Xyzz<G>::from_affine(affine);  // 2^(4 w) P
  for (unsigned w = 0; w < kWindows; ++w) {
    auto multiple = power;
    for (unsigned d = 1; d <= kRow; ++d) {
      multiples.push_back(multiple);
      multiple += power;
    }
    power = multiples.back().doubled();
  }
  std::vector<arith::Affine<G>> table(multiples.size());
  arith::batch_to_affine<G>(multiples, table);
  const auto* bytes = reinterpret_cast<const std::byte*>(table.data());
  return {bytes, bytes + table.size() * sizeof(table[0])};
}

template <class C>
std::vector<std::byte> table_of(uint32_t group, const void* point) {
  return group == CUZK_G1 ? table_of<typename C::G1>(point) : table_of<typename C::G2>(point);
}

}  // namespace

MultiplesShape MultiplesShape::from(const cuzk_plan& plan, uint32_t curve, uint32_t group, uint64_t count) {
  static_cast<void>(affine_bytes(curve, group));  // throws for what is unknown
  const auto& [width, planned, third, fourth] = plan.choice;
  if (width < kBaseWidth || width > kMaxWidth || third != 0 || fourth != 0) {
    bad("a plan of digits of " + std::to_string(width) + " bits, expected one that plan_multiples answered");
  }
  if (count > planned) bad(std::to_string(count) + " scalars, planned are " + std::to_string(planned));
  return {curve, group, static_cast<unsigned>(width), count};
}

MultiplesWorkspace MultiplesWorkspace::lay_out(void* base, const MultiplesShape& shape) {
  const uint64_t point = affine_bytes(shape.curve, shape.group);
  const uint64_t at_once = std::max(shape.count, shape.table_entries());
  Arena arena(base);
  MultiplesWorkspace out{};
  out.base_table = arena.take(shape.base_entries() * point);
  out.table = arena.take(shape.table_entries() * point);
  out.zzz = arena.take(at_once * point / 2);
  out.before = arena.take(at_once * point / 2);
  out.bytes = arena.used();
  return out;
}

cuzk_plan plan_multiples(uint32_t curve, uint32_t group, uint64_t count, uint64_t limit) {
  if (count > MultiplesShape::kMost) {
    throw sdk::Error(CUZK_REFUSED, std::to_string(count) + " multiples at once, expected at most 2^30");
  }
  struct Candidate {
    unsigned width;
    uint64_t cost, bytes;
  };
  std::array<Candidate, MultiplesShape::kMaxWidth - MultiplesShape::kBaseWidth + 1> candidates;
  for (unsigned i = 0; i < candidates.size(); ++i) {
    const MultiplesShape shape{curve, group, MultiplesShape::kBaseWidth + i, count};
    candidates[i] = {shape.width, cost_of(shape), MultiplesWorkspace::lay_out(nullptr, shape).bytes};
  }
  const auto [best, least] = cheapest_within(candidates, limit);
  cuzk_plan plan{};
  plan.workspace = best->bytes;
  plan.minimum = least;
  plan.choice[0] = best->width;
  plan.choice[1] = count;
  return plan;
}

std::vector<std::byte> base_table(uint32_t curve, uint32_t group, const void* point) {
  static_cast<void>(affine_bytes(curve, group));  // throws for what is unknown
  return curve == CUZK_BN254 ? table_of<arith::Bn254>(group, point) : table_of<arith::Bls12381>(group, point);
}

}  // namespace cuzk::cuda
