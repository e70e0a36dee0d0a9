#include "groth16/partition.hpp"

#include "groth16/queries.hpp"

#include <cuzk/error.hpp>
#include <cuzk/ntt_defaults.hpp>

namespace cuzk::groth16 {
namespace {

cuzk_mem host_memory(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size(), {CUZK_SPACE_HOST, 0}};
}

/// Makes of the errors of body, which works under a lease, what they are to those who may try again.
template <class Body>
void under_lease(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    const ErrorCode code = error.code();
    if (code != ErrorCode::device_failed && code != ErrorCode::out_of_memory) throw;
    throw FailedOnDevice(code, error.what());
  }
}

}  // namespace

Partition::Partition(Session& session, const Witness& witness, const ProofJob* job, uint32_t lane)
    : session_(session),
      witness_(witness),
      lane_(lane),
      jobs_(session),
      ticket_(session.queue.draw_ticket(job == nullptr ? ProofJob().number() : job->number(), session.strategy.alone)),
      watch_(session.services, ticket_, job) {}

Partition::~Partition() { session_.queue.abandon(ticket_); }

Points Partition::run() {
  prepare();
  with_worker();
  if (session_.layout.unmanaged == 0) collect();
  return jobs_.take();
}

void Partition::prepare() {
  evaluate();
  session_.stop_if_cancelled(ticket_, "after a and b were evaluated");
  if (!session_.ntt_on || session_.layout.c_late) c_ = product();
  select_scalars();
}

void Partition::with_worker() {
  const WorkerPool::Lent worker = [this] {
    const Span span(session_.services, "wait worker", {}, ticket_, lane_);
    return session_.free_workers.take(ticket_, session_.device->name());
  }();
  worker_ = &*worker;
  if (!session_.ntt_on) quotient_on_host();
  if (session_.ntt_on || session_.msm_on) on_device();
  if (!session_.msm_on) jobs_on_host();
  if (session_.layout.unmanaged != 0) collect();  // what jobs allocate themselves is booked once a worker
}

void Partition::collect() {
  const Span span(session_.services, "finish", {}, ticket_, lane_);
  MsmJobs::Guard guard(jobs_);
  jobs_.collect();
}

void Partition::evaluate() {
  const Span span(session_.services, "evaluate", {}, ticket_, lane_);
  HostPool& pool = session_.services.memory();
  a_ = FrVector(pool, session_.shape().domain_size(), "the vector a");
  b_ = FrVector(pool, session_.shape().domain_size(), "the vector b");
  session_.key->matrices->evaluate(session_.services.cpu(), witness_.values.span(), a_.span(), b_.span());
}

/// c = a b, row by row.
FrVector Partition::product() const {
  FrVector c(session_.services.memory(), a_.size(), "the vector c");
  const auto operand = [this](const FrVector& v) { return vec(host_memory(v.bytes()), v.size(), CUZK_MONTGOMERY); };
  ntt_defaults::pointwise(session_.services.cpu(), session_.shape().domain, operand(c), operand(a_), operand(b_),
                          CUZK_MUL);
  return c;
}

cuzk_vec Partition::vec(const cuzk_mem& memory, uint64_t count, uint32_t form, cuzk_fence ready) const {
  return {part(memory, 0, count * kFrBytes), count, static_cast<uint32_t>(session_.shape().curve), form, ready};
}

/// The monomial basis has no base for h's highest coefficient, which is zero.
cuzk_vec Partition::h_scalars(const cuzk_mem& h, cuzk_fence ready) const {
  const KeyShape::Query& query = session_.shape().queries[static_cast<size_t>(QueryId::h)];
  return vec(h, query.first + query.span, CUZK_MONTGOMERY, ready);
}

void Partition::quotient_on_host() {
  const Span span(session_.services, "quotient", {}, ticket_, lane_);
  const Layout& layout = session_.layout;
  const Lease lease = Lease::for_host(ticket_, worker_->index, worker_->host_workspace.memory(layout.ntt.workspace));
  const Lease step = lease.with(lease.call().workspace, worker_->pinned.memory(layout.ntt.pinned));
  const uint64_t n = session_.shape().domain_size();
  const cuzk_vec a = vec(host_memory(a_.bytes()), n, CUZK_MONTGOMERY);
  worker_->ntt->quotient_ab(step, a, vec(host_memory(b_.bytes()), n, CUZK_MONTGOMERY), {});
  worker_->ntt->quotient_c(step, a, vec(host_memory(c_.bytes()), n, CUZK_MONTGOMERY), {});
  b_ = {};
  c_ = {};
}

