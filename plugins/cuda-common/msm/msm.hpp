#pragma once
#include "../cuda/check.hpp"
#include "../cuda/spans.hpp"
#include "kernels.hpp"
#include "plan.hpp"
#include "tables.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// The MSM component: Pippenger's method with signed digits in device memory, up to the sums of windows; finish() joins
/// these on the CPU. Any number of queries of either group, ranges, masks; bases resident, where memory allows with
/// tables of multiples, or fed. The queries of a job
/// take turns in the workspace; resident ones of the same scalars share their sorted digits where memory allows.
/// Results do not depend on the card or the plan.
///
/// Calls enqueue on the instance's own stream; a second one, which begins and ends within end(), sums up the windows of
/// resident queries, which few threads do in long turns, while the next group is added up. A job waits for the device
/// once to learn how long its scalars are: start() where there are masks, whose ones are counted too, else the first
/// feed() or end(); and once more for the lengths of blocks where a query is not added up in one piece. end() waits,
/// since sums come back into ordinary memory; load() waits, since other instances may then use the bases; multiples()
/// (see multiples.hpp) waits, since its first table comes from ordinary memory.
class Msm {
 public:
  static constexpr uint32_t kFlags = CUZK_MSM_SELECT | CUZK_MSM_FEED | CUZK_MSM_MANY;

  /// Bases of one query in device memory, as they came, and their tables behind them.
  class Bases {
   public:
    Bases(const cuzk_query& query, cuzk_mem resident);

   private:
    friend class Msm;
    uint32_t curve_, group_;
    BaseTables tables_;
    uint64_t count_, loaded_ = 0;
    std::byte* data_;
  };
  class Job;

  static cuzk_plan plan_bases(const cuzk_device_info& device, const cuzk_query& query, uint64_t limit);
  static cuzk_plan plan_job(const cuzk_device_info& device, std::span<const cuzk_query> queries, uint64_t limit);

  static cuzk_plan plan_multiples(const cuzk_device_info& device, uint32_t curve, uint32_t group, uint64_t count,
                                  uint64_t limit);

  explicit Msm(cuzk_space space);

  void load(const cuzk_call& call, const cuzk_query& query, cuzk_mem resident, cuzk_mem chunk, uint64_t first,
            uint64_t count, cuzk_fence after, cuzk_fence chunk_free, std::unique_ptr<Bases>& bases);
  std::unique_ptr<Job> start(const cuzk_call& call, cuzk_vec scalars, std::span<const cuzk_query> queries,
                             const cuzk_plan& plan);
  void multiples(const cuzk_call& call, uint32_t group, const void* point, cuzk_vec scalars, const cuzk_plan& plan,
                 cuzk_mem out, cuzk_fence done);

 private:
  /// The tables of points [first, first + count), which are there.
  void make_tables(const Bases& bases, const cuzk_query& query, const TablesWorkspace& workspace, uint64_t first,
                   uint64_t count) const;
  /// The bases of a query that they were loaded for.
  static const std::byte* resident(const cuzk_query& query, uint32_t index);

  cuzk_space space_;
  Stream stream_;
  Stream side_;  ///< where windows are summed up beside the next group's additions
  Event added_, summed_;
  mutable Spans spans_;  ///< jobs measure too
};

/// One job. It uses its instance's stream and the workspace that start() was given.
class Msm::Job {
 public:
  Job(const Msm& msm, const cuzk_call& call, const cuzk_vec& scalars, std::span<const cuzk_query> queries,
      const cuzk_plan& plan);
  ~Job();
  void feed(const cuzk_call& call, uint32_t query, cuzk_mem chunk, uint64_t first, uint64_t count, cuzk_fence after,
            cuzk_fence chunk_free);
  void end(const cuzk_call& call, cuzk_fence done);
  void finish(std::span<void* const> out);

 private:
  struct Query {
    Recoding recoding;
    ScalarSource source;
    const PointKernels* kernels;
    const std::byte* resident;  ///< null: streamed
    std::byte* buckets;         ///< its part of Workspace::buckets
    uint64_t fed = 0;
    std::bitset<Shape::kMaxWindows> begun = {};  ///< first windows of groups whose buckets hold something
  };
  Query prepare(uint32_t index) const;
  void check_scalars(const cuzk_query& query, uint32_t index) const;
  /// Enqueues the ranks of masks and the lengths of scalars.
  void count_scalars();
  /// Waits for these, checks that masks select as many scalars as there are bases, and cuts the queries accordingly.
  void cut();
  /// Brings the lengths of blocks for queries that are not one piece.
  void bring_lengths();
  /// The next piece of points [at, end) of the query.
  Piece next(uint32_t index, const EntryBound& bound, uint64_t at, uint64_t end) const;
  /// The next `count` points of queries that have the same entries; after the last ones their windows are summed up.
  /// bases: of the one query that is fed; null: resident.
  void accumulate(const cuzk_call& call, std::span<const uint32_t> group, const std::byte* bases, uint64_t count);
  /// The piece's first base of query q stands at base_of(q).
  template <class BaseOf>
  void accumulate_piece(std::span<const uint32_t> group, const BaseOf& base_of, const Piece& piece, WindowRange windows,
                        const EntryBound& bound);
  void reduce(cudaStream_t stream, uint32_t index);
  /// The windows of the group, on the side if its buckets stay.
  void reduce(std::span<const uint32_t> group);
  void drain() const noexcept;
  /// Runs body; after an error waits until nothing of the job runs.
  template <class Body>
  void settled(Body&& body);

  const Msm& msm_;
  cuzk_vec scalars_;
  std::span<const cuzk_query> asked_;
  std::vector<uint32_t> alike_;  ///< see first_alike()
  std::vector<Shape> shapes_;
  Workspace workspace_;
  std::vector<Query> queries_;
  std::vector<std::vector<uint32_t>> groups_;   ///< of queries that have the same entries
  std::vector<std::byte> sums_;                 ///< windows of all queries, once the job has ended
  std::vector<Profile> profiles_;               ///< of each query, once cut
  std::vector<std::vector<uint16_t>> lengths_;  ///< as in Workspace; of first_alike() queries that need them
  bool apart_, cut_ = false, ended_ = false;
};

}  // namespace cuzk::cuda
