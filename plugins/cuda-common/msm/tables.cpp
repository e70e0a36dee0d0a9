#include "tables.hpp"

#include "plan.hpp"

#include <algorithm>
#include <vector>

#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {

BaseTables BaseTables::of(const cuzk_query& query) {
  const uint64_t stride = query.plan.resident == 0 ? 0 : query.plan.choice[0];
  if (stride == 0) return {};
  const unsigned bits = scalar_bits(query.curve);
  if (stride < kLeastStride || stride > bits) {
    throw sdk::Error(CUZK_BAD_ARGUMENT, "a plan of bases that plan_bases() did not answer");
  }
  return {static_cast<unsigned>(stride), bits / static_cast<unsigned>(stride) + 1};
}

TablesWorkspace TablesWorkspace::lay_out(void* base, const cuzk_query& query) {
  Arena arena(base);
  TablesWorkspace w{};
  w.points = std::min(query.count, kMostPoints);
  const uint64_t bytes = w.points * affine_bytes(query.curve, query.group) / 2;
  w.zzz = arena.take(bytes);
  w.before = arena.take(bytes);
  w.bytes = arena.used();
  return w;
}

cuzk_plan plan_bases(uint64_t device_memory, const cuzk_query& query, uint64_t limit) {
  constexpr uint64_t kMostTables = 8, kShareOfDevice = 8, kMostPoints = uint64_t{1} << 31;
  const uint64_t plain = BaseTables::bytes(query, 1);
  cuzk_plan plan{};
  if (plain > limit || plain == 0) return plan;
  struct Candidate {
    unsigned stride;
    double cost;
    uint64_t bytes;
  };
  const unsigned bits = scalar_bits(query.curve);
  const Profile profile = full_width(query.count);
  std::vector<Candidate> candidates;
  const auto add = [&](unsigned width, unsigned stride) {
    const Places places = Places::of(bits, width, stride);
    const double cost = cost_of(places, profile) * (1 + 0.01 * (places.tables() - 1));
    candidates.push_back({stride, cost, BaseTables::bytes(query, places.tables())});
  };
  // Both groups of one size get as many: as b1 and b2 do, they then share their entries.
  const uint64_t in_g2 = query.count * affine_bytes(query.curve, CUZK_G2);
  const uint64_t most =
      std::min({limit / plain, kMostTables, std::max<uint64_t>(device_memory / kShareOfDevice / in_g2, 1),
                std::max<uint64_t>(kMostPoints / query.count, 1)});
  for (unsigned width = Shape::kMinWidth; width <= Shape::kMaxWidth; ++width) {
    add(width, 0);
    for (unsigned tables = 2; tables <= most; ++tables) {
      const unsigned stride = (bits / (tables * width) + 1) * width;  // the least with so many tables, of whole digits
      if (stride >= BaseTables::kLeastStride && bits / stride + 1 == tables) add(width, stride);
    }
  }
  const Candidate best = *cheapest_within(candidates, limit).best;
  plan.resident = best.bytes;
  if (best.stride != 0) {
    plan.choice[0] = best.stride;
    plan.workspace = TablesWorkspace::lay_out(nullptr, query).bytes;
  }
  return plan;
}

}  // namespace cuzk::cuda
