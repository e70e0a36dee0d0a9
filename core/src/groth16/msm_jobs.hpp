#pragma once
#include "groth16/session.hpp"

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace cuzk::groth16 {

class PointStream;

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

  /// Starts, feeds and ends what the layout calls one job, and returns when the device is done with it. The lease's
  /// workspace holds the chunk ring, then the job's own.
  void run(Worker&, const Lease&, const JobLayout&, const cuzk_vec& scalars);
  /// CPU only, neither lease nor worker: finishes and drops all that ran.
  void collect();
  Points take() { return std::move(points_); }  ///< the results of all that were collected
  uint64_t uploaded() const { return uploaded_; }
  uint32_t paths() const { return paths_; }  ///< bits 1 << CUZK_PATH_*: how streamed bases came

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
  void run_by_chunk(Worker&, const Lease&, uint64_t ring, PointStream&, const JobLayout&, const cuzk_query&,
                    const cuzk_vec& scalars);
  Lease step_of(Worker&, const Lease&, uint64_t ring, const cuzk_plan&) const;  ///< ring: bytes before its workspace
  void start(Worker&, const Lease&, const cuzk_vec& scalars, std::vector<QueryId> ids, std::vector<cuzk_query>,
             const cuzk_plan&);
  void end(Worker&, const Lease&);
  void collect(size_t index);
  cuzk_plan plan_chunk(const cuzk_query&, const cuzk_plan& whole) const;

  const Session& session_;
  std::vector<Pending> pending_;
  Points points_;
  uint64_t uploaded_ = 0;
  uint32_t paths_ = 0;
};

}  // namespace cuzk::groth16
