#include "groth16/queries.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/format_bytes.hpp>
#include <cuzk/groth16/layout.hpp>

namespace cuzk {
namespace {

using groth16::align;

constexpr uint64_t kUnlimited = UINT64_MAX;
constexpr uint64_t kChunkBytes = uint64_t{256} << 20;
constexpr uint64_t kLeastChunkPoints = 64;
constexpr uint64_t kWhole = 1024;
constexpr uint64_t kRingShare = 4;  // the ring's part of a workspace is one in so many

enum class Residency { tables, plain, streamed };

/// What can be given up for memory.
struct Choice {
  uint32_t slots;
  Residency residency = Residency::tables;
  bool c_late = false, w_late = false;
  uint64_t chunk_points;
};

constexpr uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/// plan(limit) within the limit, or nothing. An unlimited request answers the least that works at all.
template <class Plan>
std::optional<cuzk_plan> within(uint64_t limit, Plan&& plan) {
  if (limit == kUnlimited) {
    const cuzk_plan most = plan(kUnlimited);
    return most.minimum == 0 ? most : plan(most.minimum);
  }
  try {
    const cuzk_plan answer = plan(limit);
    const bool fits = answer.resident <= limit && answer.workspace <= limit - answer.resident &&
                      answer.unmanaged <= limit - answer.resident - answer.workspace && answer.minimum <= limit;
    return fits ? std::optional(answer) : std::nullopt;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_memory) return std::nullopt;
    throw;
  }
}

class Planner {
 public:
  Planner(const Strategy& strategy, const Device& device, const KeyShape& shape, uint32_t threads)
      : strategy_(strategy),
        shape_(shape),
        info_(device.info()),
        host_(groth16::host_info(threads)),
        ntt_on_(runs_on(*strategy.ntt, device)),
        msm_on_(runs_on(*strategy.msm, device)),
        adopted_(strategy.staging->adopts() && device.host_addressable()),
        chunks_(device.synchronous() ? 1 : 2) {
    const uint32_t width = strategy.lock->compute_width();
    workspaces_ = width == 0 ? strategy.workers : width;
    with_tables_ = key_bytes(Residency::tables);
    without_tables_ = key_bytes(Residency::plain);
  }

  Choice full() const {
    uint64_t most = 0;
    for (const KeyShape::Query& query : shape_.queries) most = std::max(most, query.count);
    const uint64_t chunk = kChunkBytes / point_bytes(shape_.curve, Group::g2);
    return {.slots = strategy_.workers,
            .residency = strategy_.stream_bases ? Residency::streamed : Residency::tables,
            .chunk_points = std::min(std::max<uint64_t>(most, 1), chunk)};
  }

  /// Takes the next saving; false when there is none left.
  bool save(Choice& choice) const {
    if (choice.residency == Residency::tables && without_tables_ < with_tables_) {
      choice.residency = Residency::plain;
    } else if (choice.slots > 1) {
      --choice.slots;
    } else if (choice.residency != Residency::streamed && with_tables_ != 0) {
      choice.residency = Residency::streamed;
    } else if (!choice.c_late && ntt_on_) {
      choice.c_late = true;
    } else if (!choice.w_late && ntt_on_ && msm_on_) {
      choice.w_late = true;
    } else if (choice.chunk_points > kLeastChunkPoints) {
      choice.chunk_points = std::max(choice.chunk_points / 2, kLeastChunkPoints);
    } else {
      return false;
    }
    return true;
  }

  /// The layout under this choice, if it fits. capacity kUnlimited: with every component at its least.
  std::optional<Layout> layout(const Choice& choice, uint64_t capacity) const {
    Layout out;
    out.workers = strategy_.workers;
    out.workspaces = workspaces_;
    out.slots = choice.slots;
    out.adopted = adopted_;
    out.c_late = choice.c_late;
    out.w_late = choice.w_late;
    out.chunk_points = choice.chunk_points;
    out.chunks = chunks_;
    out.slot = slot(choice.w_late);
    plan_bases(choice.residency, out);
    if (!plan_staging(capacity, out) || !plan_ntt(capacity, out) || !plan_jobs(capacity, out)) return std::nullopt;
    return out.total() <= capacity ? std::optional(std::move(out)) : std::nullopt;
  }

