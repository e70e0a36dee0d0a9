#include "adapter.hpp"
#include "adapters.hpp"

#include <string>
#include <utility>

#include <cuzk/curve.hpp>
#include <cuzk/device.hpp>
#include <cuzk/ntt.hpp>
#include <cuzk/ntt_defaults.hpp>

namespace cuzk {
namespace {

using Shared = Adapted<cuzk_ntt_api>;

class PluginNtt final : public Ntt {
 private:
  auto transform_under(const Lease& lease) {
    return [this, &lease](const cuzk_vec& v, uint32_t kind, cuzk_fence done) { transform(lease, v, kind, done); };
  }
  auto pointwise_under(const Lease& lease) {
    return [this, &lease](const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y, uint32_t op, cuzk_fence done) {
      pointwise(lease, out, x, y, op, done);
    };
  }

 public:
  PluginNtt(std::shared_ptr<const Shared> shared, HostServices& services, cuzk_space space, const cuzk_domain& domain,
            const cuzk_plan& plan, cuzk_mem resident)
      : shared_(std::move(shared)), services_(services), space_(space), device_(device_health(space)), domain_(domain) {
    boundary().call("open", device_,
                    [&](cuzk_status* status) { return api().open(space, &domain_, &plan, resident, &self_, status); });
    require_handle(boundary(), self_, "open");
  }
  ~PluginNtt() override {
    boundary().release([&] { api().close(self_); }, device_);
  }

  void transform(const Lease& lease, cuzk_vec v, uint32_t kind, cuzk_fence done) override {
    check(lease, v);
    boundary().call("transform", device_,
                    [&](cuzk_status* status) { return api().transform(self_, &lease.call(), v, kind, done, status); });
  }
  void pointwise(const Lease& lease, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done) override {
    for (const cuzk_vec& v : {out, x, y}) check(lease, v);
    if (api().pointwise != nullptr) {
      boundary().call("pointwise", device_, [&](cuzk_status* status) {
        return api().pointwise(self_, &lease.call(), out, x, y, op, done, status);
      });
    } else if (host_addressable(space_.kind)) {
      ntt_defaults::pointwise(services_.cpu(), domain_, out, x, y, op);
    } else {
      boundary().fail(ErrorCode::unusable, "pointwise is not implemented, and core can only do it in host memory");
    }
  }
  void quotient_ab(const Lease& lease, cuzk_vec a, cuzk_vec b, cuzk_fence b_free) override {
    for (const cuzk_vec& v : {a, b}) check(lease, v);
    if (api().quotient_ab != nullptr) {
      boundary().call("quotient_ab", device_, [&](cuzk_status* status) {
        return api().quotient_ab(self_, &lease.call(), a, b, b_free, status);
      });
    } else {
      ntt_defaults::quotient_ab(transform_under(lease), pointwise_under(lease), a, b, b_free);
    }
  }
  void quotient_c(const Lease& lease, cuzk_vec ab, cuzk_vec c, cuzk_fence done) override {
    for (const cuzk_vec& v : {ab, c}) check(lease, v);
    if (api().quotient_c != nullptr) {
      boundary().call("quotient_c", device_,
                      [&](cuzk_status* status) { return api().quotient_c(self_, &lease.call(), ab, c, done, status); });
    } else {
      ntt_defaults::quotient_c(transform_under(lease), pointwise_under(lease), domain_, ab, c, done);
    }
  }

 private:
  const cuzk_ntt_api& api() const { return shared_->api; }
  const Boundary& boundary() const { return shared_->boundary; }
  void check(const Lease& lease, const cuzk_vec& v) const {
    boundary().require(same_space(lease.space(), space_), "called with a lease on another space than it was opened in");
    boundary().require(same_space(v.mem.space, space_), "called with a vector in another space than it was opened in");
    boundary().require(v.count == uint64_t{1} << domain_.log2_size && v.mem.bytes >= v.count * kFrBytes,
                       "called with a vector that is not of the domain's size");
    boundary().require(v.form == CUZK_MONTGOMERY, "called with a vector that is not in Montgomery form");
    if (v.curve != domain_.curve) {
      boundary().fail(ErrorCode::internal, "opened for " + std::string(cuzk::name(Curve{domain_.curve})) +
                                               ", called with a vector of " + std::string(cuzk::name(Curve{v.curve})));
    }
  }
  std::shared_ptr<const Shared> shared_;
  HostServices& services_;
  cuzk_space space_;
  DeviceHealth* device_;
  cuzk_domain domain_;
  void* self_ = nullptr;
};

class PluginNttComponent final : public NttComponent {
 public:
  PluginNttComponent(std::shared_ptr<const Shared> shared, HostServices& services)
      : shared_(std::move(shared)), services_(services) {}
  const ComponentInfo& info() const override { return shared_->info; }
  cuzk_plan plan(const cuzk_device_info& device, const cuzk_domain& domain, uint64_t limit) const override {
    cuzk_plan plan{};
    shared_->boundary.call(
        "plan", [&](cuzk_status* status) { return shared_->api.plan(&device, &domain, limit, &plan, status); });
    return plan;
  }
  std::unique_ptr<Ntt> open(cuzk_space space, const cuzk_domain& domain, const cuzk_plan& plan,
                            cuzk_mem resident) const override {
    return std::make_unique<PluginNtt>(shared_, services_, space, domain, plan, resident);
  }

 private:
  std::shared_ptr<const Shared> shared_;
  HostServices& services_;
};

}  // namespace

std::shared_ptr<const Component> adapt_ntt(HostServices& services, ComponentInfo info, const void* api) {
  return adapt<PluginNttComponent, cuzk_ntt_api>(std::move(info), api, services);
}

}  // namespace cuzk
