#include "runtime/modelled_device.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/runtime/modelled.hpp>

namespace cuzk {
namespace {

using runtime::ModelledDevice;
using Card = std::shared_ptr<ModelledDevice>;
using Cards = std::shared_ptr<const std::vector<Card>>;
using Work = ModelledDevice::Work;

/// The card of a space; null for host space, whose steps are the host's own.
Card card_of(const Cards& cards, cuzk_space space) {
  for (const Card& card : *cards) {
    if (card->space().kind == space.kind && card->space().index == space.index) return card;
  }
  return nullptr;
}

uint64_t ready(const cuzk_vec& v) { return ModelledDevice::end_of(v.ready); }

/// For a component that is synchronous.
cuzk_vec settled(cuzk_vec v) {
  v.ready = {};
  return v;
}

bool page_locked(uint32_t path) { return path == CUZK_PATH_PINNED || path == CUZK_PATH_RING; }

class ModelledStaging final : public Staging {
 public:
  ModelledStaging(Card card, std::unique_ptr<Staging> inner) : card_(std::move(card)), inner_(std::move(inner)) {}

  uint32_t upload(const Lease& lease, cuzk_mem& dst, std::span<const std::byte> src, bool src_pinned, cuzk_fence after,
                  cuzk_fence done) override {
    return move(lease, DeviceModel::Way::up, src.size(), after, done,
                [&] { return inner_->upload(lease, dst, src, src_pinned, {}, {}); });
  }
  uint32_t download(const Lease& lease, std::span<std::byte> dst, bool dst_pinned, cuzk_mem src, cuzk_fence after,
                    cuzk_fence done) override {
    return move(lease, DeviceModel::Way::down, src.bytes, after, done,
                [&] { return inner_->download(lease, dst, dst_pinned, src, {}, {}); });
  }

 private:
  template <class Body>
  uint32_t move(const Lease& lease, DeviceModel::Way way, uint64_t bytes, cuzk_fence after, cuzk_fence done,
                Body&& body) {
    uint32_t path = 0;
    const bool up = way == DeviceModel::Way::up;
    Work work{up ? ModelEngines::up : ModelEngines::down, up ? "upload" : "download", ModelledDevice::end_of(after), 0,
              bytes};
    card_->run(lease, work, done, [&](Work& timed) {
      path = body();
      timed.duration_ns = card_->model().copy_ns(bytes, way, page_locked(path));
    });
    return path;
  }

  const Card card_;
  const std::unique_ptr<Staging> inner_;
};

class ModelledNtt final : public Ntt {
 public:
  ModelledNtt(Card card, const cuzk_domain& domain, std::unique_ptr<Ntt> inner)
      : card_(std::move(card)), domain_(domain), inner_(std::move(inner)) {}

  void transform(const Lease& lease, cuzk_vec v, uint32_t kind, cuzk_fence done) override {
    card_->run(lease, kernel("transform", ready(v), card_->model().transform_ns(domain_.log2_size)), done,
               [&](Work&) { inner_->transform(lease, settled(v), kind, {}); });
  }
  void pointwise(const Lease& lease, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done) override {
    card_->run(lease,
               kernel("pointwise", std::max({ready(out), ready(x), ready(y)}), card_->model().product_ns(out.count)),
               done, [&](Work&) { inner_->pointwise(lease, settled(out), settled(x), settled(y), op, {}); });
  }
  void quotient_ab(const Lease& lease, cuzk_vec a, cuzk_vec b, cuzk_fence b_free) override {
    card_->run(lease, kernel("quotient ab", std::max(ready(a), ready(b)), card_->model().quotient_ab_ns(domain_)),
               b_free, [&](Work&) { inner_->quotient_ab(lease, settled(a), settled(b), {}); });
  }
  void quotient_c(const Lease& lease, cuzk_vec ab, cuzk_vec c, cuzk_fence done) override {
    card_->run(lease, kernel("quotient c", std::max(ready(ab), ready(c)), card_->model().quotient_c_ns(domain_)), done,
               [&](Work&) { inner_->quotient_c(lease, settled(ab), settled(c), {}); });
  }

 private:
  static Work kernel(const char* name, uint64_t ready_ns, uint64_t duration_ns) {
    return {ModelEngines::kernels, name, ready_ns, duration_ns, 0};
  }

