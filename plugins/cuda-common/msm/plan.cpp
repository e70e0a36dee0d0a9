#include "plan.hpp"

#include "selection.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <cuzk/arith/fields.hpp>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

[[noreturn]] void bad(const std::string& what) { throw sdk::Error(CUZK_BAD_ARGUMENT, what); }

template <class Body>
decltype(auto) with_scalars(uint32_t curve, Body&& body) {
  if (curve == CUZK_BN254) return body.template operator()<arith::Bn254Fr>();
  if (curve == CUZK_BLS12_381) return body.template operator()<arith::Bls12381Fr>();
  bad("curve " + std::to_string(curve) + ", expected 1 (bn254) or 2 (bls12-381)");
}

constexpr uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
constexpr unsigned log2_of(uint64_t power) { return static_cast<unsigned>(std::countr_zero(power)); }

}  // namespace

uint64_t affine_bytes(uint32_t curve, uint32_t group) {
  if (group != CUZK_G1 && group != CUZK_G2) bad("group " + std::to_string(group) + ", expected 1 (G1) or 2 (G2)");
  const uint64_t coordinate =
      with_scalars(curve, [curve]<class>() { return uint64_t{curve == CUZK_BN254 ? 32U : 48U}; });
  return coordinate * (group == CUZK_G1 ? 2 : 4);
}

unsigned scalar_bits(uint32_t curve) {
  return with_scalars(curve, []<class Fr>() { return static_cast<unsigned>(Fr::kBits - 1); });
}

Recoding recoding(uint32_t curve, unsigned width) {
  return with_scalars(curve, [width]<class Fr>() {
    static_assert(Fr::kLimbs == kScalarLimbs);
    Recoding out{};
    std::copy_n(Fr::modulus().begin(), kScalarLimbs, out.modulus);
    std::copy_n(Fr::Constants::kHalf.begin(), kScalarLimbs, out.half);
    out.width = width;
    out.windows = static_cast<uint32_t>((Fr::kBits - 1) / width + 1);
    for (unsigned w = 0; w + 1 < out.windows; ++w) {
      const unsigned bit = w * width + width - 1;
      out.offset[bit / 64] |= uint64_t{1} << (bit % 64);
    }
    return out;
  });
}

namespace {
/// In multiplications. A mixed addition of each point in each window is 10; a bucket's partial sums and its share of
/// the reduction are about four additions of 14. Where the top digit has few values, its buckets' partial sums, 1/64 of
/// the points, are added up by a block of threads one after the other: in the time of one such addition the device does
/// 280,000 multiplications.
double cost_of(unsigned width, uint64_t points, unsigned bits) {
  const double n = static_cast<double>(points);
  const unsigned whole_windows = bits / width;
  const double windows = whole_windows + 1, buckets = static_cast<double>(uint64_t{1} << (width - 1));
  const double top_values = static_cast<double>(uint64_t{1} << (bits % width));
  return windows * (10 * n + 56 * buckets) + n / top_values / (64 * 128) * 280'000;
}
}  // namespace

unsigned best_width(uint64_t points, unsigned bits) {
  unsigned best = Shape::kMinWidth;
  for (unsigned width = best + 1; width <= Shape::kMaxWidth; ++width) {
    if (cost_of(width, points, bits) < cost_of(best, points, bits)) best = width;
  }
  return best;
}

Budget Budget::from(const cuzk_plan& plan) {
  const auto [width, entries, units, shared] = plan.choice;
  if (width < Shape::kMinWidth || width > Shape::kMaxWidth || entries < kMinLog2Entries || entries > kMaxLog2Entries ||
      units == 0 || units > UINT32_MAX || shared > 1) {
    bad("a plan that plan_job() did not answer");
  }
  return {static_cast<unsigned>(width), static_cast<unsigned>(entries), static_cast<uint32_t>(units), shared != 0};
}

void Budget::write(cuzk_plan& plan) const {
  plan.choice[0] = max_width;
  plan.choice[1] = log2_entries;
  plan.choice[2] = units;
  plan.choice[3] = shared ? 1 : 0;
}

Shape Budget::shape(const cuzk_query& query) const {
  constexpr uint64_t kThreads = 2048;  // of a multiprocessor, for runs; a few waves even where 512 run at once
  constexpr uint64_t kRangeThreads = 256;
  const unsigned bits = scalar_bits(query.curve);
  const uint64_t most = uint64_t{1} << log2_entries;
  Shape shape{};
  shape.point_xyzz = xyzz_bytes(query.curve, query.group);
  shape.width = std::min(best_width(query.count, bits), max_width);
  shape.windows = bits / shape.width + 1;
  shape.piece = std::clamp<uint64_t>(query.count, 1, most);
  const auto together = static_cast<unsigned>(std::clamp<uint64_t>(most / shape.piece, 1, shape.windows));
  shape.group = static_cast<unsigned>(ceil_div(shape.windows, ceil_div(shape.windows, together)));
  const uint64_t run = std::clamp<uint64_t>(shape.entries() / (units * kThreads), 8, 64);
  shape.log2_run = log2_of(std::bit_floor(run));
  const uint64_t range = std::clamp<uint64_t>(shape.buckets() / (units * kRangeThreads), 8, 64);
  shape.log2_range = std::min(log2_of(std::bit_ceil(range)), shape.width - 1);
  return shape;
}

