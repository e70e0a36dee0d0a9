#include "groth16/queries.hpp"

#include <algorithm>
#include <string>

#include <cuzk/error.hpp>
#include <cuzk/format_bytes.hpp>
#include <cuzk/groth16/host_plan.hpp>
#include <cuzk/runtime/host_pool.hpp>

namespace cuzk {
namespace {

constexpr auto kPages = HostPool::whole_pages;

void plan_worker(const Strategy& strategy, const Device& device, const Layout& layout, const ProvingKey& key,
                 HostPlan& out) {
  const bool ntt_on = runs_on(*strategy.ntt, device), msm_on = runs_on(*strategy.msm, device);
  out.ring = ntt_on || msm_on ? layout.staging.pinned : 0;
  out.pinned = layout.ntt.pinned;
  out.workspace = ntt_on ? 0 : layout.ntt.workspace;
  out.resident = ntt_on ? 0 : layout.ntt.resident;
  for (const JobLayout& job : layout.jobs) {
    out.pinned = std::max(out.pinned, job.plan.pinned);
    if (!msm_on) out.workspace = std::max(out.workspace, job.plan.workspace);
  }
  bool decode = false;
  uint64_t chunk = 0;
  for (size_t i = 0; i < kQueries; ++i) {
    out.pinned = std::max(out.pinned, layout.bases[i].pinned);
    decode = decode || key.queries[i].points->direct() == nullptr;
    const uint64_t points = std::min(key.shape.queries[i].count, layout.chunk_of(static_cast<QueryId>(i)));
    chunk = std::max(chunk, points * point_bytes(key.shape.curve, group_of(static_cast<QueryId>(i))));
  }
  if (!decode) return;
  out.decoded = chunk;
  out.chunks = layout.chunks;
}

uint64_t partition_bytes(const Layout& layout, const KeyShape& shape, bool ntt_on) {
  const uint64_t vector = kPages(shape.domain_size() * kFrBytes);
  uint64_t bytes = kPages(shape.variables * kFrBytes) + 2 * vector;
  if (!ntt_on || layout.c_late) bytes += vector;
  for (const JobLayout& job : layout.jobs) {
    if (job.compacted) bytes += kPages(shape.queries[static_cast<size_t>(job.queries[0])].count * kFrBytes);
  }
  return bytes;
}

}  // namespace

uint64_t HostPlan::worker() const {
  return kPages(ring) + kPages(pinned) + kPages(workspace) + kPages(resident) + chunks * kPages(decoded);
}

HostPlan plan_host_memory(const Strategy& strategy, const Device& device, const Layout& layout, const ProvingKey& key,
                          uint32_t wanted, std::optional<uint64_t> limit) {
  HostPlan out;
  plan_worker(strategy, device, layout, key, out);
  out.partition = partition_bytes(layout, key.shape, runs_on(*strategy.ntt, device));
  out.workers = strategy.workers;
  if (limit && out.total() > *limit) {
    throw Error(ErrorCode::out_of_memory, "host memory: " + key.name + " needs at least " +
                                              format_exact_bytes(out.total()) + " for one partition at a time on " +
                                              device.name() + ", " + format_exact_bytes(*limit) +
                                              " available (--host-memory)");
  }
  out.in_flight = wanted;
  while (limit && out.total() > *limit) --out.in_flight;
  return out;
}

}  // namespace cuzk