  const Card card_;
  const cuzk_domain domain_;
  const std::unique_ptr<Ntt> inner_;
};

uint64_t msm_ns(const DeviceModel& model, const cuzk_query& query, uint64_t points) {
  return model.msm_ns(static_cast<Curve>(query.curve), static_cast<Group>(query.group), points);
}

/// Marks the plan of bases that the card holds for a component which only takes streamed ones.
constexpr cuzk_plan kStreamed{};  // what such a component plans for bases
constexpr uint64_t kHeld = 0x63757a6b68656c64;

bool held(const cuzk_query& query) { return query.plan.resident != 0 && query.plan.choice[0] == kHeld; }

/// The queries as the component inside sees them: what the card holds is streamed to it.
std::vector<cuzk_query> inner_queries(std::span<const cuzk_query> queries) {
  std::vector<cuzk_query> out(queries.begin(), queries.end());
  for (cuzk_query& query : out) {
    if (!held(query)) continue;
    query.plan = {};
    query.bases = nullptr;
  }
  return out;
}

uint64_t point_bytes_of(const cuzk_query& query) {
  return point_bytes(static_cast<Curve>(query.curve), static_cast<Group>(query.group));
}

class HeldBases final : public Msm::Bases {
 public:
  explicit HeldBases(void* points) : points_(points) {}
  void* handle() const override { return points_; }

 private:
  void* const points_;
};

class ModelledJob final : public Msm::Job {
 public:
  ModelledJob(Card card, Msm& inner, const Lease& lease, const cuzk_vec& scalars, std::span<const cuzk_query> queries,
              const cuzk_plan& plan)
      : card_(std::move(card)),
        queries_(queries),
        ready_ns_(ready(scalars)),
        inner_queries_(inner_queries(queries)),
        inner_(inner.start(lease, settled(scalars), inner_queries_, plan)) {}

  void feed(const Lease& lease, uint32_t query, cuzk_mem chunk, uint64_t first, uint64_t count, cuzk_fence after,
            cuzk_fence chunk_free) override {
    const Work work{ModelEngines::kernels, "msm chunk", std::max(ready_ns_, ModelledDevice::end_of(after)),
                    msm_ns(card_->model(), queries_[query], count), 0};
    card_->run(lease, work, chunk_free, [&](Work&) { inner_->feed(lease, query, chunk, first, count, {}, {}); });
  }
  void end(const Lease& lease, cuzk_fence done) override {
    Work work{ModelEngines::kernels, "msm", ready_ns_, card_->model().latency_ns, 0};
    for (const cuzk_query& query : queries_) {
      if (query.bases != nullptr) work.duration_ns += msm_ns(card_->model(), query, query.count);
    }
    card_->run(lease, work, done, [&](Work&) {
      for (uint32_t q = 0; q < queries_.size(); ++q) {
        if (!held(queries_[q])) continue;
        const cuzk_mem points{queries_[q].bases, queries_[q].count * point_bytes_of(queries_[q]), card_->space()};
        inner_->feed(lease, q, points, 0, queries_[q].count, {}, {});
      }
      inner_->end(lease, {});
    });
  }
  void finish(std::span<void* const> out) override { inner_->finish(out); }

 private:
  const Card card_;
  const std::span<const cuzk_query> queries_;
  const uint64_t ready_ns_;
  const std::vector<cuzk_query> inner_queries_;  // outlive the job inside
  const std::unique_ptr<Msm::Job> inner_;
};

class ModelledMsm final : public Msm {
 public:
  ModelledMsm(Card card, std::unique_ptr<Msm> inner) : card_(std::move(card)), inner_(std::move(inner)) {}

  void load(const Lease& lease, const cuzk_query& query, cuzk_mem resident, cuzk_mem chunk, uint64_t first,
            uint64_t count, cuzk_fence after, cuzk_fence chunk_free, std::unique_ptr<Bases>& bases) override {
    const Work work{ModelEngines::kernels, "load bases", ModelledDevice::end_of(after), card_->model().latency_ns, 0};
    card_->run(lease, work, chunk_free, [&](Work&) {
      if (!held(query)) return inner_->load(lease, query, resident, chunk, first, count, {}, {}, bases);
      if (!bases) bases = std::make_unique<HeldBases>(resident.data);
      const uint64_t size = point_bytes_of(query);
      std::memcpy(static_cast<std::byte*>(resident.data) + first * size, chunk.data, count * size);
    });
  }
  std::unique_ptr<Job> start(const Lease& lease, cuzk_vec scalars, std::span<const cuzk_query> queries,
                             const cuzk_plan& plan) override {
    return std::make_unique<ModelledJob>(card_, *inner_, lease, scalars, queries, plan);
  }