  /// The least of all choices, with every component at its least.
  Layout smallest() const {
    Choice choice = full(), best = choice;
    Layout least = *layout(choice, kUnlimited);
    while (save(choice)) {
      Layout next = *layout(choice, kUnlimited);
      if (next.total() > least.total()) continue;
      least = std::move(next);
      best = choice;
    }
    least.savings = savings(best);
    return least;
  }

  std::vector<std::string> savings(const Choice& choice) const {
    const Choice most = full();
    std::vector<std::string> out;
    if (choice.residency == Residency::plain) out.emplace_back("no tables");
    if (choice.slots < most.slots) {
      out.push_back(std::to_string(choice.slots) + " of " + std::to_string(most.slots) + " slots");
    }
    if (choice.residency == Residency::streamed && most.residency != Residency::streamed) {
      out.emplace_back("bases streamed");
    }
    if (choice.c_late) out.emplace_back("c late");
    if (choice.w_late) out.emplace_back("witness late");
    if (choice.chunk_points < most.chunk_points) {
      out.push_back("chunks of " + std::to_string(choice.chunk_points) + " points");
    }
    return out;
  }

 private:
  const KeyShape::Query& query(QueryId id) const { return shape_.queries[static_cast<size_t>(id)]; }
  uint64_t vector_bytes() const { return align(shape_.domain_size() * kFrBytes); }

  uint64_t slot(bool w_late) const {
    const uint64_t vector = vector_bytes(), witness = msm_on_ ? align(shape_.variables * kFrBytes) : 0;
    if (w_late) return vector + std::max(vector, witness);
    return (ntt_on_ ? 2 * vector : msm_on_ ? vector : 0) + witness;
  }

  uint64_t chunk_bytes(const Layout& layout, QueryId id) const {
    const uint64_t points = std::min(query(id).count, layout.chunk_of(id));
    return align(points * point_bytes(shape_.curve, group_of(id)));
  }

  /// What of the capacity is left for one workspace.
  uint64_t room(uint64_t capacity, const Layout& layout) const {
    if (capacity == kUnlimited) return kUnlimited;
    return less(capacity, layout.fixed + layout.key + layout.slots * layout.slot) / workspaces_;
  }

  void grow_workspace(Layout& layout, uint64_t allocated, uint64_t booked) const {
    layout.workspace = std::max(layout.workspace, allocated + align(booked));
    layout.workspace_allocated = std::max(layout.workspace_allocated, allocated);
  }

  uint64_t key_bytes(Residency residency) const {
    Layout out;
    plan_bases(residency, out);
    return out.key;
  }

  void plan_bases(Residency residency, Layout& out) const {
    if (!msm_on_) return;
    for (size_t i = 0; i < kQueries; ++i) {
      const auto id = static_cast<QueryId>(i);
      if (groth16::takes_masks(*strategy_.msm) && groth16::mask_owner(id) == id) {
        out.fixed += align(groth16::mask_bytes(query(id)));
      }
      const uint64_t plain = query(id).count * point_bytes(shape_.curve, group_of(id));
      const uint64_t limit = residency == Residency::tables ? kUnlimited : residency == Residency::plain ? plain : 0;
      out.bases[i] = strategy_.msm->plan_bases(info_, groth16::query_of(shape_, id, {}), limit);
      if (out.bases[i].resident > limit) {
        throw Error(ErrorCode::internal, strategy_.msm->info().full_name() + ": plans " +
                                             format_bytes(out.bases[i].resident) + " of resident bases for query " +
                                             std::string(name(id)) + ", the limit is " + format_bytes(limit));
      }
      if (out.bases[i].resident == 0) continue;
      out.key += align(out.bases[i].resident);
      // Loading runs in a workspace too.
      const uint64_t ring = chunks_ * chunk_bytes(out, id);
      const uint64_t work = align(out.bases[i].workspace);
      grow_workspace(out, work + (adopted_ ? 0 : ring), out.bases[i].unmanaged + (adopted_ ? ring : 0));
    }
  }

