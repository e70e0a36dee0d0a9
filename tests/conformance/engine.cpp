#include "engine.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

#include <cuzk/error.hpp>
#include <cuzk/msm.hpp>
#include <cuzk/staging.hpp>

namespace cuzk::conformance {
namespace {

/// Lets tickets in one by one, oldest first.
class OneByOne final : public LockPolicy {
 public:
  uint32_t stage_width() const override { return 1; }
  uint32_t compute_width() const override { return 1; }
  uint32_t pick(const cuzk_lock_view& view) override {
    for (uint32_t i = 0; i < view.count; ++i) {
      const uint32_t state = view.tickets[i].state;
      if (state == CUZK_WAIT_STAGE || state == CUZK_WAIT_COMPUTE) return i;
      if (state == CUZK_IN_STAGE || state == CUZK_IN_COMPUTE) return CUZK_NONE;
    }
    return CUZK_NONE;
  }
};

constexpr unsigned char kPattern = 0xa5;

/// Whether some query's bases would stay, with all the room there is.
bool wants_bases(const MsmComponent& component, const cuzk_device_info& device) {
  const auto offered = [](uint32_t set, uint32_t number) { return ((set >> number) & 1) != 0; };
  for (const uint32_t curve : {CUZK_BN254, CUZK_BLS12_381}) {
    for (const uint32_t group : {CUZK_G1, CUZK_G2}) {
      if (!offered(component.info().curves, curve) || !offered(component.info().groups, group)) continue;
      cuzk_query query{};
      query.count = query.span = 1000;
      query.curve = curve;
      query.group = group;
      if (component.plan_bases(device, query, UINT64_MAX).resident != 0) return true;
    }
  }
  return false;
}

}  // namespace

Options& options() {
  static Options value;
  return value;
}

Place::Place(HostServices& services, std::shared_ptr<Device> device) : services_(services), device_(std::move(device)) {
  if (device_ == nullptr) return;
  queue_ = std::make_unique<DeviceQueue>(services_, device_->name(), device_->space(), std::make_unique<OneByOne>(),
                                         "one-by-one", 1, 1);
  const uint64_t ticket = queue_->draw_ticket(0);
  queue_->stage(ticket, 0).finish();
  right_ = std::make_unique<Lease>(queue_->compute(ticket, 0));
}

Place::~Place() {
  for (const cuzk_fence fence : fences_) device_->free_fence(fence);
}

cuzk_device_info Place::info() const {
  if (device_ != nullptr) return device_->info();
  cuzk_device_info info{};
  info.struct_size = sizeof info;
  info.space = space();
  info.units = services_.cpu().threads();
  return info;
}

Lease Place::lease(cuzk_mem workspace) {
  return device_ == nullptr ? Lease::for_host(1, 0, workspace) : right_->with(workspace, {});
}

cuzk_fence Place::fence() {
  if (host_addressable()) return {};
  fences_.push_back(device_->make_fence());
  return fences_.back();
}

void Place::wait(cuzk_fence fence) {
  if (fence.kind != CUZK_SPACE_HOST) device_->wait(fence);
}

cuzk_mem Place::allocate(uint64_t bytes) {
  if (device_ != nullptr) return device_->alloc(bytes);
  void* const data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (data == nullptr) throw Error(ErrorCode::out_of_memory, "test memory");
  return {data, bytes, space()};
}

void Place::release(cuzk_mem memory) noexcept {
  if (device_ != nullptr) {
    device_->free(memory);
  } else {
    std::free(memory.data);
  }
}

void Place::read(void* to, cuzk_mem from) {
  if (from.bytes == 0) return;
  if (host_addressable()) {
    std::memcpy(to, from.data, from.bytes);
  } else {
    const cuzk_fence done = fence();
    device_->copy({to, from.bytes, {CUZK_SPACE_HOST, 0}}, from, {}, done);
    wait(done);
  }
}

void Place::write(cuzk_mem to, const void* from, uint64_t bytes) {
  if (bytes == 0) return;
  if (host_addressable()) {
    std::memcpy(to.data, from, bytes);
  } else {
    const cuzk_fence done = fence();
    device_->copy(to, {const_cast<void*>(from), bytes, {CUZK_SPACE_HOST, 0}}, {}, done);
    wait(done);
  }
}

Buffer::Buffer(Place& place, uint64_t bytes, uint64_t misalign)
    : place_(place), bytes_(bytes), misalign_(misalign), memory_(place.allocate(2 * kGuard + misalign + bytes)) {
  const std::vector<unsigned char> pattern(memory_.bytes, kPattern);
  place_.write(memory_, pattern.data(), pattern.size());
}

Buffer::Buffer(Place& place, const void* data, uint64_t bytes, uint64_t misalign) : Buffer(place, bytes, misalign) {
  write(data);
}

Buffer::~Buffer() {
  EXPECT_TRUE(guards_intact()) << "bytes around a buffer of " << bytes_ << " were changed";
  place_.release(memory_);
}

bool Buffer::guards_intact() const {
  std::vector<unsigned char> found(memory_.bytes);
  place_.read(found.data(), memory_);
  const auto intact = [&](uint64_t begin, uint64_t end) {
    return std::all_of(found.begin() + static_cast<ptrdiff_t>(begin), found.begin() + static_cast<ptrdiff_t>(end),
                       [](unsigned char byte) { return byte == kPattern; });
  };
  return intact(0, kGuard + misalign_) && intact(kGuard + misalign_ + bytes_, memory_.bytes);
}

cuzk_mem Buffer::part(cuzk_mem memory, uint64_t offset, uint64_t bytes) {
  return {static_cast<std::byte*>(memory.data) + offset, bytes, memory.space};
}

Engine::Engine(uint32_t threads) : services_(threads), registry_(services_) {
  const Verdict verdict = registry_.load(options().plugin);
  if (!verdict.ok()) throw Error(ErrorCode::unusable, to_line(verdict));
  plugin_ = registry_.plugins().front();
}

std::unique_ptr<Place> Engine::place_for(const Component& component) {
  const bool on_device = !plugin_->device_name().empty() && component.info().runs_in(plugin_->device_kind()) &&
                         plugin_->device_count().count > 0;
  return std::make_unique<Place>(services_, on_device ? plugin_->device(0) : nullptr);
}

std::vector<Offer> offers(Role role) {
  Engine engine(1);
  std::vector<Offer> found;
  for (const auto& component : engine.plugin().components()) {
    const ComponentInfo& info = component->info();
    if (info.role != role) continue;
    Offer& offer = found.emplace_back(Offer{info.name, info.curves, info.groups, info.max_log2_size});
    offer.host_addressable = engine.place_for(*component)->host_addressable();
    if (const auto* msm = dynamic_cast<const MsmComponent*>(component.get())) {
      offer.selects = msm->selects();
      offer.many = msm->many();
      offer.multiples = msm->offers_multiples();
      offer.loads = wants_bases(*msm, engine.place_for(*component)->info());
    }
    if (const auto* staging = dynamic_cast<const StagingComponent*>(component.get())) offer.adopts = staging->adopts();
    offer.pinned = info.role == Role::staging && (info.api_flags & CUZK_STAGING_PINNED) != 0;
  }
  return found;
}

}  // namespace cuzk::conformance
