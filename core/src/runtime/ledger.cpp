#include <algorithm>
#include <mutex>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/format_bytes.hpp>
#include <cuzk/runtime/ledger.hpp>

namespace cuzk {
namespace {

/// What the driver and other users of the device need for themselves.
constexpr uint64_t kSpare = uint64_t{512} << 20;

}  // namespace

struct Ledger::Impl {
  std::optional<uint64_t> limit;
  mutable std::mutex mutex;
  uint64_t held = 0, high_water = 0;

  uint64_t capacity(const Device& device) const {
    const uint64_t free = device.info().memory_free;
    const uint64_t now = held + (free > kSpare ? free - kSpare : 0);
    return limit ? std::min(*limit, now) : now;
  }

  void check(const Device& device, uint64_t bytes, const std::string& what) const {
    const uint64_t most = capacity(device);
    const uint64_t left = most > held ? most - held : 0;
    if (bytes <= left) return;
    throw Error(ErrorCode::out_of_memory, device.name() + ": " + what + " wants " + format_bytes(bytes) + ", " +
                                              format_bytes(left) + " of " + format_bytes(most) + " left");
  }

  void add(uint64_t bytes) {
    held += bytes;
    high_water = std::max(high_water, held);
  }
};

Ledger::Ledger(std::shared_ptr<Device> device, std::optional<uint64_t> limit)
    : device_(std::move(device)), impl_(std::make_unique<Impl>()) {
  impl_->limit = limit;
}

Ledger::~Ledger() = default;

Ledger::Region Ledger::take(uint64_t bytes, const std::string& what) {
  if (bytes == 0) return book(0, what);
  const std::lock_guard lock(impl_->mutex);
  impl_->check(*device_, bytes, what);
  Region region;
  try {
    region.memory_ = device_->alloc(bytes);
  } catch (const Error& error) {
    throw Error(error.code(), what + " of " + format_bytes(bytes) + ": " + error.what());
  }
  region.memory_.bytes = bytes;
  region.ledger_ = this;
  region.allocated_ = true;
  impl_->add(bytes);
  return region;
}

Ledger::Region Ledger::book(uint64_t bytes, const std::string& what) {
  const std::lock_guard lock(impl_->mutex);
  impl_->check(*device_, bytes, what);
  Region region;
  region.memory_ = {nullptr, bytes, device_->space()};
  region.ledger_ = this;
  impl_->add(bytes);
  return region;
}

void Ledger::release(Region& region) noexcept {
  const std::lock_guard lock(impl_->mutex);
  if (region.allocated_) device_->free(region.memory_);
  impl_->held -= region.memory_.bytes;
}

uint64_t Ledger::available() const {
  const Figures now = figures();
  return now.capacity > now.held ? now.capacity - now.held : 0;
}

Ledger::Figures Ledger::figures() const {
  const std::lock_guard lock(impl_->mutex);
  return {impl_->capacity(*device_), impl_->held, impl_->high_water};
}

Ledger::Region::Region(Region&& other) noexcept
    : ledger_(std::exchange(other.ledger_, nullptr)),
      memory_(std::exchange(other.memory_, {})),
      allocated_(std::exchange(other.allocated_, false)) {}

Ledger::Region& Ledger::Region::operator=(Region&& other) noexcept {
  if (this != &other) {
    if (ledger_ != nullptr) ledger_->release(*this);
    ledger_ = std::exchange(other.ledger_, nullptr);
    memory_ = std::exchange(other.memory_, {});
    allocated_ = std::exchange(other.allocated_, false);
  }
  return *this;
}

Ledger::Region::~Region() {
  if (ledger_ != nullptr) ledger_->release(*this);
}

cuzk_mem Ledger::Region::part(uint64_t offset, uint64_t bytes) const {
  if (offset > memory_.bytes || bytes > memory_.bytes - offset) {
    throw Error(ErrorCode::internal, "region of " + std::to_string(memory_.bytes) + " bytes: asked for " +
                                         std::to_string(bytes) + " bytes at offset " + std::to_string(offset));
  }
  std::byte* const base = static_cast<std::byte*>(memory_.data);
  return {base == nullptr ? nullptr : base + offset, bytes, memory_.space};
}

}  // namespace cuzk