uint64_t sum_offset(std::span<const Shape> shapes, size_t q) {
  uint64_t bytes = 0;
  for (const Shape& shape : shapes.first(q)) bytes += shape.windows * shape.point_xyzz;
  return bytes;
}

uint64_t rank_offset(std::span<const cuzk_query> queries, size_t q) {
  uint64_t count = 0;
  for (const cuzk_query& query : queries.first(q)) {
    if (query.select.bytes != 0) count += Selection::blocks(query.span) + 1;
  }
  return count;
}

namespace {
bool have_same_entries(const cuzk_query& a, const cuzk_query& b) {
  return a.plan.resident != 0 && b.plan.resident != 0 && (a.bases == nullptr) == (b.bases == nullptr) &&
         a.first == b.first && a.span == b.span && a.count == b.count && a.select.data == b.select.data &&
         a.select.bytes == b.select.bytes;
}
}  // namespace

std::vector<std::vector<uint32_t>> groups_of(std::span<const cuzk_query> queries, bool shared) {
  std::vector<std::vector<uint32_t>> groups;
  for (uint32_t q = 0; q < queries.size(); ++q) {
    const auto home = std::find_if(groups.begin(), groups.end(), [&](const std::vector<uint32_t>& group) {
      return shared && have_same_entries(queries[group.front()], queries[q]);
    });
    (home == groups.end() ? groups.emplace_back() : *home).push_back(q);
  }
  return groups;
}

Workspace Workspace::lay_out(void* base, std::span<const cuzk_query> queries, std::span<const Shape> shapes,
                             bool shared) {
  const auto most = [&](auto&& of) {
    uint64_t value = 0;
    for (const Shape& shape : shapes) value = std::max<uint64_t>(value, of(shape));
    return value;
  };
  const uint64_t entries = most([](const Shape& s) { return s.entries(); });
  const uint64_t group_buckets = most([](const Shape& s) { return s.group_buckets(); });
  uint64_t buckets = 0;
  for (const auto& group : groups_of(queries, shared)) {
    uint64_t bytes = 0;
    for (const uint32_t q : group) bytes += shapes[q].bucket_bytes();
    buckets = std::max(buckets, bytes);
  }
  Arena arena(base);
  Workspace w{};
  w.buckets = arena.take(buckets);
  w.partials = arena.take(most([](const Shape& s) { return s.partials() * s.point_xyzz; }));
  w.ranges = arena.take(most([](const Shape& s) { return s.windows * s.window_ranges() * s.point_xyzz; }));
  for (unsigned i = 0; i < 2; ++i) {
    w.keys[i] = arena.take_array<uint32_t>(entries);
    w.values[i] = arena.take_array<uint32_t>(entries);
  }
  w.scratch_bytes = sort_scratch_bytes(entries);
  w.scratch = arena.take(w.scratch_bytes);
  w.starts = arena.take_array<uint32_t>(group_buckets + 1);
  w.crowded = arena.take_array<uint32_t>(group_buckets + 2);
  w.sums = arena.take(sum_offset(shapes, shapes.size()));
  w.ranks = arena.take_array<uint32_t>(rank_offset(queries, queries.size()));
  w.bytes = arena.used();
  return w;
}

cuzk_plan plan_msm(uint32_t units, std::span<const cuzk_query> queries, uint64_t limit) {
  constexpr double kStep = 1e6;   // of the launches for one group of one piece, in multiplications
  constexpr double kEntry = 1.2;  // of making and sorting an entry, likewise
  struct Candidate {
    Budget budget;
    double cost;
    uint64_t bytes;
  };
  std::vector<Candidate> candidates;
  std::vector<Shape> shapes(queries.size());
  const auto add = [&](const Budget& budget) {
    Candidate& one = candidates.emplace_back(Candidate{budget, 0, 0});
    for (size_t q = 0; q < queries.size(); ++q) {
      const Shape& shape = shapes[q] = budget.shape(queries[q]);
      const auto pieces = static_cast<double>(ceil_div(queries[q].count, shape.piece));
      one.cost += cost_of(shape.width, queries[q].count, scalar_bits(queries[q].curve)) +
                  pieces * (28.0 * static_cast<double>(shape.buckets()) +
                            kStep * static_cast<double>(ceil_div(shape.windows, shape.group)));
    }
    for (const auto& group : groups_of(queries, budget.shared)) {
      const uint32_t q = group.front();
      one.cost += kEntry * static_cast<double>(queries[q].count) * shapes[q].windows;
    }
    one.bytes = Workspace::lay_out(nullptr, queries, shapes, budget.shared).bytes;
  };
  const bool can_share = groups_of(queries, true).size() != queries.size();
  for (unsigned width = Shape::kMinWidth; width <= Shape::kMaxWidth; ++width) {
    for (unsigned entries = Budget::kMinLog2Entries; entries <= Budget::kMaxLog2Entries; ++entries) {
      for (const bool shared : {false, true}) {
        if (!shared || can_share) add({width, entries, std::max(units, 1U), shared});
      }
    }
  }
  const auto [best, least] = cheapest_within(candidates, limit);
  cuzk_plan plan{};
  plan.minimum = least;
  plan.workspace = best->bytes;
  best->budget.write(plan);
  return plan;
}

}  // namespace cuzk::cuda