  bool plan_staging(uint64_t capacity, Layout& out) const {
    if (!ntt_on_ && !msm_on_) return true;
    uint64_t largest = std::max(shape_.domain_size(), shape_.variables) * kFrBytes;
    for (size_t i = 0; i < kQueries; ++i) largest = std::max(largest, chunk_bytes(out, static_cast<QueryId>(i)));
    const auto plan = within(capacity, [&](uint64_t limit) { return strategy_.staging->plan(info_, largest, limit); });
    if (!plan) return false;
    if (plan->resident != 0 || plan->workspace != 0) {
      throw Error(ErrorCode::internal,
                  strategy_.staging->info().full_name() + ": plans device memory, but staging gets none handed in");
    }
    out.staging = *plan;
    out.fixed += strategy_.workers * align(plan->unmanaged);
    return true;
  }

  bool plan_ntt(uint64_t capacity, Layout& out) const {
    const auto ask = [&](uint64_t limit) { return strategy_.ntt->plan(ntt_on_ ? info_ : host_, shape_.domain, limit); };
    if (!ntt_on_) {
      out.ntt = ask(kUnlimited);
      return true;
    }
    const uint64_t c = out.c_late ? 0 : vector_bytes();
    uint64_t limit = capacity;
    if (capacity != kUnlimited) {  // the resident part once a worker, the rest once a workspace
      const uint64_t taken = out.fixed + out.key + out.slots * out.slot + workspaces_ * c;
      limit = less(capacity, taken) / std::max(strategy_.workers, workspaces_);
    }
    const auto plan = within(limit, ask);
    if (!plan) return false;
    out.ntt = *plan;
    out.fixed += strategy_.workers * align(plan->resident);
    out.quotient = c + align(plan->workspace);
    grow_workspace(out, out.quotient, plan->unmanaged);
    return true;
  }

  /// Which queries run together, after the component's abilities.
  std::vector<JobLayout> split_jobs() const {
    const MsmComponent& msm = *strategy_.msm;
    std::vector<JobLayout> jobs;
    const auto add = [&](std::vector<QueryId> queries, bool compact) {
      jobs.push_back({.queries = std::move(queries), .compacted = compact, .by_chunk = !msm.keeps_buckets()});
    };
    add({QueryId::h}, false);
    std::vector<QueryId> together;
    for (const QueryId id : {QueryId::l, QueryId::a, QueryId::b1, QueryId::b2}) {
      const bool compact = query(id).selects && !groth16::takes_masks(msm);
      if (compact || !msm.many() || !msm.keeps_buckets()) {
        add({id}, compact);
      } else {
        together.push_back(id);
      }
    }
    if (!together.empty()) add(std::move(together), false);
    return jobs;
  }

  /// A workspace is there W times and holds the largest step, while the jobs' own allocations add up over jobs and
  /// workers: where these make the layout too large, every job is offered a smaller share of what is left, the largest
  /// with which all fits.
  bool plan_jobs(uint64_t capacity, Layout& out) const {
    Layout tried = out;
    if (!plan_jobs(capacity, kWhole, tried)) return false;
    if (tried.total() <= capacity || tried.unmanaged == 0) {
      out = std::move(tried);
      return true;
    }
    out.chunk_points = tried.chunk_points;
    std::optional<Layout> best;
    for (uint64_t small = 0, large = kWhole; small + 1 < large;) {
      const uint64_t share = (small + large) / 2;
      tried = out;
      const bool enough = plan_jobs(capacity, share, tried);
      const bool fits = enough && tried.total() <= capacity;
      (enough && !fits ? large : small) = share;
      if (fits) best = std::move(tried);
    }
    if (!best) return false;
    out = std::move(*best);
    return true;
  }

