#include "pippenger.hpp"

#include "accumulator.hpp"
#include "budget.hpp"

#include <atomic>
#include <string>

namespace cuzk::cpu {

/// One query of a job; calls are checked.
class Pippenger::Query {
 public:
  explicit Query(const cuzk_query& query) : count_(query.count) {}
  virtual ~Query() = default;

  uint64_t count() const { return count_; }
  uint64_t fed() const { return fed_; }
  virtual uint64_t point_bytes() const = 0;
  virtual void reduce() = 0;
  virtual void store_result(void* out) const = 0;

  void feed(const cuzk_call& call, const void* points, uint64_t count) {
    accumulate(call, points, count);
    fed_ += count;
  }

 protected:
  virtual void accumulate(const cuzk_call& call, const void* points, uint64_t count) = 0;

 private:
  uint64_t count_, fed_ = 0;
};

namespace {

[[noreturn]] void bad(const std::string& what) { throw sdk::Error(CUZK_BAD_ARGUMENT, what); }

/// The queries take turns in the sort scratch and the lanes.
struct Workspace {
  void* sort;
  std::byte* folds;
  uint64_t fold_bytes;
};

template <class G>
class QueryOf final : public Pippenger::Query {
 public:
  QueryOf(const cuzk_query& query, const QueryShape<G>& shape, const ScalarSource& scalars, const Selection& selection,
          const Workspace& workspace, std::span<arith::Affine<G>> buckets)
      : Query(query), accumulator_(host_parallel(), shape, scalars, selection, buckets) {
    Arena sort(workspace.sort);
    sort_ = SortScratch<G>::lay_out(sort, shape);
    for (uint64_t lane = 0; lane < shape.lanes; ++lane) {
      Arena fold(workspace.folds + lane * workspace.fold_bytes);
      folds_.push_back(FoldScratch<G>::lay_out(fold, shape.segment));
    }
  }

  uint64_t point_bytes() const override { return sizeof(arith::Affine<G>); }
  void reduce() override { accumulator_.reduce(host_parallel(), folds_); }
  void store_result(void* out) const override {
    const arith::Affine<G> point = accumulator_.result();
    std::memcpy(out, &point, sizeof(point));
  }

 private:
  void accumulate(const cuzk_call& call, const void* points, uint64_t count) override {
    const sdk::Host host = sdk::host();
    const auto keep_going = [&] { return !host.cancelled(call); };
    if (!accumulator_.feed(host_parallel(), sort_, folds_, points, count, keep_going)) {
      throw sdk::Error(CUZK_CANCELLED, "cancelled");
    }
  }

