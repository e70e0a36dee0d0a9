#include "adapters.hpp"
#include "boundary.hpp"
#include "table.hpp"

#include <utility>

namespace cuzk {
namespace {

class PluginDevice final : public Device {
 public:
  PluginDevice(std::string plugin, const cuzk_device_api& api, uint32_t index)
      : plugin_(std::move(plugin)),
        name_(text(api.name) + ":" + std::to_string(index)),
        api_(api),
        index_(static_cast<int32_t>(index)),
        health_(device_health(space(), name_)),
        boundary_(plugin_ + "/" + name_, false) {
    const cuzk_device_info first = info();
    boundary_.require(first.space.kind == api_.kind && first.space.index == index_,
                      "info names another space than it was asked for");
  }

  std::string name() const override { return name_; }
  std::string plugin() const override { return plugin_; }
  cuzk_space space() const override { return {api_.kind, index_}; }
  cuzk_device_info info() const override {
    cuzk_device_info info{};
    info.struct_size = sizeof info;
    boundary_.call("info", health_, [&](cuzk_status* status) { return api_.info(index_, &info, status); });
    info.struct_size = sizeof info;  // what was not filled is zero
    return info;
  }

  bool lost() const override { return health_->lost.load(std::memory_order_acquire); }

  cuzk_mem alloc(uint64_t bytes) override {
    cuzk_mem memory{};
    boundary_.call("alloc", health_, [&](cuzk_status* status) { return api_.alloc(space(), bytes, &memory, status); });
    const bool good =
        (memory.data != nullptr || bytes == 0) && memory.bytes >= bytes && same_space(memory.space, space());
    boundary_.require(good, "alloc answered ok and gave other memory than asked for");
    boundary_.require(reinterpret_cast<uintptr_t>(memory.data) % 256 == 0,
                      "alloc gave memory that is not 256-byte aligned");
    return memory;
  }
  void free(cuzk_mem memory) noexcept override {
    boundary_.release([&] { api_.free(memory); });
  }
  bool can_pin() const override { return api_.pin != nullptr; }
  void pin(std::span<std::byte> block) override {
    if (!can_pin()) boundary_.fail(ErrorCode::unusable, "pin is not implemented");
    boundary_.call("pin", health_, [&](cuzk_status* status) { return api_.pin(block.data(), block.size(), status); });
  }
  void unpin(std::span<std::byte> block) noexcept override {
    if (can_pin()) boundary_.release([&] { api_.unpin(block.data()); });
  }
  void copy(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done) override {
    boundary_.require(src.bytes <= dst.bytes, "copy of more bytes than its destination has");
    boundary_.call("copy", health_, [&](cuzk_status* status) { return api_.copy(dst, src, after, done, status); });
  }
  cuzk_fence make_fence() override {
    cuzk_fence fence{};
    if (api_.fence_make != nullptr) {
      boundary_.call("fence_make", health_,
                     [&](cuzk_status* status) { return api_.fence_make(space(), &fence, status); });
    }
    return fence;
  }
  void wait(cuzk_fence fence) override {
    if (fence.kind == CUZK_SPACE_HOST) return;
    boundary_.require(api_.fence_wait != nullptr, "waiting for a fence of another device");
    boundary_.call("fence_wait", health_, [&](cuzk_status* status) { return api_.fence_wait(fence, status); });
  }
  void free_fence(cuzk_fence fence) noexcept override {
    if (fence.kind != CUZK_SPACE_HOST && api_.fence_free != nullptr) boundary_.release([&] { api_.fence_free(fence); });
  }

 private:
  std::string plugin_, name_;
  cuzk_device_api api_;
  int32_t index_;
  DeviceHealth* health_;
  Boundary boundary_;
};

}  // namespace

std::shared_ptr<Device> adapt_device(std::string plugin, const cuzk_device_api& api, uint32_t index) {
  return std::make_shared<PluginDevice>(std::move(plugin), api, index);
}

}  // namespace cuzk
