#include "plan.hpp"

#include "selection.hpp"
#include "tables.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

[[noreturn]] void bad(const std::string& what) { throw sdk::Error(CUZK_BAD_ARGUMENT, what); }

constexpr uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
bool is_streamed(const cuzk_query& query) { return query.plan.resident == 0; }
}  // namespace

Budget Budget::from(const cuzk_plan& plan) {
  const auto [width, entries, units, flags] = plan.choice;
  if (width < Shape::kMinWidth || width > Shape::kMaxWidth || entries < kMinLog2Entries || entries > kMaxLog2Entries ||
      units == 0 || units > UINT32_MAX || flags > 7) {
    bad("a plan that plan_job() did not answer");
  }
  return {static_cast<unsigned>(width),
          static_cast<unsigned>(entries),
          static_cast<uint32_t>(units),
          (flags & 1) != 0,
          (flags & 2) != 0,
          (flags & 4) != 0};
}

void Budget::write(cuzk_plan& plan) const {
  plan.choice[0] = max_width;
  plan.choice[1] = log2_entries;
  plan.choice[2] = units;
  plan.choice[3] = (shared ? 1U : 0U) | (wide ? 2U : 0U) | (apart ? 4U : 0U);
}

namespace {
Profile unknown_scalars(const cuzk_query& query) { return full_width(std::max<uint64_t>(query.count, 1)); }
}  // namespace

Shape Budget::shape(const cuzk_query& query) const {
  const Places places =
      cheapest_places(unknown_scalars(query), scalar_bits(query.curve), BaseTables::of(query).stride, max_width);
  return Shape::of(query, places, log2_entries, units, wide && is_streamed(query));
}

uint64_t sum_offset(std::span<const Shape> shapes, size_t q) {
  uint64_t bytes = 0;
  for (const Shape& shape : shapes.first(q)) bytes += shape.windows * shape.point_xyzz;
  return bytes;
}

namespace {
bool have_same_scalars(const cuzk_query& a, const cuzk_query& b) {
  return a.first == b.first && a.span == b.span && a.count == b.count && a.select.data == b.select.data &&
         a.select.bytes == b.select.bytes;
}
bool have_same_entries(const cuzk_query& a, const cuzk_query& b) {
  return a.plan.resident != 0 && b.plan.resident != 0 && (a.bases == nullptr) == (b.bases == nullptr) &&
         a.plan.choice[0] == b.plan.choice[0] && have_same_scalars(a, b);
}
}  // namespace

std::vector<uint32_t> first_alike(std::span<const cuzk_query> queries) {
  std::vector<uint32_t> first;
  for (const cuzk_query& query : queries) {
    const auto alike = std::find_if(queries.begin(), queries.end(),
                                    [&](const auto& other) { return have_same_scalars(other, query); });
    first.push_back(static_cast<uint32_t>(alike - queries.begin()));
  }
  return first;
}

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
                             bool shared, bool apart) {
  const auto most = [&](auto&& of) {
    uint64_t value = 0;
    for (const Shape& shape : shapes) value = std::max<uint64_t>(value, of(shape));
    return value;
  };
  const uint64_t entries = most([](const Shape& s) { return s.entries; });
  const uint64_t group_buckets = most([](const Shape& s) { return s.group_buckets(); });
  // Streamed queries, and groups that are not apart, take turns at the front.
  std::vector<uint64_t> places(queries.size());
  uint64_t turn = 0, own = 0;
  for (const bool resident : {false, true}) {
    for (const auto& group : groups_of(queries, shared)) {
      if (is_streamed(queries[group.front()]) == resident) continue;
      const bool alone = resident && apart;
      uint64_t at = alone ? std::max(own, turn) : 0;
      for (const uint32_t q : group) {
        places[q] = at;
        at += shapes[q].bucket_bytes();
      }
      (alone ? own : turn) = std::max(alone ? own : turn, at);
    }
  }
  Arena arena(base);
  Workspace w{};
  auto* const buckets = static_cast<std::byte*>(arena.take(std::max(own, turn)));
  for (const uint64_t place : places) w.buckets.push_back(base == nullptr ? nullptr : buckets + place);
  w.partials = arena.take(most([](const Shape& s) { return s.partials() * s.point_xyzz; }));
  w.ranges = arena.take(most([](const Shape& s) { return s.ranges() * s.point_xyzz; }));
  for (unsigned i = 0; i < 2; ++i) {
    w.keys[i] = arena.take_array<uint32_t>(entries);
    w.values[i] = arena.take_array<uint32_t>(entries);
  }
  w.scratch_bytes = sort_scratch_bytes(entries);
  w.scratch = arena.take(w.scratch_bytes);
  w.starts = arena.take_array<uint32_t>(group_buckets + 1);
  w.crowded = arena.take_array<uint32_t>(group_buckets + 2);
  uint64_t blocks = 0, sums = 0;
  for (size_t q = 0; q < queries.size(); ++q) {
    const uint64_t counted = shapes[q].blocks(queries[q].count);
    const uint64_t ranks = queries[q].select.bytes == 0 ? 0 : Selection::blocks(queries[q].span) + 1;
    w.ranks.push_back(arena.take_array<uint32_t>(ranks));
    w.lengths.push_back(arena.take_array<uint16_t>(counted * kLengthClasses));
    blocks = std::max(blocks, counted);
    sums += Shape::kMaxWindows * shapes[q].point_xyzz;
  }
  w.totals = arena.take_array<uint32_t>(queries.size() * kLengthClasses);
  w.slots = arena.take_array<uint32_t>(blocks + 1);
  w.sums = arena.take(sums);
  w.bytes = arena.used();
  return w;
}

