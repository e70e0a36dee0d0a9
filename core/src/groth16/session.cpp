#include "groth16/session.hpp"

#include "formats/read_intact.hpp"
#include "groth16/point_stream.hpp"
#include "groth16/queries.hpp"
#include "groth16/staging_ring.hpp"

#include <bit>

#include <cuzk/error.hpp>
#include <cuzk/fits.hpp>

namespace cuzk::groth16 {
namespace {

constexpr cuzk_space kHost{CUZK_SPACE_HOST, 0};

uint32_t log2_ceil(uint64_t size) { return static_cast<uint32_t>(std::bit_width(size - 1)); }

/// Every component can do this key on that device. Error unusable.
const Strategy& checked(const Strategy& strategy, const Device& device, const KeyShape& shape) {
  if (strategy.workers == 0) throw Error(ErrorCode::usage, "a strategy needs at least one worker");
  uint64_t longest = 1;
  for (const KeyShape::Query& query : shape.queries) longest = std::max(longest, query.count);
  const uint32_t kind = device.space().kind;
  const auto require = [&](const Component& component, uint64_t size) {
    const std::string reason = misfit(component.info(), kind, shape.curve, log2_ceil(size));
    if (!reason.empty()) throw Error(ErrorCode::unusable, reason);
  };
  require(*strategy.staging, 1);
  require(*strategy.ntt, shape.domain_size());
  require(*strategy.msm, longest);
  require(*strategy.lock, 1);
  return strategy;
}

}  // namespace

Session::Session(HostServices& host_services, const Strategy& opened, std::shared_ptr<HeldDevice> held_device,
                 std::shared_ptr<const ProvingKey> proving_key, std::optional<uint64_t> host_memory,
                 const ProofJob* job)
    : services(host_services),
      strategy(checked(opened, *held_device->device, proving_key->shape)),
      held(std::move(held_device)),
      device(held->device),
      key(std::move(proving_key)),
      ntt_on(runs_on(*strategy.ntt, *device)),
      msm_on(runs_on(*strategy.msm, *device)),
      layout(plan_layout(strategy, *device, key->shape, services.cpu().threads(), held->ledger.available(), key->name)),
      host(plan_host_memory(strategy, *device, layout, *key, most_in_flight(strategy), host_memory)),
      queue(services, device->name(), device->space(), strategy.lock->open(strategy.workers),
            strategy.lock->info().full_name(), layout.slots, strategy.workers, layout.late_slots(*strategy.lock)),
      free_workers(services) {
  std::vector<cuzk_mem> workspaces;
  for (uint32_t i = 0; i < layout.workspaces; ++i) {
    workspaces.push_back(hold(layout.workspace_allocated, true, "workspace"));
    hold(layout.workspace - layout.workspace_allocated, false, "workspace");
  }
  for (uint32_t i = 0; i < layout.slots; ++i) slots_.push_back(hold(layout.slot, !layout.adopted, "slot"));
  for (const cuzk_mem& workspace : workspaces) {
    for (uint32_t k = 0; k < layout.late_slots(*strategy.lock); ++k) {
      slots_.push_back(layout.adopted ? cuzk_mem{nullptr, layout.slot, device->space()}
                                      : part(workspace, k * layout.slot, layout.slot));
    }
  }
  queue.set_workspaces(std::move(workspaces));
  for (uint32_t i = 0; i < strategy.workers; ++i) {
    workers_.push_back(std::make_unique<Worker>(device, i));
    open_worker(*workers_.back());
  }
  formats::read_intact(*key, [&] { load_key(job); });
  for (const auto& worker : workers_) free_workers.give(*worker);
}

/// Bytes of the device for as long as the session lives.
cuzk_mem Session::hold(uint64_t bytes, bool allocated, const std::string& what) {
  if (bytes == 0) return {nullptr, 0, device->space()};
  regions_.push_back(allocated ? held->ledger.take(bytes, what) : held->ledger.book(bytes, what));
  return regions_.back().memory();
}

void Session::stop_if_cancelled(uint64_t ticket, const std::string& where) const {
  if (!services.cancelled(ticket)) return;
  throw Error(ErrorCode::cancelled, device->name() + ": ticket " + std::to_string(ticket) + " was cancelled " + where);
}

void Session::open_worker(Worker& worker) {
  HostPool& pool = services.memory();
  hold(layout.unmanaged, false, "what MSM jobs allocate themselves");
  if (ntt_on || msm_on) {
    hold(align(layout.staging.unmanaged), false, "staging");
    worker.staging_ring = staging_ring(pool, *strategy.staging, host.ring);
    worker.staging =
        strategy.staging->open(device->space(), layout.staging, worker.staging_ring.memory(layout.staging.pinned));
  }
  worker.pinned = HostBlock(pool, host.pinned, "page-locked memory of the components");
  worker.host_workspace = HostBlock(pool, host.workspace, "workspace in host memory", HostPool::Use::local);
  for (uint32_t i = 0; i < host.chunks; ++i) worker.decoded[i] = HostBlock(pool, host.decoded, "decoded points");
  cuzk_mem resident{};
  if (ntt_on) {
    resident = hold(align(layout.ntt.resident), true, "twiddles");
    resident.bytes = layout.ntt.resident;
  } else {
    worker.host_resident = HostBlock(pool, host.resident, "twiddles in host memory", HostPool::Use::local);
    resident = worker.host_resident.memory(layout.ntt.resident);
  }
  worker.ntt = strategy.ntt->open(ntt_on ? device->space() : kHost, shape().domain, layout.ntt, resident);
  worker.msm = strategy.msm->open(msm_on ? device->space() : kHost);
}

/// Selection masks and resident bases, under leases like any other work.
void Session::load_key(const ProofJob* job) {
  if (key->query(QueryId::b1).select != key->query(QueryId::b2).select) {
    throw Error(ErrorCode::internal, key->name + ": b1 and b2 select different variables");
  }
  std::array<cuzk_mem, kQueries> resident{};
  bool any = false;
  for (size_t i = 0; i < kQueries; ++i) {
    const auto id = static_cast<QueryId>(i);
    if (takes_masks(*strategy.msm) && shape().queries[i].selects && mask_owner(id) == id) {
      const uint64_t bytes = mask_bytes(shape().queries[i]);
      if (msm_on) {
        masks_[i] = hold(align(bytes), !layout.adopted, "selection masks");
        any = true;
      } else {
        auto* words = const_cast<uint64_t*>(key->queries[i].select.data());  // only read
        masks_[i] = {words, bytes, kHost};
      }
    }
    if (layout.bases[i].resident != 0) {
      resident[i] = hold(align(layout.bases[i].resident), true, "resident bases");
      any = true;
    }
  }
  if (!any) return;

  Worker& worker = *workers_[0];
  const uint64_t ticket = queue.draw_ticket(0, strategy.alone);
  const HostServices::Watch watch(services, ticket, job);
  const Span span(services, "load key", device->name(), ticket);
  {
    Lease lease = queue.stage(ticket, 0);
    const Settled settled{worker.fences};
    for (size_t i = 0; i < kQueries; ++i) {
      if (masks_[i].bytes == 0) continue;
      const auto mask = std::as_bytes(std::span(key->queries[i].select));
      masks_[i].bytes = mask.size();
      worker.staging->upload(lease, masks_[i], mask, services.memory().pinned(mask), {},
                             worker.fences.record(Fences::a));
      worker.fences.wait(Fences::a);
    }
    lease.finish();
  }
  Lease lease = queue.compute(ticket, 0);
  const Settled settled{worker.fences};
  for (size_t i = 0; i < kQueries; ++i) {
    if (resident[i].bytes != 0) load_bases(lease, static_cast<QueryId>(i), resident[i]);
  }
  lease.finish();
}

void Session::load_bases(const Lease& lease, QueryId id, cuzk_mem resident) {
  Worker& worker = *workers_[0];
  const cuzk_plan& plan = layout.bases[static_cast<size_t>(id)];
  const cuzk_query asked = query_of(shape(), id, plan);
  const uint64_t points = std::min(asked.count, layout.chunk_of(id));
  const uint64_t ring = layout.adopted ? 0 : layout.chunks * align(points * point_bytes(shape().curve, group_of(id)));
  const cuzk_mem workspace = lease.call().workspace;
  const Lease step = lease.with(part(workspace, ring, plan.workspace), worker.pinned.memory(plan.pinned));
  PointStream stream(*this, worker, part(workspace, 0, ring), {id});
  resident.bytes = plan.resident;
  while (stream.next(id)) {
    const PointStream::Chunk chunk = stream.take(step);
    worker.msm->load(step, asked, resident, chunk.points, chunk.first, chunk.count, chunk.ready, chunk.free,
                     bases_[static_cast<size_t>(id)]);
  }
  worker.fences.wait_all();
}

cuzk_query Session::query(QueryId id) const {
  const auto i = static_cast<size_t>(id);
  cuzk_query out = query_of(shape(), id, layout.bases[i]);
  if (bases_[i]) out.bases = bases_[i]->handle();
  out.select = masks_[static_cast<size_t>(mask_owner(id))];
  return out;
}

}  // namespace cuzk::groth16