/// For jobs whose component takes no masks.
void Partition::select_scalars() {
  for (const JobLayout& job : session_.layout.jobs) {
    if (!job.compacted) continue;
    const KeyQuery& query = session_.key->query(job.queries[0]);
    FrVector selected(session_.services.memory(), query.points->count(), "the selected scalars");
    uint64_t next = 0;
    for (uint64_t i = 0; i < query.span; ++i) {
      if ((query.select[i / 64] >> (i % 64)) & 1U) selected.data()[next++] = witness_.values.data()[query.first + i];
    }
    selected_[static_cast<size_t>(job.queries[0])] = std::move(selected);
  }
}

/// The copies of stage may run until compute waits for them; whatever goes wrong, they are over when slot and worker go
/// back.
void Partition::on_device() {
  DeviceQueue& queue = session_.queue;
  Fences& fences = worker_->fences;
  const Settled at_the_end{fences};
  {
    Lease lease = queue.stage(ticket_, worker_->index, [&fences] { fences.settle(); });
    under_lease([&] {
      Settled settled{fences};
      stage(lease);
      settled.keep();
    });
    lease.finish();
  }
  Lease lease = queue.compute(ticket_, worker_->index);
  under_lease([&] {
    const Settled settled{fences};
    MsmJobs::Guard guard(jobs_);
    if (session_.msm_on) jobs_.open(*worker_, lease);
    if (session_.ntt_on) quotient(lease);
    if (session_.msm_on) {
      jobs_on_device(lease);
    } else if (!session_.layout.adopted) {
      download_h(lease);
    }
    fences.wait_all();  // also those that nothing waited for here: what they stand for may have failed
    guard.keep();
  });
  lease.finish();
}

cuzk_mem Partition::upload(const Lease& lease, cuzk_mem dst, std::span<const std::byte> src, cuzk_fence after,
                           uint32_t done) {
  const bool adopted = session_.layout.adopted;
  if (adopted) dst = {nullptr, src.size(), session_.device->space()};
  const uint32_t path = worker_->staging->upload(lease, dst, src, session_.services.memory().pinned(src), after,
                                                 worker_->fences.record(done));
  if (!src.empty()) paths_ |= uint32_t{1} << path;
  if (dst.data == nullptr && !src.empty()) {
    throw Error(ErrorCode::internal, session_.strategy.staging->info().full_name() + ": upload gave no memory");
  }
  if (!adopted) uploaded_ += src.size();
  return dst;
}

void Partition::stage(Lease& lease) {
  Span span(session_.services, "stage", session_.device->name(), ticket_, worker_->index);
  const cuzk_mem slot = session_.slot(lease);
  const uint64_t stride = align(domain_bytes());
  uint64_t offset = 0;
  device_a_ = upload(lease, part(slot, offset, domain_bytes()), a_.bytes(), {}, Fences::a);
  offset += stride;
  if (session_.ntt_on) {
    device_b_ = upload(lease, part(slot, offset, domain_bytes()), b_.bytes(), {}, Fences::b);
    offset += stride;
  }
  if (session_.msm_on && !session_.layout.w_late) send_witness(lease, offset);
  span.add_bytes(uploaded_);
}

void Partition::send_witness(const Lease& lease, uint64_t offset) {
  const auto values = witness_.values.bytes();
  device_witness_ = upload(lease, part(session_.slot(lease), offset, values.size()), values, {}, Fences::witness);
}

