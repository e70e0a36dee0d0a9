#pragma once
#include "groth16/point_stream.hpp"
#include "groth16/session.hpp"

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cuzk::groth16 {

/// One affine point of any of the four groups, in the ABI's layout, the rest unused.
struct alignas(16) PointBytes {
  std::array<std::byte, 192> bytes{};
};

/// For each query the points whose sum is its result.
using Points = std::array<std::vector<PointBytes>, kQueries>;

/// The MSM jobs of one partition. What a component cannot do (CUZK_MSM_SELECT, FEED, MANY) is done here, as the layout
/// says.
class MsmJobs {
 public:
  explicit MsmJobs(const Session& session) : session_(session) {}

  /// Before all jobs, under their lease: streamed bases will come through the ring at the end of its workspace.
  void open(Worker&, const Lease&);
  /// Begins to bring the first chunk of the next job, if that streams bases.
  void bring_ahead(const Lease& lease) { stream_->bring_ahead(lease); }
  /// Starts, feeds and ends what the layout calls one job, and returns when the device is done with it. The next job's
  /// first chunk is under way then. The job's own memory is the beginning of the lease's workspace.
  void run(Worker&, const Lease&, const JobLayout&, const cuzk_vec& scalars);
  /// CPU only, neither lease nor worker: finishes and drops all that ran.
  void collect();
  Points take() { return std::move(points_); }  ///< the results of all that were collected
  uint64_t uploaded() const { return stream_ ? stream_->uploaded() : 0; }
  /// Bits 1 << CUZK_PATH_*: how streamed bases came.
  uint32_t paths() const { return stream_ ? stream_->paths() : 0; }

  /// Drops the jobs on destruction, which waits until nothing of them runs, unless they are to be finished. Declared
  /// after a lease, so that after an error nothing runs when the lease leaves.
  class Guard {
   public:
    explicit Guard(MsmJobs& jobs) : jobs_(&jobs) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
      if (jobs_ != nullptr) jobs_->pending_.clear();
    }
    void keep() { jobs_ = nullptr; }

   private:
    MsmJobs* jobs_;
  };

 private:
  struct Pending {
    std::vector<QueryId> ids;
    std::vector<cuzk_query> queries;
    std::unique_ptr<Msm::Job> job;  ///< dies before its queries
  };
  void run_by_chunk(Worker&, const Lease&, const JobLayout&, const cuzk_query&, const cuzk_vec& scalars);
  static Lease step_of(Worker&, const Lease&, const cuzk_plan&);
  void start(Worker&, const Lease&, const cuzk_vec& scalars, std::vector<QueryId> ids, std::vector<cuzk_query>,
             const cuzk_plan&);
  void end(Worker&, const Lease&);
  void collect(size_t index);
  cuzk_plan plan_chunk(const cuzk_query&, const cuzk_plan& whole) const;

  const Session& session_;
  std::vector<Pending> pending_;
  Points points_;
  std::optional<PointStream> stream_;
};

}  // namespace cuzk::groth16
