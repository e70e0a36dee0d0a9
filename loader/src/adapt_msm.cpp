#include "adapter.hpp"
#include "adapters.hpp"

#include <utility>

#include <cuzk/msm.hpp>

namespace cuzk {
namespace {

using Shared = Adapted<cuzk_msm_api>;

/// The plugin's instance; kept by its jobs and bases too, so that it closes last.
struct Instance {
  Instance(std::shared_ptr<const Shared> component, cuzk_space place)
      : shared(std::move(component)), space(place), device(device_health(place)) {
    boundary().call("open", device, [&](cuzk_status* status) { return api().open(space, &self, status); });
    require_handle(boundary(), self, "open");
  }
  ~Instance() {
    boundary().release([&] { api().close(self); }, device);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const cuzk_msm_api& api() const { return shared->api; }
  const Boundary& boundary() const { return shared->boundary; }
  void check(const Lease& lease, const cuzk_mem& memory) const {
    boundary().require(same_space(lease.space(), space), "called with a lease on another space than it was opened in");
    boundary().require(memory.bytes == 0 || same_space(memory.space, space),
                       "called with memory of another space than it was opened in");
  }

  std::shared_ptr<const Shared> shared;
  cuzk_space space;
  DeviceHealth* device;
  void* self = nullptr;
};

class PluginBases final : public Msm::Bases {
 public:
  PluginBases(std::shared_ptr<const Instance> instance, void* bases) : instance_(std::move(instance)), bases_(bases) {}
  ~PluginBases() override {
    instance_->boundary().release([&] { instance_->api().unload(instance_->self, bases_); });
  }
  void* handle() const override { return bases_; }

 private:
  std::shared_ptr<const Instance> instance_;
  void* bases_;
};

class PluginJob final : public Msm::Job {
 public:
  PluginJob(std::shared_ptr<const Instance> instance, void* job, size_t queries)
      : instance_(std::move(instance)), job_(job), queries_(queries) {}
  ~PluginJob() override {
    boundary().release([&] { api().drop(job_); });
  }

  void feed(const Lease& lease, uint32_t query, cuzk_mem chunk, uint64_t first, uint64_t count, cuzk_fence after,
            cuzk_fence chunk_free) override {
    instance_->check(lease, chunk);
    boundary().require(query < queries_, "feed of a query that the job does not have");
    boundary().call("feed", instance_->device, [&](cuzk_status* status) {
      return api().feed(job_, &lease.call(), query, chunk, first, count, after, chunk_free, status);
    });
  }
  void end(const Lease& lease, cuzk_fence done) override {
    instance_->check(lease, {});
    boundary().call("end", instance_->device,
                    [&](cuzk_status* status) { return api().end(job_, &lease.call(), done, status); });
  }
  void finish(std::span<void* const> out) override {
    boundary().require(out.size() == queries_, "finish with another number of places than the job has queries");
    boundary().call("finish", instance_->device,
                    [&](cuzk_status* status) { return api().finish(job_, out.data(), status); });
  }

 private:
  const cuzk_msm_api& api() const { return instance_->api(); }
  const Boundary& boundary() const { return instance_->boundary(); }

  std::shared_ptr<const Instance> instance_;
  void* job_;
  size_t queries_;
};

class PluginMsm final : public Msm {
 public:
  explicit PluginMsm(std::shared_ptr<const Instance> instance) : instance_(std::move(instance)) {}

