#include "adapter.hpp"
#include "adapters.hpp"

#include <utility>

#include <cuzk/lock_policy.hpp>

namespace cuzk {
namespace {

using Shared = Adapted<cuzk_lock_api>;

class PluginLockPolicy final : public LockPolicy {
 public:
  PluginLockPolicy(std::shared_ptr<const Shared> shared, uint32_t workers) : shared_(std::move(shared)) {
    if (api().open == nullptr) return;
    shared_->boundary.call("open", [&](cuzk_status* status) { return api().open(workers, &self_, status); });
    require_handle(shared_->boundary, self_, "open");
  }
  ~PluginLockPolicy() override {
    if (self_ != nullptr) shared_->boundary.release([&] { api().close(self_); });
  }
  uint32_t stage_width() const override { return api().stage_width; }
  uint32_t compute_width() const override { return api().compute_width; }
  uint32_t pick(const cuzk_lock_view& view) override {
    uint32_t picked = CUZK_NONE;
    shared_->boundary.call("pick", [&](cuzk_status*) {
      picked = api().pick(self_, &view);
      return int32_t{CUZK_OK};
    });
    return picked;
  }

 private:
  const cuzk_lock_api& api() const { return shared_->api; }

  std::shared_ptr<const Shared> shared_;
  void* self_ = nullptr;
};

class PluginLockComponent final : public LockComponent {
 public:
  explicit PluginLockComponent(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  const ComponentInfo& info() const override { return shared_->info; }
  uint32_t stage_width() const override { return shared_->api.stage_width; }
  uint32_t compute_width() const override { return shared_->api.compute_width; }
  std::unique_ptr<LockPolicy> open(uint32_t workers) const override {
    return std::make_unique<PluginLockPolicy>(shared_, workers);
  }

 private:
  std::shared_ptr<const Shared> shared_;
};

}  // namespace

std::shared_ptr<const Component> adapt_lock(ComponentInfo info, const void* api) {
  return adapt<PluginLockComponent, cuzk_lock_api>(std::move(info), api);
}

}  // namespace cuzk
