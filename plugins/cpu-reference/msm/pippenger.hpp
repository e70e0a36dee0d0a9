#pragma once
#include <memory>
#include <span>
#include <vector>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cpu {

/// The MSM component: Pippenger's method with signed digits and batch-affine buckets, in host-addressable memory. Bases
/// are always streamed: feeding mapped memory costs nothing. The workspace holds the buckets of all queries and what
/// one piece of at most 2^18 points is sorted in; it does not grow with the queries beyond that. All work is done when
/// a call returns; results do not depend on the number of threads.
class Pippenger {
 public:
  static constexpr uint32_t kFlags = CUZK_MSM_SELECT | CUZK_MSM_FEED | CUZK_MSM_MANY;

  static cuzk_plan plan_job(const cuzk_device_info& device, std::span<const cuzk_query> queries, uint64_t limit);

  explicit Pippenger(cuzk_space space);

  class Query;
  class Job {
   public:
    Job(const cuzk_call& call, const cuzk_vec& scalars, std::span<const cuzk_query> queries, const cuzk_plan& plan);
    ~Job();
    void feed(const cuzk_call& call, uint32_t query, cuzk_mem chunk, uint64_t first, uint64_t count, cuzk_fence after,
              cuzk_fence chunk_free);
    void end(const cuzk_call& call, cuzk_fence done);
    void finish(std::span<void* const> out);

   private:
    std::vector<std::unique_ptr<Query>> queries_;
    bool ended_ = false;
  };

  std::unique_ptr<Job> start(const cuzk_call& call, cuzk_vec scalars, std::span<const cuzk_query> queries,
                             const cuzk_plan& plan);
};

}  // namespace cuzk::cpu
