#include "adapters.hpp"
#include "boundary.hpp"
#include "table.hpp"

#include <utility>

#include <cuzk/lock_policy.hpp>

namespace cuzk {
namespace {

struct Shared {
  ComponentInfo info;
  cuzk_lock_api api;
  Boundary boundary;
};

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
  std::unique_ptr<LockPolicy> open(uint32_t workers) const override {
    return std::make_unique<PluginLockPolicy>(shared_, workers);
  }

 private:
  std::shared_ptr<const Shared> shared_;
};

}  // namespace

std::shared_ptr<const Component> adapt_lock(ComponentInfo info, const void* api) {
  const auto table = read_table<cuzk_lock_api>(api);
  info.api_flags = table.flags;
  const std::string who = info.full_name();
  const bool serial = is_serial(info);
  std::shared_ptr<const Shared> shared(new Shared{std::move(info), table, Boundary(who, serial)});
  return std::make_shared<PluginLockComponent>(std::move(shared));
}

}  // namespace cuzk