  Accumulator<G> accumulator_;
  SortScratch<G> sort_;
  std::vector<FoldScratch<G>> folds_;
};

Selection selection_of(const cuzk_query& query, uint32_t index) {
  const std::string name = "query " + std::to_string(index) + ": ";
  if (query.select.data == nullptr) {
    if (query.count != query.span) {
      bad(name + std::to_string(query.count) + " bases for " + std::to_string(query.span) + " scalars and no mask");
    }
    return {nullptr, query.span};
  }
  const uint64_t bytes = (query.span + 63) / 64 * 8;
  if (query.select.bytes < bytes) {
    bad(name + "a mask of " + std::to_string(query.select.bytes) + " bytes, expected " + std::to_string(bytes));
  }
  const Selection selection(query.select.data, query.span);
  if (const uint64_t selected = selection.count(); selected != query.count) {
    bad(name + std::to_string(query.count) + " bases, but the mask selects " + std::to_string(selected));
  }
  return selection;
}

void check(const cuzk_vec& scalars, const cuzk_query& query, uint32_t index) {
  const std::string name = "query " + std::to_string(index) + ": ";
  if (query.bases != nullptr) bad(name + "loaded bases, expected streamed ones");
  if (query.curve != scalars.curve) {
    bad(name + "bases of curve " + std::to_string(query.curve) + ", scalars of curve " + std::to_string(scalars.curve));
  }
  if (query.first > scalars.count || query.span > scalars.count - query.first) {
    bad(name + "scalars " + std::to_string(query.first) + " and " + std::to_string(query.span) + " on, but there are " +
        std::to_string(scalars.count));
  }
}

/// Bits of the selected scalars together, which is what their digits cost. Scalars in Montgomery form are taken as
/// random.
template <class Fr>
uint64_t count_bits(const ScalarSource& scalars, const Selection& selection, const cuzk_query& query) {
  if (scalars.montgomery) return query.count * Recoding<Fr>::kBits;
  constexpr uint64_t kGrain = uint64_t{1} << 12;
  std::atomic<uint64_t> total{0};
  for_ranges(host_parallel(), query.span, kGrain, [&](uint64_t begin, uint64_t end) {
    uint64_t bits = 0;
    for (uint64_t i = begin; i < end; ++i) {
      if (selection.contains(i)) bits += arith::limbs::bit_length(scalars.get<Fr>(i).magnitude);
    }
    total.fetch_add(bits, std::memory_order_relaxed);
  });
  return total.load(std::memory_order_relaxed);
}

}  // namespace

cuzk_plan Pippenger::plan_job(const cuzk_device_info& device, std::span<const cuzk_query> queries, uint64_t limit) {
  const uint64_t threads = std::max(device.units, 1U);
  const JobBudget least = JobBudget::within(0, threads, queries);
  const JobBudget budget = JobBudget::within(std::max(limit, least.total()), threads, queries);
  cuzk_plan plan{};
  plan.workspace = budget.workspace();
  plan.unmanaged = budget.sum_bytes;
  plan.minimum = least.total();
  plan.choice[0] = budget.max_width;
  plan.choice[1] = budget.max_piece;
  plan.choice[2] = budget.lanes;
  return plan;
}

Pippenger::Pippenger(cuzk_space) {}

std::unique_ptr<Pippenger::Job> Pippenger::start(const cuzk_call& call, cuzk_vec scalars,
                                                 std::span<const cuzk_query> queries, const cuzk_plan& plan) {
  return std::make_unique<Job>(call, scalars, queries, plan);
}

Pippenger::Job::Job(const cuzk_call& call, const cuzk_vec& scalars, std::span<const cuzk_query> queries,
                    const cuzk_plan& plan) {
  if (scalars.form != CUZK_MONTGOMERY && scalars.form != CUZK_CANONICAL) {
    bad("scalars in form " + std::to_string(scalars.form) + ", expected 0 (Montgomery) or 1 (canonical)");
  }
  constexpr uint64_t kScalarBytes = sizeof(cuzk_fr);
  if (scalars.mem.bytes / kScalarBytes < scalars.count || (scalars.count != 0 && scalars.mem.data == nullptr)) {
    bad(std::to_string(scalars.count) + " scalars in " + std::to_string(scalars.mem.bytes) + " bytes, or null");
  }
  if (plan.choice[0] < JobBudget::kLeastWidth || plan.choice[0] > JobBudget::kMostWidth || plan.choice[1] == 0 ||
      plan.choice[1] > kMaxPiece || plan.choice[2] == 0) {
    bad("a plan that plan_job() did not answer");
  }
  for (uint32_t q = 0; q < queries.size(); ++q) check(scalars, queries[q], q);
  const JobBudget budget(static_cast<unsigned>(plan.choice[0]), plan.choice[1], plan.choice[2], queries);
  require_memory(call.workspace, budget.workspace(), "the workspace");

  Arena arena(call.workspace.data);
  Workspace workspace{};
  workspace.sort = arena.take<std::byte>(budget.sort_bytes).data();
  workspace.fold_bytes = budget.fold_bytes;
  workspace.folds = arena.take<std::byte>(budget.lanes * budget.fold_bytes).data();
  for (uint32_t q = 0; q < queries.size(); ++q) {
    const cuzk_query& query = queries[q];
    const Selection selection = selection_of(query, q);
    const ScalarSource source{static_cast<const std::byte*>(scalars.mem.data) + query.first * kScalarBytes,
                              scalars.form == CUZK_MONTGOMERY};
    queries_.push_back(with_group(query.curve, query.group, [&]<class G>() -> std::unique_ptr<Query> {
      const auto bits = count_bits<typename G::Scalar>(source, selection, query);
      const QueryShape<G> shape = budget.for_bits<G>(query.count, bits);
      return std::make_unique<QueryOf<G>>(query, shape, source, selection, workspace,
                                          arena.take<arith::Affine<G>>(shape.buckets()));
    }));
  }
}

Pippenger::Job::~Job() = default;

void Pippenger::Job::feed(const cuzk_call& call, uint32_t index, cuzk_mem chunk, uint64_t first, uint64_t count,
                          cuzk_fence, cuzk_fence) {
  if (index >= queries_.size()) {
    bad("query " + std::to_string(index) + ", the job has " + std::to_string(queries_.size()));
  }
  Query& query = *queries_[index];
  if (ended_ || first != query.fed() || count > query.count() - first) {
    bad("query " + std::to_string(index) + ": points " + std::to_string(first) + " and " + std::to_string(count) +
        " on, expected those from " + std::to_string(query.fed()) + " of " + std::to_string(query.count()));
  }
  if (count != 0 && (chunk.data == nullptr || chunk.bytes / query.point_bytes() < count)) {
    bad(std::to_string(count) + " points in " + std::to_string(chunk.bytes) + " bytes, or null");
  }
  query.feed(call, chunk.data, count);
}

void Pippenger::Job::end(const cuzk_call& call, cuzk_fence) {
  for (uint32_t q = 0; q < queries_.size(); ++q) {
    if (queries_[q]->fed() != queries_[q]->count()) {
      bad("query " + std::to_string(q) + " ends after " + std::to_string(queries_[q]->fed()) + " of " +
          std::to_string(queries_[q]->count()) + " points");
    }
  }
  if (ended_) bad("the job has ended already");
  for (const auto& query : queries_) {
    sdk::host().throw_if_cancelled(call);
    query->reduce();
  }
  ended_ = true;
}

void Pippenger::Job::finish(std::span<void* const> out) {
  if (!ended_) bad("finish before end");
  for (size_t q = 0; q < queries_.size(); ++q) queries_[q]->store_result(out[q]);
}

}  // namespace cuzk::cpu
