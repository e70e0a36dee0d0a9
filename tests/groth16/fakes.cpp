#include "fakes.hpp"

#include "fake_msm.hpp"
#include "fake_ntt.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <cuzk/error.hpp>

namespace cuzk::testing {
namespace {

constexpr uint64_t kRedZone = 256;
constexpr int kRed = 0xA5;

ComponentInfo component_info(const FakeOptions& options, Role role, std::string name, bool on_host) {
  ComponentInfo info;
  info.plugin = "fake";
  info.name = std::move(name);
  info.role = role;
  info.space_kinds = on_host ? 1U << CUZK_SPACE_HOST : 1U << options.device_kind;
  info.curves = (1U << CUZK_BN254) | (1U << CUZK_BLS12_381);
  info.groups = (1U << CUZK_G1) | (1U << CUZK_G2);
  info.max_log2_size = 12;
  return info;
}

class FakeStaging final : public Staging {
 public:
  FakeStaging(std::shared_ptr<Faults> faults, bool adopt, cuzk_space space)
      : faults_(std::move(faults)), adopt_(adopt), space_(space) {}
  uint32_t upload(const Lease& lease, cuzk_mem& dst, std::span<const std::byte> src, bool, cuzk_fence,
                  cuzk_fence) override {
    faults_->call("upload");
    require(lease.space().kind == space_.kind && lease.phase() != Lease::Phase::host, "upload without a lease");
    require(dst.space.kind == space_.kind && dst.bytes >= src.size(), "upload to a wrong place");
    if (adopt_) {
      require(dst.data == nullptr && dst.bytes == src.size(), "adoption into memory");
      dst.data = const_cast<std::byte*>(src.data());
      return CUZK_PATH_DIRECT;
    }
    require(dst.data != nullptr, "upload to nowhere");
    std::memcpy(dst.data, src.data(), src.size());
    std::memset(static_cast<std::byte*>(dst.data) + src.size(), 0, dst.bytes - src.size());
    return CUZK_PATH_PAGEABLE;
  }
  uint32_t download(const Lease& lease, std::span<std::byte> dst, bool, cuzk_mem src, cuzk_fence, cuzk_fence) override {
    faults_->call("download");
    require(lease.space().kind == space_.kind && src.bytes <= dst.size(), "download from a wrong place");
    std::memcpy(dst.data(), src.data, src.bytes);
    return CUZK_PATH_PAGEABLE;
  }

 private:
  std::shared_ptr<Faults> faults_;
  bool adopt_;
  cuzk_space space_;
};

class FakeStagingComponent final : public StagingComponent {
 public:
  FakeStagingComponent(std::shared_ptr<Faults> faults, const FakeOptions& options)
      : faults_(std::move(faults)), info_(component_info(options, Role::staging, "move", false)) {
    if (options.adopt) info_.api_flags = CUZK_STAGING_ADOPTS;
  }
  const ComponentInfo& info() const override { return info_; }
  cuzk_plan plan(const cuzk_device_info&, uint64_t, uint64_t) const override { return {}; }
  std::unique_ptr<Staging> open(cuzk_space space, const cuzk_plan&, cuzk_mem) const override {
    faults_->call("open staging");
    return std::make_unique<FakeStaging>(faults_, adopts(), space);
  }

 private:
  std::shared_ptr<Faults> faults_;
  ComponentInfo info_;
};

class FakePolicy final : public LockPolicy {
 public:
  explicit FakePolicy(bool exclusive) : exclusive_(exclusive) {}
  uint32_t stage_width() const override { return exclusive_ ? 1 : 0; }
  uint32_t compute_width() const override { return exclusive_ ? 1 : 0; }
  uint32_t pick(const cuzk_lock_view& view) override {
    const auto oldest = [&](uint32_t state) {
      for (uint32_t i = 0; i < view.count; ++i) {
        if (view.tickets[i].state == state) return i;
      }
      return CUZK_NONE;
    };
    const uint32_t compute = oldest(CUZK_WAIT_COMPUTE);
    if (compute != CUZK_NONE) return compute;
    const bool busy = oldest(CUZK_IN_STAGE) != CUZK_NONE || oldest(CUZK_IN_COMPUTE) != CUZK_NONE;
    return view.slots_free == 0 || (exclusive_ && busy) ? CUZK_NONE : oldest(CUZK_WAIT_STAGE);
  }