  void load(const Lease& lease, const cuzk_query& query, cuzk_mem resident, cuzk_mem chunk, uint64_t first,
            uint64_t count, cuzk_fence after, cuzk_fence chunk_free, std::unique_ptr<Bases>& bases) override {
    instance_->check(lease, chunk);
    if (api().load == nullptr) boundary().fail(ErrorCode::unusable, "load is not implemented");
    void* handle = bases == nullptr ? nullptr : bases->handle();
    boundary().call("load", instance_->device, [&](cuzk_status* status) {
      return api().load(instance_->self, &lease.call(), &query, resident, chunk, first, count, after, chunk_free,
                        &handle, status);
    });
    require_handle(boundary(), handle, "load");
    if (bases == nullptr) {
      bases = std::make_unique<PluginBases>(instance_, handle);
    } else {
      boundary().require(handle == bases->handle(), "load changed the bases it had begun");
    }
  }
  std::unique_ptr<Job> start(const Lease& lease, cuzk_vec scalars, std::span<const cuzk_query> queries,
                             const cuzk_plan& plan) override {
    instance_->check(lease, scalars.mem);
    for (const cuzk_query& query : queries) {
      boundary().require(query.curve == scalars.curve, "start with bases and scalars of different curves");
      boundary().require(query.first <= scalars.count && query.span <= scalars.count - query.first,
                         "start with a query beyond the scalars");
    }
    void* job = nullptr;
    boundary().call("start", instance_->device, [&](cuzk_status* status) {
      return api().start(instance_->self, &lease.call(), scalars, static_cast<uint32_t>(queries.size()), queries.data(),
                         &plan, &job, status);
    });
    require_handle(boundary(), job, "start");
    return std::make_unique<PluginJob>(instance_, job, queries.size());
  }
  void multiples(const Lease& lease, uint32_t group, const void* point, cuzk_vec scalars, const cuzk_plan& plan,
                 cuzk_mem out, cuzk_fence done) override {
    instance_->check(lease, scalars.mem);
    instance_->check(lease, out);
    if (api().multiples == nullptr) boundary().fail(ErrorCode::unusable, "makes no multiples of a point");
    boundary().call("multiples", instance_->device, [&](cuzk_status* status) {
      return api().multiples(instance_->self, &lease.call(), group, point, scalars, &plan, out, done, status);
    });
  }

 private:
  const cuzk_msm_api& api() const { return instance_->api(); }
  const Boundary& boundary() const { return instance_->boundary(); }

  std::shared_ptr<const Instance> instance_;
};

class PluginMsmComponent final : public MsmComponent {
 public:
  explicit PluginMsmComponent(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  const ComponentInfo& info() const override { return shared_->info; }
  cuzk_plan plan_bases(const cuzk_device_info& device, const cuzk_query& query, uint64_t limit) const override {
    cuzk_plan plan{};
    if (shared_->api.plan_bases == nullptr) return plan;  // always streamed
    shared_->boundary.call("plan_bases", [&](cuzk_status* status) {
      return shared_->api.plan_bases(&device, &query, limit, &plan, status);
    });
    return plan;
  }
  cuzk_plan plan_job(const cuzk_device_info& device, std::span<const cuzk_query> queries,
                     uint64_t limit) const override {
    cuzk_plan plan{};
    shared_->boundary.call("plan_job", [&](cuzk_status* status) {
      return shared_->api.plan_job(&device, static_cast<uint32_t>(queries.size()), queries.data(), limit, &plan,
                                   status);
    });
    return plan;
  }
  bool offers_multiples() const override { return shared_->api.multiples != nullptr; }
  cuzk_plan plan_multiples(const cuzk_device_info& device, uint32_t curve, uint32_t group, uint64_t count,
                           uint64_t limit) const override {
    const auto& api = shared_->api;
    if (api.plan_multiples == nullptr) shared_->boundary.fail(ErrorCode::unusable, "makes no multiples of a point");
    cuzk_plan plan{};
    shared_->boundary.call("plan_multiples", [&](cuzk_status* status) {
      return api.plan_multiples(&device, curve, group, count, limit, &plan, status);
    });
    return plan;
  }
  std::unique_ptr<Msm> open(cuzk_space space) const override {
    return std::make_unique<PluginMsm>(std::make_shared<const Instance>(shared_, space));
  }

 private:
  std::shared_ptr<const Shared> shared_;
};

}  // namespace

std::shared_ptr<const Component> adapt_msm(ComponentInfo info, const void* api) {
  return adapt<PluginMsmComponent, cuzk_msm_api>(std::move(info), api);
}

}  // namespace cuzk
