#pragma once
/// The memory of a job.

#include "../select.hpp"
#include "shape.hpp"

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cpu {

/// What plan_job() decides: upper bounds for the queries' shapes, and the parts of the workspace that follow. A job
/// takes narrower windows where its scalars are mostly small.
struct JobBudget {
  unsigned max_width;
  uint64_t max_piece;
  uint64_t lanes;
  uint64_t bucket_bytes = 0;  ///< all queries
  uint64_t sort_bytes = 0;    ///< the query that needs most
  uint64_t fold_bytes = 0;    ///< the query that needs most, one lane
  uint64_t sum_bytes = 0;     ///< all queries; not in the workspace, because finish() comes after it is gone

  static constexpr unsigned kLeastWidth = 4, kMostWidth = 16;
  static constexpr uint64_t kLeastPiece = uint64_t{1} << 12;

  JobBudget(unsigned width, uint64_t piece, uint64_t threads, std::span<const cuzk_query> queries)
      : max_width(width), max_piece(piece), lanes(threads) {
    for (const cuzk_query& query : queries) {
      with_group(query.curve, query.group, [&]<class G>() { add<G>(query.count); });
    }
  }

  uint64_t workspace() const { return bucket_bytes + sort_bytes + lanes * fold_bytes; }
  uint64_t total() const { return workspace() + sum_bytes; }

  /// The largest within the limit, or the least there is. Gives up piece size, then window width, then threads.
  static JobBudget within(uint64_t limit, uint64_t threads, std::span<const cuzk_query> queries) {
    JobBudget budget(kMostWidth, kMaxPiece, threads, queries);
    while (budget.total() > limit && budget.max_piece > kLeastPiece) {
      budget = JobBudget(budget.max_width, budget.max_piece / 2, threads, queries);
    }
    while (budget.total() > limit && budget.max_width > kLeastWidth) {
      budget = JobBudget(budget.max_width - 1, budget.max_piece, threads, queries);
    }
    while (budget.total() > limit && budget.lanes > 1) {
      budget = JobBudget(budget.max_width, budget.max_piece, budget.lanes / 2, queries);
    }
    return budget;
  }

  /// The widest windows for `count` points.
  template <class G>
  QueryShape<G> widest(uint64_t count) const {
    using Shape = QueryShape<G>;
    const unsigned best = Shape::best_width(static_cast<double>(count) * Shape::Digits::kBits);
    return {std::min(best, max_width), std::clamp<uint64_t>(count, 1, max_piece), Shape::segment_of(count), lanes};
  }
  /// For scalars of `bits` bits together; its sort scratch fits sort_bytes.
  template <class G>
  QueryShape<G> for_bits(uint64_t count, uint64_t bits) const {
    QueryShape<G> shape = widest<G>(count);
    shape.width = std::min(shape.width, QueryShape<G>::best_width(static_cast<double>(bits)));
    while (SortScratch<G>::bytes(shape) > sort_bytes && shape.piece > QueryShape<G>::kMinPiece) shape.piece /= 2;
    return shape;
  }

 private:
  template <class G>
  void add(uint64_t count) {
    QueryShape<G> shape = widest<G>(count);
    Arena buckets, fold;
    buckets.take<arith::Affine<G>>(shape.buckets());
    FoldScratch<G>::lay_out(fold, shape.segment);
    bucket_bytes += buckets.used();
    fold_bytes = std::max(fold_bytes, fold.used());
    uint64_t ranges = shape.ranges();
    sort_bytes = std::max(sort_bytes, SortScratch<G>::bytes(shape));
    shape.piece = std::min(shape.piece, QueryShape<G>::kMinPiece);
    for (; shape.width >= QueryShape<G>::Digits::kMinWidth; --shape.width) {
      sort_bytes = std::max(sort_bytes, SortScratch<G>::bytes(shape));
      ranges = std::max(ranges, shape.ranges());
    }
    sum_bytes += ranges * sizeof(RangeSum<G>);
  }
};

}  // namespace cuzk::cpu
