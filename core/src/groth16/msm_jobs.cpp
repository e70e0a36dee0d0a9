#include "groth16/msm_jobs.hpp"

#include "groth16/queries.hpp"

#include <algorithm>

#include <cuzk/error.hpp>

namespace cuzk::groth16 {

void MsmJobs::open(Worker& worker, const Lease& lease) {
  std::vector<QueryId> streamed;
  for (const JobLayout& job : session_.layout.jobs) {
    for (const QueryId id : job.queries) {
      if (!session_.resident(id)) streamed.push_back(id);
    }
  }
  const cuzk_mem memory = lease.call().workspace;
  const uint64_t ring = session_.layout.ring;
  stream_.emplace(session_, worker, part(memory, memory.bytes - ring, ring), std::move(streamed));
}

void MsmJobs::run(Worker& worker, const Lease& lease, const JobLayout& job, const cuzk_vec& scalars) {
  std::vector<cuzk_query> queries;
  for (const QueryId id : job.queries) {
    const cuzk_query query = session_.query(id);
    queries.push_back(job.compacted ? compacted(query) : query);
  }
  if (job.by_chunk && !queries[0].bases) {
    run_by_chunk(worker, lease, job, queries[0], scalars);
  } else {
    const Lease step = step_of(worker, lease, job.plan);
    start(worker, step, scalars, job.queries, std::move(queries), job.plan);
    const Pending& now = pending_.back();
    for (uint32_t q = 0; q < now.ids.size(); ++q) {
      while (stream_->next(now.ids[q])) {
        const PointStream::Chunk fed = stream_->take(step);
        now.job->feed(step, q, fed.points, fed.first, fed.count, fed.ready, fed.free);
        bring_ahead(step);
      }
    }
    end(worker, step);
  }
  worker.fences.wait(Fences::end);
}

/// Every chunk is a job. Where jobs allocate nothing themselves, which is counted for one at a time, the results of one
/// are put together while the next runs.
void MsmJobs::run_by_chunk(Worker& worker, const Lease& lease, const JobLayout& job, const cuzk_query& query,
                           const cuzk_vec& scalars) {
  const QueryId id = job.queries[0];
  const bool beside = session_.msm_on && job.plan.unmanaged == 0;
  while (stream_->next(id)) {
    const PointStream::Chunk fed = stream_->take(lease);
    const cuzk_query chunk = chunk_of(query, fed.first, fed.count);
    const cuzk_plan plan = fed.first == 0 ? job.plan : plan_chunk(chunk, job.plan);
    const Lease step = step_of(worker, lease, plan);
    worker.fences.wait(Fences::end);  // of the job before: the workspace is this one's now
    start(worker, step, scalars, {id}, {chunk}, plan);
    pending_.back().job->feed(step, 0, fed.points, 0, fed.count, fed.ready, fed.free);
    bring_ahead(step);
    end(worker, step);
    if (!beside) {
      worker.fences.wait(Fences::end);
      collect(pending_.size() - 1);
    } else if (fed.first != 0) {
      collect(pending_.size() - 2);
    }
  }
}

Lease MsmJobs::step_of(Worker& worker, const Lease& lease, const cuzk_plan& plan) {
  return lease.with(part(lease.call().workspace, 0, plan.workspace), worker.pinned.memory(plan.pinned));
}

void MsmJobs::start(Worker& worker, const Lease& lease, const cuzk_vec& scalars, std::vector<QueryId> ids,
                    std::vector<cuzk_query> queries, const cuzk_plan& plan) {
  pending_.push_back({std::move(ids), std::move(queries), nullptr});
  pending_.back().job = worker.msm->start(lease, scalars, pending_.back().queries, plan);
}

void MsmJobs::end(Worker& worker, const Lease& lease) {
  pending_.back().job->end(lease, session_.msm_on ? worker.fences.record(Fences::end) : cuzk_fence{});
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

void MsmJobs::collect(size_t index) {
  Pending& one = pending_[index];
  std::vector<PointBytes> results(one.ids.size());
  std::vector<void*> out;
  out.reserve(results.size());
  for (PointBytes& result : results) out.push_back(result.bytes.data());
  one.job->finish(out);
  for (size_t q = 0; q < results.size(); ++q) points_[static_cast<size_t>(one.ids[q])].push_back(results[q]);
  one.job.reset();  // before its queries
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
}

void MsmJobs::collect() {
  while (!pending_.empty()) collect(0);
}

}  // namespace cuzk::groth16
