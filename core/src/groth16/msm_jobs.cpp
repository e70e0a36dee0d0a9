#include "groth16/msm_jobs.hpp"

#include "groth16/point_stream.hpp"
#include "groth16/queries.hpp"

#include <algorithm>

#include <cuzk/error.hpp>

namespace cuzk::groth16 {

void MsmJobs::run(Worker& worker, const Lease& lease, const JobLayout& job, const cuzk_vec& scalars) {
  const Layout& layout = session_.layout;
  std::vector<cuzk_query> queries;
  uint64_t ring = 0;
  for (const QueryId id : job.queries) {
    const cuzk_query query = session_.query(id);
    queries.push_back(job.compacted ? compacted(query) : query);
    if (!query.bases) {
      ring = std::max(
          ring, align(std::min(query.count, layout.chunk_points) * point_bytes(session_.shape().curve, group_of(id))));
    }
  }
  ring *= session_.msm_on && !layout.adopted ? layout.chunks : 0;
  const cuzk_mem memory = lease.call().workspace;
  const auto step_with = [&](const cuzk_plan& plan) {
    return lease.with(part(memory, ring, plan.workspace), worker.pinned.memory(plan.pinned));
  };
  PointStream points(session_, worker, part(memory, 0, ring));

  if (job.by_chunk && !queries[0].bases) {
    const QueryId id = job.queries[0];
    for (uint64_t first = 0; first < queries[0].count; first += layout.chunk_points) {
      const uint64_t count = std::min(layout.chunk_points, queries[0].count - first);
      const cuzk_query chunk = chunk_of(queries[0], first, count);
      const cuzk_plan plan = first == 0 ? job.plan : plan_chunk(chunk, job.plan);
      const Lease step = step_with(plan);
      start(worker, step, scalars, {id}, {chunk}, plan);
      const PointStream::Chunk fed = points.bring(step, id, first, count);
      pending_.back().job->feed(step, 0, fed.points, 0, count, fed.ready, fed.free);
      end(worker, step);
      collect(pending_.back());  // else every chunk's job would hold its memory until the last
      pending_.pop_back();
    }
  } else {
    const Lease step = step_with(job.plan);
    start(worker, step, scalars, job.queries, std::move(queries), job.plan);
    Pending& now = pending_.back();
    for (uint32_t q = 0; q < now.ids.size(); ++q) {
      if (now.queries[q].bases) continue;
      for (uint64_t first = 0; first < now.queries[q].count; first += layout.chunk_points) {
        const uint64_t count = std::min(layout.chunk_points, now.queries[q].count - first);
        const PointStream::Chunk fed = points.bring(step, now.ids[q], first, count);
        now.job->feed(step, q, fed.points, first, count, fed.ready, fed.free);
      }
    }
    end(worker, step);
  }
  uploaded_ += points.uploaded();
  paths_ |= points.paths();
}

void MsmJobs::start(Worker& worker, const Lease& lease, const cuzk_vec& scalars, std::vector<QueryId> ids,
                    std::vector<cuzk_query> queries, const cuzk_plan& plan) {
  pending_.push_back({std::move(ids), std::move(queries), nullptr});
  pending_.back().job = worker.msm->start(lease, scalars, pending_.back().queries, plan);
}

void MsmJobs::end(Worker& worker, const Lease& lease) {
  pending_.back().job->end(lease, session_.msm_on ? worker.fences.record(Fences::end) : cuzk_fence{});
  worker.fences.wait_all();
}

/// A later chunk may be shorter and be planned otherwise, but must get by with the memory of the first.
cuzk_plan MsmJobs::plan_chunk(const cuzk_query& chunk, const cuzk_plan& whole) const {
  const MsmComponent& msm = *session_.strategy.msm;
  const cuzk_device_info info =
      session_.msm_on ? session_.device->info() : host_info(session_.services.cpu().threads());
  const cuzk_plan plan = msm.plan_job(info, {&chunk, 1}, whole.workspace + whole.unmanaged);
  if (plan.workspace > whole.workspace || plan.unmanaged > whole.unmanaged || plan.pinned > whole.pinned) {
    throw Error(ErrorCode::internal, msm.info().full_name() + ": plans more memory for " + std::to_string(chunk.count) +
                                         " points than for a full chunk");
  }
  return plan;
}

void MsmJobs::collect(Pending& one) {
  std::vector<PointBytes> results(one.ids.size());
  std::vector<void*> out;
  out.reserve(results.size());
  for (PointBytes& result : results) out.push_back(result.bytes.data());
  one.job->finish(out);
  for (size_t q = 0; q < results.size(); ++q) points_[static_cast<size_t>(one.ids[q])].push_back(results[q]);
}

void MsmJobs::collect() {
  for (Pending& one : pending_) collect(one);
  pending_.clear();
}

Points MsmJobs::finish() {
  collect();
  return std::move(points_);
}

}  // namespace cuzk::groth16