 private:
  const Card card_;
  const std::unique_ptr<Msm> inner_;
};

/// A component of one role on modelled cards: the same plans, other instances.
template <class Base>
class Modelled : public Base {
 public:
  Modelled(Cards cards, std::shared_ptr<const Base> inner)
      : cards_(std::move(cards)), inner_(std::move(inner)), info_(inner_->info()) {}
  const ComponentInfo& info() const override { return info_; }

 protected:
  const Cards cards_;
  const std::shared_ptr<const Base> inner_;
  ComponentInfo info_;
};

class ModelledStagingComponent final : public Modelled<StagingComponent> {
 public:
  ModelledStagingComponent(Cards cards, std::shared_ptr<const StagingComponent> inner)
      : Modelled(std::move(cards), std::move(inner)) {
    info_.api_flags &= ~uint32_t{CUZK_STAGING_ADOPTS};
  }
  cuzk_plan plan(const cuzk_device_info& device, uint64_t largest_vector, uint64_t limit) const override {
    return inner_->plan(device, largest_vector, limit);
  }
  std::unique_ptr<Staging> open(cuzk_space space, const cuzk_plan& plan, cuzk_mem pinned_ring) const override {
    return std::make_unique<ModelledStaging>(card_of(cards_, space), inner_->open(space, plan, pinned_ring));
  }
};

class ModelledNttComponent final : public Modelled<NttComponent> {
 public:
  using Modelled::Modelled;
  cuzk_plan plan(const cuzk_device_info& device, const cuzk_domain& domain, uint64_t limit) const override {
    return inner_->plan(device, domain, limit);
  }
  std::unique_ptr<Ntt> open(cuzk_space space, const cuzk_domain& domain, const cuzk_plan& plan,
                            cuzk_mem resident) const override {
    auto inner = inner_->open(space, domain, plan, resident);
    const Card card = card_of(cards_, space);
    if (!card) return inner;
    return std::make_unique<ModelledNtt>(card, domain, std::move(inner));
  }
};

class ModelledMsmComponent final : public Modelled<MsmComponent> {
 public:
  using Modelled::Modelled;
  /// The card holds bases also for a component that cannot.
  cuzk_plan plan_bases(const cuzk_device_info& device, const cuzk_query& query, uint64_t limit) const override {
    const cuzk_plan inner = inner_->plan_bases(device, query, limit);
    const uint64_t bytes = query.count * point_bytes_of(query);
    const bool streams = std::memcmp(&inner, &kStreamed, sizeof inner) == 0;
    if (!streams || device.space.kind != CUZK_SPACE_MODEL || bytes > limit) return inner;
    cuzk_plan plan{};
    plan.resident = bytes;
    plan.choice[0] = kHeld;
    return plan;
  }
  cuzk_plan plan_job(const cuzk_device_info& device, std::span<const cuzk_query> queries,
                     uint64_t limit) const override {
    return inner_->plan_job(device, inner_queries(queries), limit);
  }
  std::unique_ptr<Msm> open(cuzk_space space) const override {
    auto inner = inner_->open(space);
    const Card card = card_of(cards_, space);
    if (!card) return inner;
    return std::make_unique<ModelledMsm>(card, std::move(inner));
  }
};

}  // namespace

Strategy modelled(Strategy strategy, HostServices& services, const DeviceModel& model) {
  auto cards = std::make_shared<std::vector<Card>>();
  for (std::shared_ptr<Device>& device : strategy.devices) {
    if (!device->host_addressable()) {
      throw Error(ErrorCode::usage,
                  "device " + device->name() + " has times of its own; a model is for host-addressable ones, as cpu:0");
    }
    cards->push_back(std::make_shared<ModelledDevice>(device, services, model));
    device = cards->back();
  }
  for (auto* const staging : {&strategy.staging, &strategy.plain_staging}) {
    if (*staging) *staging = std::make_shared<ModelledStagingComponent>(cards, std::move(*staging));
  }
  strategy.ntt = std::make_shared<ModelledNttComponent>(cards, std::move(strategy.ntt));
  strategy.msm = std::make_shared<ModelledMsmComponent>(cards, std::move(strategy.msm));
  return strategy;
}

}  // namespace cuzk
