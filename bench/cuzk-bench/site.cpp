#include "site.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace cuzk::bench {
namespace {

constexpr cuzk_space kHost{CUZK_SPACE_HOST, 0};

}  // namespace

Site::Site(HostServices& services, const Strategy& strategy, const Component& component) : services_(services) {
  const auto& device = strategy.devices.front();
  if (!runs_on(component, *device)) return;
  device_ = device;
  queue_ = std::make_unique<DeviceQueue>(services, device->name(), device->space(), strategy.lock->open(1),
                                         strategy.lock->info().full_name(), 1, 1);
  const uint64_t ticket = queue_->draw_ticket(0);
  queue_->stage(ticket, 0).finish();
  right_ = std::make_unique<Lease>(queue_->compute(ticket, 0));
  if (!device_->host_addressable()) fence_ = device_->make_fence();
}

Site::~Site() {
  if (fence_.kind != CUZK_SPACE_HOST) device_->free_fence(fence_);
}

cuzk_space Site::space() const { return device_ == nullptr ? kHost : device_->space(); }

cuzk_device_info Site::info() const {
  if (device_ != nullptr) return device_->info();
  cuzk_device_info info{};
  info.struct_size = sizeof info;
  info.space = kHost;
  info.units = services_.cpu().threads();
  return info;
}

Lease Site::lease(cuzk_mem workspace, cuzk_mem pinned) const {
  return right_ == nullptr ? Lease::for_host(1, 0, workspace) : right_->with(workspace, pinned);
}

void Site::wait() const {
  if (fence_.kind != CUZK_SPACE_HOST) device_->wait(fence_);
}

Memory::Memory(uint64_t bytes) : memory_{std::aligned_alloc(256, (bytes + 256) / 256 * 256), bytes, kHost} {
  if (memory_.data == nullptr) throw std::bad_alloc();
}

Memory::Memory(const Site& site, uint64_t bytes) {
  if (site.device_ == nullptr) {
    Memory host(bytes);
    std::swap(memory_, host.memory_);
  } else {
    site_ = &site;
    memory_ = site.device_->alloc(bytes);
  }
}

Memory::~Memory() {
  if (site_ == nullptr) {
    std::free(memory_.data);
  } else {
    site_->device_->free(memory_);
  }
}

void Memory::write(std::span<const std::byte> bytes) {
  if (site_ == nullptr) {
    std::memcpy(memory_.data, bytes.data(), bytes.size());
    return;
  }
  const cuzk_mem from{const_cast<std::byte*>(bytes.data()), bytes.size(), kHost};  // only read
  site_->device_->copy({memory_.data, bytes.size(), memory_.space}, from, {}, site_->fence_);
  site_->wait();
}

}  // namespace cuzk::bench