 private:
  bool exclusive_;
};

class FakeLockComponent final : public LockComponent {
 public:
  explicit FakeLockComponent(const FakeOptions& options)
      : exclusive_(options.exclusive), info_(component_info(options, Role::lock, "lock", false)) {}
  const ComponentInfo& info() const override { return info_; }
  uint32_t stage_width() const override { return exclusive_ ? 1 : 0; }
  uint32_t compute_width() const override { return exclusive_ ? 1 : 0; }
  std::unique_ptr<LockPolicy> open(uint32_t) const override { return std::make_unique<FakePolicy>(exclusive_); }

 private:
  bool exclusive_;
  ComponentInfo info_;
};

}  // namespace

void require(bool condition, const char* what) {
  if (!condition) throw Error(ErrorCode::internal, std::string("double: ") + what);
}

void Faults::call(const std::string& what) {
  const uint64_t now = ++calls_;
  if (now == run_at_) run_();
  if (now == fail_at_) throw Error(ErrorCode::device_failed, "injected: " + what);
}

void OwnMemory::take(uint64_t bytes) {
  const uint64_t now = held_ += bytes;
  for (uint64_t most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
  }
}

FakeDevice::~FakeDevice() {
  for (const auto& [data, bytes] : blocks_) std::free(data);
}

cuzk_device_info FakeDevice::info() const {
  cuzk_device_info info{};
  info.struct_size = sizeof info;
  info.space = {kind_, 0};
  info.units = 2;
  info.memory_total = total_;
  info.memory_free = total_ - used();
  return info;
}

cuzk_mem FakeDevice::alloc(uint64_t bytes) {
  faults_->call("alloc");
  const std::lock_guard lock(mutex_);
  void* data = std::aligned_alloc(256, (bytes + 2 * kRedZone - 1) / kRedZone * kRedZone);
  std::memset(static_cast<std::byte*>(data) + bytes, kRed, kRedZone);
  blocks_[data] = bytes;
  return {data, bytes, {kind_, 0}};
}

void FakeDevice::free(cuzk_mem memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(memory.data);
  if (block == blocks_.end()) std::abort();
  const auto* red = static_cast<const unsigned char*>(memory.data) + block->second;
  if (!std::all_of(red, red + kRedZone, [](unsigned char byte) { return byte == kRed; })) ++overruns_;
  std::free(memory.data);
  blocks_.erase(block);
}

cuzk_fence FakeDevice::make_fence() {
  faults_->call("make_fence");
  ++fences_;
  return {};
}

void FakeDevice::wait(cuzk_fence) { faults_->call("wait"); }

void FakeDevice::free_fence(cuzk_fence) noexcept { --fences_; }

uint64_t FakeDevice::used() const {
  const std::lock_guard lock(mutex_);
  uint64_t sum = 0;
  for (const auto& [data, bytes] : blocks_) sum += bytes;
  return sum;
}

FakeEngine::FakeEngine(const FakeOptions& options)
    : device(std::make_shared<FakeDevice>(faults, options.device_kind, options.memory)) {
  ComponentInfo msm = component_info(options, Role::msm, "msm", options.msm_on_host);
  if (options.select) msm.api_flags |= CUZK_MSM_SELECT;
  if (options.feed) msm.api_flags |= CUZK_MSM_FEED;
  if (options.many) msm.api_flags |= CUZK_MSM_MANY;
  strategy.devices = {device};
  strategy.staging = std::make_shared<FakeStagingComponent>(faults, options);
  strategy.ntt = make_fake_ntt(faults, component_info(options, Role::ntt, "ntt", options.ntt_on_host));
  strategy.msm = make_fake_msm(faults, own, msm, options);
  strategy.lock = std::make_shared<FakeLockComponent>(options);
  strategy.workers = options.workers;
}

}  // namespace cuzk::testing