void Partition::quotient(Lease& lease) {
  const Span span(session_.services, "quotient", session_.device->name(), ticket_, worker_->index);
  const Layout& layout = session_.layout;
  Fences& fences = worker_->fences;
  const uint64_t n = session_.shape().domain_size();
  const uint64_t made = layout.c_late ? 0 : align(domain_bytes());  // c's place in the workspace
  const cuzk_mem memory = lease.call().workspace;
  const Lease step = lease.with(part(memory, made, layout.ntt.workspace), worker_->pinned.memory(layout.ntt.pinned));
  const auto operand = [&](const cuzk_mem& at, cuzk_fence ready) { return vec(at, n, CUZK_MONTGOMERY, ready); };
  cuzk_mem c = part(memory, 0, domain_bytes());
  if (!layout.c_late) {
    worker_->ntt->pointwise(step, operand(c, {}), operand(device_a_, fences.after(Fences::a)),
                            operand(device_b_, fences.after(Fences::b)), CUZK_MUL, fences.record(Fences::c));
  }
  const auto ready = [&](Fences::Id sent) { return fences.after(layout.c_late ? sent : Fences::c); };
  worker_->ntt->quotient_ab(step, operand(device_a_, ready(Fences::a)), operand(device_b_, ready(Fences::b)),
                            fences.record(Fences::b_free));
  if (layout.c_late) {
    c = upload(step, device_b_, c_.bytes(), fences.after(Fences::b_free), Fences::c);
  }
  worker_->ntt->quotient_c(step, operand(device_a_, fences.after(Fences::b_free)), operand(c, fences.after(Fences::c)),
                           fences.record(Fences::quotient));
  if (session_.msm_on && layout.quotient + layout.ring <= memory.bytes) jobs_.bring_ahead(lease);
  for (const Fences::Id id : {Fences::a, Fences::b, Fences::c, Fences::b_free, Fences::quotient}) fences.wait(id);
  if (session_.msm_on && !layout.adopted) a_ = {};
  b_ = {};
  c_ = {};
}

void Partition::download_h(Lease& lease) {
  Span span(session_.services, "download h", session_.device->name(), ticket_, worker_->index);
  const std::span<std::byte> h = std::as_writable_bytes(a_.span());
  worker_->staging->download(lease, h, session_.services.memory().pinned(h), device_a_, {},
                             worker_->fences.record(Fences::a));
  worker_->fences.wait(Fences::a);
  span.add_bytes(h.size());
}

void Partition::jobs_on_device(Lease& lease) {
  const std::string device = session_.device->name();
  for (const JobLayout& job : session_.layout.jobs) {
    const bool is_h = job.queries[0] == QueryId::h;
    Span span(session_.services, is_h ? "msm h" : "msm witness", device, ticket_, worker_->index);
    const uint64_t before = uploaded();
    if (!is_h && !job.compacted && device_witness_.bytes == 0) send_witness(lease, align(domain_bytes()));
    if (job.compacted) {
      const FrVector& selected = selected_[static_cast<size_t>(job.queries[0])];
      const uint64_t place = session_.layout.adopted ? 0 : align(selected.bytes().size());
      const cuzk_mem memory = lease.call().workspace;
      const Lease step = lease.with(part(memory, place, memory.bytes - place), {});
      const cuzk_mem scalars =
          upload(lease, part(memory, 0, selected.bytes().size()), selected.bytes(), {}, Fences::selected);
      jobs_.run(*worker_, step, job,
                vec(scalars, selected.size(), CUZK_CANONICAL, worker_->fences.after(Fences::selected)));
    } else {
      jobs_.run(
          *worker_, lease, job,
          is_h ? h_scalars(device_a_, worker_->fences.after(Fences::a))
               : vec(device_witness_, witness_.values.size(), CUZK_CANONICAL, worker_->fences.after(Fences::witness)));
    }
    span.add_bytes(uploaded() - before);
  }
}

void Partition::jobs_on_host() {
  MsmJobs::Guard guard(jobs_);
  jobs_.open(*worker_, Lease::for_host(ticket_, worker_->index, {}));
  for (const JobLayout& job : session_.layout.jobs) {
    const bool is_h = job.queries[0] == QueryId::h;
    const Span span(session_.services, is_h ? "msm h" : "msm witness", {}, ticket_, lane_);
    const FrVector& scalars = job.compacted ? selected_[static_cast<size_t>(job.queries[0])] : witness_.values;
    const Lease lease = Lease::for_host(ticket_, worker_->index, worker_->host_workspace.memory(job.plan.workspace));
    jobs_.run(
        *worker_, lease, job,
        is_h ? h_scalars(host_memory(a_.bytes())) : vec(host_memory(scalars.bytes()), scalars.size(), CUZK_CANONICAL));
  }
  guard.keep();
}

}  // namespace cuzk::groth16
