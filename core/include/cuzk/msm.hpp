#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include <cuzk/component.hpp>
#include <cuzk/error.hpp>
#include <cuzk/lease.hpp>

namespace cuzk {

/// Multi-scalar multiplications: jobs of Q queries over one scalar vector. One instance per worker and device, one
/// thread at a time; only finish() and the end of a job that is done may run beside other calls. Errors: cuzk::Error;
/// then nothing started still runs.
class Msm {
 public:
  /// Loaded bases of one query: immutable, shared by all instances of the component on the device.
  class Bases {
   public:
    virtual ~Bases() = default;
    virtual void* handle() const = 0;  ///< what stands in cuzk_query.bases
  };

  /// One job. Destruction drops it: waits until nothing of it runs.
  class Job {
   public:
    virtual ~Job() = default;
    /// Points [first, first + count) of a streamed query, one query after the other, in order. The chunk may be reused
    /// after chunk_free.
    virtual void feed(const Lease&, uint32_t query, cuzk_mem chunk, uint64_t first, uint64_t count, cuzk_fence after,
                      cuzk_fence chunk_free) = 0;
    virtual void end(const Lease&, cuzk_fence done) = 0;
    /// CPU only, no lease; after `done`. out[q] receives the affine point of query q (point_bytes(curve, group)).
    virtual void finish(std::span<void* const> out) = 0;
  };

  virtual ~Msm() = default;
  /// One chunk of a query's bases towards residency; `bases` is null at first and is filled by the first call.
  virtual void load(const Lease&, const cuzk_query&, cuzk_mem resident, cuzk_mem chunk, uint64_t first, uint64_t count,
                    cuzk_fence after, cuzk_fence chunk_free, std::unique_ptr<Bases>& bases) = 0;
  /// The queries must stay valid until the job is gone. The lease's call carries the workspace that plan_job asked for.
  virtual std::unique_ptr<Job> start(const Lease&, cuzk_vec scalars, std::span<const cuzk_query> queries,
                                     const cuzk_plan& plan) = 0;
  /// out[i] = scalars[i] * point for all scalars, affine, infinity for 0, in out.bytes = count * point_bytes(curve,
  /// group) of the instance's space. point: affine, in host memory, of the group of prime order; read before the call
  /// returns. plan: plan_multiples() for as many or more; the lease's call carries its workspace. Error unusable where
  /// the component does not offer it.
  virtual void multiples(const Lease&, uint32_t /*group*/, const void* /*point*/, cuzk_vec /*scalars*/,
                         const cuzk_plan& /*plan*/, cuzk_mem /*out*/, cuzk_fence /*done*/) {
    throw Error(ErrorCode::unusable, "the component makes no multiples of a point");
  }
};

class MsmComponent : public Component {
 public:
  bool selects() const { return (info().api_flags & CUZK_MSM_SELECT) != 0; }
  bool keeps_buckets() const { return (info().api_flags & CUZK_MSM_FEED) != 0; }
  bool many() const { return (info().api_flags & CUZK_MSM_MANY) != 0; }
  /// Pure: the bases of one query. `limit`, in bytes, counts resident alone; resident == 0 in the answer: streamed.
  /// workspace, unmanaged and pinned: of one load call. Threads: any. Error unusable: not this query.
  virtual cuzk_plan plan_bases(const cuzk_device_info&, const cuzk_query&, uint64_t limit) const = 0;
  /// Pure: one job over these queries, each with its bases' plan. `limit`, in bytes, counts workspace + unmanaged;
  /// resident is 0. The answer may exceed it where `minimum` does: the least with which the component works at all.
  /// Monotone in the limit. Threads: any. Errors: out_of_memory (cannot do within the limit), unusable (not these
  /// queries).
  virtual cuzk_plan plan_job(const cuzk_device_info&, std::span<const cuzk_query>, uint64_t limit) const = 0;
  /// Whether it makes many multiples of one point (Msm::multiples); the rest of this class is for sums.
  virtual bool offers_multiples() const { return false; }
  /// Pure: one call for `count` multiples. `limit`, in bytes, counts workspace + unmanaged; else as plan_job(). Error
  /// unusable where it is not offered.
  virtual cuzk_plan plan_multiples(const cuzk_device_info&, uint32_t /*curve*/, uint32_t /*group*/, uint64_t /*count*/,
                                   uint64_t /*limit*/) const {
    throw Error(ErrorCode::unusable, info().full_name() + ": makes no multiples of a point");
  }
  virtual std::unique_ptr<Msm> open(cuzk_space) const = 0;
};

}  // namespace cuzk
