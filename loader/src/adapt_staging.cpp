#include "adapter.hpp"
#include "adapters.hpp"

#include <utility>

#include <cuzk/staging.hpp>

namespace cuzk {
namespace {

using Shared = Adapted<cuzk_staging_api>;

class PluginStaging final : public Staging {
 public:
  PluginStaging(std::shared_ptr<const Shared> shared, cuzk_space space, const cuzk_plan& plan, cuzk_mem ring)
      : shared_(std::move(shared)), space_(space), device_(device_health(space)) {
    boundary().call("open", device_,
                    [&](cuzk_status* status) { return api().open(space, &plan, ring, &self_, status); });
    require_handle(boundary(), self_, "open");
  }
  ~PluginStaging() override {
    boundary().release([&] { api().close(self_); }, device_);
  }

  uint32_t upload(const Lease& lease, cuzk_mem& dst, std::span<const std::byte> src, bool src_pinned, cuzk_fence after,
                  cuzk_fence done) override {
    check(lease, dst);
    boundary().require(src.size() <= dst.bytes, "upload of more bytes than its destination has");
    const bool adopts = dst.data == nullptr && (shared_->info.api_flags & CUZK_STAGING_ADOPTS) != 0;
    boundary().require(adopts ? src.size() == dst.bytes : dst.data != nullptr || dst.bytes == 0,
                       "upload to a destination without memory");
    cuzk_mem placed = dst;
    uint32_t path = CUZK_NONE;
    boundary().call("upload", device_, [&](cuzk_status* status) {
      return api().upload(self_, &lease.call(), &placed, src.data(), src.size(), src_pinned ? 1 : 0, after, done, &path,
                          status);
    });
    boundary().require(path <= CUZK_PATH_RESIDENT, "upload answered ok and an unknown path");
    boundary().require(placed.bytes == dst.bytes && same_space(placed.space, dst.space),
                       "upload answered ok and changed the destination's size or space");
    boundary().require(
        placed.data == (adopts ? src.data() : dst.data) || dst.bytes == 0,
        adopts ? "upload answered ok and did not adopt the source" : "upload answered ok and moved the destination");
    dst.data = placed.data;
    return path;
  }
  uint32_t download(const Lease& lease, std::span<std::byte> dst, bool dst_pinned, cuzk_mem src, cuzk_fence after,
                    cuzk_fence done) override {
    check(lease, src);
    boundary().require(src.bytes <= dst.size(), "download of more bytes than its destination has");
    uint32_t path = CUZK_NONE;
    boundary().call("download", device_, [&](cuzk_status* status) {
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
  DeviceHealth* device_;
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
  return adapt<PluginStagingComponent, cuzk_staging_api>(std::move(info), api);
}

}  // namespace cuzk