cuzk_plan plan_msm(uint32_t units, std::span<const cuzk_query> queries, uint64_t limit) {
  constexpr double kStep = 6e6;  // of one group of one piece, however few entries: 0.3 ms, in multiplications
  // A chunk of streamed bases is taken to have this part of the workspace's size: no plan is told.
  constexpr uint64_t kChunkShare = 8;
  constexpr double kEntry = 1.2;  // of making and sorting an entry, likewise
  struct Candidate {
    Budget budget;
    double cost;
    uint64_t bytes;
  };
  std::vector<Candidate> candidates;
  std::vector<Shape> shapes(queries.size());
  std::vector<Places> places(queries.size());  // cheapest of each query, and what that costs
  std::vector<double> costs(queries.size(), std::numeric_limits<double>::infinity());
  const auto widen = [&](unsigned width) {
    for (size_t q = 0; q < queries.size(); ++q) {
      const auto one = Places::of(scalar_bits(queries[q].curve), width, BaseTables::of(queries[q]).stride);
      const double cost = cost_of(one, unknown_scalars(queries[q]));
      if (cost >= costs[q]) continue;
      places[q] = one;
      costs[q] = cost;
    }
  };
  const auto add = [&](const Budget& budget) {
    for (size_t q = 0; q < queries.size(); ++q) {
      shapes[q] =
          Shape::of(queries[q], places[q], budget.log2_entries, budget.units, budget.wide && is_streamed(queries[q]));
    }
    Candidate& one = candidates.emplace_back(Candidate{budget, 0, 0});
    one.bytes = Workspace::lay_out(nullptr, queries, shapes, budget.shared, budget.apart).bytes;
    for (size_t q = 0; q < queries.size(); ++q) {
      const cuzk_query& query = queries[q];
      const Shape& shape = shapes[q];
      uint64_t pieces = ceil_div(query.count * shape.tables() * shape.group, shape.entries);
      if (is_streamed(query)) {
        const uint64_t chunk = one.bytes / kChunkShare / affine_bytes(query.curve, query.group);
        pieces = std::max(pieces, ceil_div(query.count, std::max<uint64_t>(chunk, 1)));
      }
      one.cost +=
          costs[q] + static_cast<double>(pieces) * (28.0 * static_cast<double>(shape.buckets()) +
                                                    kStep * static_cast<double>(ceil_div(shape.windows, shape.group)));
    }
    for (const auto& group : groups_of(queries, budget.shared)) {
      const uint32_t q = group.front();
      one.cost += kEntry * static_cast<double>(queries[q].count) * shapes[q].digits;
      if (!budget.apart || is_streamed(queries[q])) one.cost += kStep;  // until its windows are summed up
    }
  };
  const bool can_share = groups_of(queries, true).size() != queries.size();
  const auto stays = std::count_if(queries.begin(), queries.end(), [](const auto& q) { return !is_streamed(q); });
  const bool streams = std::any_of(queries.begin(), queries.end(), is_streamed);
  for (unsigned width = Shape::kMinWidth; width <= Shape::kMaxWidth; ++width) {
    widen(width);
    for (unsigned entries = Budget::kMinLog2Entries; entries <= Budget::kMaxLog2Entries; ++entries) {
      for (const bool shared : {false, true}) {
        if (shared && !can_share) continue;
        for (const bool wide : {false, true}) {
          for (const bool apart : {false, true}) {
            if ((!wide || streams) && (!apart || stays > 1)) {
              add({width, entries, std::max(units, 1U), shared, wide, apart});
            }
          }
        }
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