  /// share: of what is left, in parts of kWhole. Makes chunks smaller where their ring would take more than its share
  /// of what a job needs too. False where there is too little.
  bool plan_jobs(uint64_t capacity, uint64_t share, Layout& out) const {
    const Layout before = out;
    out.jobs = split_jobs();
    uint64_t by_chunk = 0, ring = 0;
    for (size_t i = 0; msm_on_ && i < kQueries; ++i) {
      if (out.bases[i].resident == 0) ring = std::max(ring, chunks_ * chunk_bytes(out, static_cast<QueryId>(i)));
    }
    out.ring = adopted_ ? 0 : ring;
    for (JobLayout& job : out.jobs) {
      std::vector<cuzk_query> queries;
      uint64_t selected = 0;
      for (const QueryId id : job.queries) {
        const cuzk_plan& bases = out.bases[static_cast<size_t>(id)];
        cuzk_query planned = groth16::query_of(shape_, id, bases);
        if (job.compacted) {
          planned = groth16::compacted(planned);
          selected = align(planned.count * kFrBytes);
        }
        if (bases.resident == 0 && job.by_chunk) {
          planned = groth16::chunk_of(planned, 0, std::min(planned.count, out.chunk_of(id)));
        }
        queries.push_back(planned);
      }
      const auto ask = [&](uint64_t limit) { return strategy_.msm->plan_job(msm_on_ ? info_ : host_, queries, limit); };
      if (!msm_on_) {
        job.plan = ask(kUnlimited);
        continue;
      }
      const uint64_t left = room(capacity, out);
      const uint64_t moved = ring + selected, most = less(left, moved);
      const auto plan = within(left == kUnlimited ? left : share == kWhole ? most : most / kWhole * share, ask);
      if (!plan) return false;
      // A job with little memory takes many times as long, so the ring must leave it its part or what it asks for.
      const bool large = left != kUnlimited && ring > left / kRingShare;
      if (share == kWhole && large && out.chunk_points > kLeastChunkPoints) {
        const auto wanted = within(less(left - left / kRingShare, selected), ask);
        if (wanted && wanted->workspace > plan->workspace) {
          out = before;
          out.chunk_points = std::max(before.chunk_points / 2, kLeastChunkPoints);
          return plan_jobs(capacity, share, out);
        }
      }
      job.plan = *plan;
      const uint64_t work = align(plan->workspace);
      grow_workspace(out, work + (adopted_ ? 0 : moved), adopted_ ? moved : 0);
      const uint64_t kept = align(plan->unmanaged);
      if (job.by_chunk && out.bases[static_cast<size_t>(job.queries[0])].resident == 0) {
        by_chunk = std::max(by_chunk, kept);
      } else {
        out.unmanaged += kept;
      }
    }
    out.unmanaged += by_chunk;
    return true;
  }

  const Strategy& strategy_;
  const KeyShape& shape_;
  cuzk_device_info info_, host_;
  bool ntt_on_, msm_on_, adopted_;
  uint32_t chunks_, workspaces_ = 1;
  uint64_t with_tables_ = 0, without_tables_ = 0;
};

}  // namespace

Layout plan_layout(const Strategy& strategy, const Device& device, const KeyShape& shape, uint32_t threads,
                   uint64_t capacity, std::string_view key_name) {
  const Planner planner(strategy, device, shape, threads);
  Choice choice = planner.full();
  do {
    if (auto layout = planner.layout(choice, capacity)) {
      choice.chunk_points = layout->chunk_points;
      layout->savings = planner.savings(choice);
      return *layout;
    }
  } while (planner.save(choice));
  Layout smallest = planner.smallest();
  const uint64_t least = smallest.total();
  if (least <= capacity) return smallest;
  throw Error(ErrorCode::out_of_memory, device.name() + ": " + std::string(key_name) + " needs at least " +
                                            format_exact_bytes(least) + ", " + format_exact_bytes(capacity) +
                                            " available (--device-memory)");
}

uint64_t least_footprint(const Strategy& strategy, const Device& device, const KeyShape& shape, uint32_t threads) {
  return Planner(strategy, device, shape, threads).smallest().total();
}

Footprint footprint_of(const Strategy& strategy, const Device& device, const KeyShape& shape, uint32_t threads) {
  constexpr uint64_t kAmple = uint64_t{1} << 48;
  const uint64_t key = plan_layout(strategy, device, shape, threads, kAmple, "the key").key;
  uint64_t least = least_footprint(strategy, device, shape, threads) - 1, enough = kAmple;
  while (least + 1 < enough) {
    const uint64_t middle = least + (enough - least) / 2;
    const bool whole = plan_layout(strategy, device, shape, threads, middle, "the key").key == key;
    (whole ? enough : least) = middle;
  }
  return {key, enough - key};
}

}  // namespace cuzk
