#include "adapters.hpp"
#include "boundary.hpp"
#include "table.hpp"

#include <utility>

#include <cuzk/staging.hpp>

namespace cuzk {
namespace {

struct Shared {
  ComponentInfo info;
  cuzk_staging_api api;
  Boundary boundary;
};

class PluginStaging final : public Staging {
 public:
  PluginStaging(std::shared_ptr<const Shared> shared, cuzk_space space, const cuzk_plan& plan, cuzk_mem ring)
      : shared_(std::move(shared)), space_(space) {
    boundary().call("open", [&](cuzk_status* status) { return api().open(space, &plan, ring, &self_, status); });
    require_handle(boundary(), self_, "open");
  }
  ~PluginStaging() override {
    boundary().release([&] { api().close(self_); });
  }

  uint32_t upload(const Lease& lease, cuzk_mem& dst, std::span<const std::byte> src, bool src_pinned, cuzk_fence after,
                  cuzk_fence done) override {
    check(lease, dst);
    cuzk_mem placed = dst;
    uint32_t path = CUZK_NONE;
    boundary().call("upload", [&](cuzk_status* status) {
      return api().upload(self_, &lease.call(), &placed, src.data(), src.size(), src_pinned ? 1 : 0, after, done, &path,
                          status);
    });
    boundary().require(path <= CUZK_PATH_RESIDENT, "upload answered ok and an unknown path");
    boundary().require(placed.data != nullptr || dst.bytes == 0, "upload answered ok and left the destination empty");
    dst = placed;
    return path;
  }
  uint32_t download(const Lease& lease, std::span<std::byte> dst, bool dst_pinned, cuzk_mem src, cuzk_fence after,
                    cuzk_fence done) override {
    check(lease, src);
    uint32_t path = CUZK_NONE;
    boundary().call("download", [&](cuzk_status* status) {
      return api().download(self_, &lease.call(), dst.data(), dst_pinned ? 1 : 0, src, after, done, &path, status);
    });
    boundary().require(path <= CUZK_PATH_RESIDENT, "download answered ok and an unknown path");
    return path;
  }

 private:
  const cuzk_staging_api& api() const { return shared_->api; }
  const Boundary& boundary() const { return shared_->boundary; }
  void check(const Lease& lease, const cuzk_mem& memory) const {
    boundary().require(same_space(lease.space(), space_), "called with a lease on another space than it was opened in");
    boundary().require(same_space(memory.space, space_), "called with memory of another space than it was opened in");
  }

  std::shared_ptr<const Shared> shared_;
  cuzk_space space_;
  void* self_ = nullptr;
};

class PluginStagingComponent final : public StagingComponent {
 public:
  explicit PluginStagingComponent(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  const ComponentInfo& info() const override { return shared_->info; }
  cuzk_plan plan(const cuzk_device_info& device, uint64_t largest_vector, uint64_t limit) const override {
    cuzk_plan plan{};
    shared_->boundary.call(
        "plan", [&](cuzk_status* status) { return shared_->api.plan(&device, largest_vector, limit, &plan, status); });
    return plan;
  }
  std::unique_ptr<Staging> open(cuzk_space space, const cuzk_plan& plan, cuzk_mem pinned_ring) const override {
    return std::make_unique<PluginStaging>(shared_, space, plan, pinned_ring);
  }

 private:
  std::shared_ptr<const Shared> shared_;
};

}  // namespace

std::shared_ptr<const Component> adapt_staging(ComponentInfo info, const void* api) {
  const auto table = read_table<cuzk_staging_api>(api);
  info.api_flags = table.flags;
  const std::string who = info.full_name();
  const bool serial = is_serial(info);
  std::shared_ptr<const Shared> shared(new Shared{std::move(info), table, Boundary(who, serial)});
  return std::make_shared<PluginStagingComponent>(std::move(shared));
}

}  // namespace cuzk
