#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <cuzk/device.hpp>
#include <cuzk/error.hpp>
#include <cuzk/format_bytes.hpp>
#include <cuzk/runtime/host_pool.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {
namespace {

constexpr uint64_t kHugePage = uint64_t{2} << 20;
constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

constexpr uint64_t kTouchGrain = 512;  // pages

uint64_t rounded_up(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Null when the system has no more. Blocks of a huge page and more start on a huge page's boundary.
std::byte* map_block(uint64_t bytes) {
  const uint64_t spare = bytes >= kHugePage ? kHugePage : 0;
  void* const mapped = mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const base = static_cast<std::byte*>(mapped);
  if (spare == 0) return base;
  const uint64_t past = reinterpret_cast<uintptr_t>(base) % kHugePage;
  const uint64_t skip = past == 0 ? 0 : kHugePage - past;
  if (skip != 0) munmap(base, skip);
  if (skip != spare) munmap(base + skip + bytes, spare - skip);
  madvise(base + skip, bytes, MADV_HUGEPAGE);  // advice: a kernel without huge pages may refuse it
  return base + skip;
}

/// A free block serves a request when at most a quarter of it (or a huge page) would lie idle; under a limit, which was
/// planned for to the page, when none would.
bool serves(uint64_t block, uint64_t wanted, bool limited) {
  if (limited) return block == wanted;
  return block >= wanted && block - wanted <= std::max(block / 4, wanted < kHugePage ? uint64_t{0} : kHugePage);
}

/// The system gives every page its memory now, on many threads; locking them would do it on one.
void touch(CpuPool& cpu, std::span<std::byte> block) {
  const uint64_t page = HostPool::whole_pages(1);
  cpu.ranges(block.size() / page, kTouchGrain, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) block[i * page] = std::byte{};
  });
}

}  // namespace

struct HostPool::Pinning::Locker {
  HostServices& services;
  const std::shared_ptr<Device> device;
  bool refused = false, gone = false;  ///< with the pool's mutex held
};

struct HostPool::Impl {
  using Locker = Pinning::Locker;
  struct Locked {
    uint64_t bytes;
    std::shared_ptr<Locker> by;
  };

  std::mutex mutex;
  std::vector<std::span<std::byte>> free;  ///< in the order they were given back; has room for every block in use
  uint64_t blocks_in_use = 0, in_use = 0, held = 0, high_water = 0;
  uint64_t limit = kUnlimited;
  std::vector<std::shared_ptr<Locker>> lockers;  ///< oldest first
  std::map<const std::byte*, Locked> locked;     ///< page-locked blocks, by their beginning

  // With the mutex held, all but lock_pages():

  std::shared_ptr<Locker> locker_for(std::span<const std::byte> block) const {
    const bool locks = !lockers.empty() && !lockers.front()->refused && !locked.contains(block.data());
    return locks ? lockers.front() : nullptr;
  }

  void unlock_pages(std::span<std::byte> block) noexcept {
    const auto at = locked.find(block.data());
    if (at == locked.end()) return;
    at->second.by->device->unpin(block);
    locked.erase(at);
  }

  /// Of a block that the caller has just taken.
  void lock_pages(std::span<std::byte> block, const std::shared_ptr<Locker>& by) {
    std::string reason;
    try {
      std::map<const std::byte*, Locked> one{{block.data(), {block.size(), by}}};  // so that nothing fails once locked
      touch(by->services.cpu(), block);
      by->device->pin(block);
      const std::lock_guard lock(mutex);
      if (by->gone) {
        by->device->unpin(block);
      } else {
        locked.merge(one);
      }
      return;
    } catch (const std::exception& error) {
      reason = error.what();
    }
    {
      const std::lock_guard lock(mutex);
      if (std::exchange(by->refused, true)) return;
    }
    by->services.log(LogLevel::warn, "host memory",
                     by->device->name() + " cannot page-lock " + format_bytes(block.size()) +
                         " of host memory, and is not asked again: " + reason);
  }

  void unmap_oldest_free() noexcept {
    const std::span<std::byte> block = free.front();
    free.erase(free.begin());
    unlock_pages(block);
    munmap(block.data(), block.size());
    held -= block.size();
  }

  /// The smallest that serves; of these one that is locked as the use wants it.
  std::span<std::byte> best_free(uint64_t bytes, Use use) {
    const auto rank = [&](std::span<const std::byte> block) {
      return std::pair(block.size(), locked.contains(block.data()) != (use == Use::moved));
    };
    auto best = free.end();
    for (auto it = free.begin(); it != free.end(); ++it) {
      if (serves(it->size(), bytes, limit != kUnlimited) && (best == free.end() || rank(*it) < rank(*best))) best = it;
    }
    if (best == free.end()) return {};
    const std::span<std::byte> block = *best;
    free.erase(best);
    return block;
  }

  /// Idle blocks make room first, so that held never exceeds the most that was in use at once.
  std::span<std::byte> map(uint64_t bytes) {
    const uint64_t most = std::min(limit, std::max(high_water, in_use + bytes));
    while (!free.empty() && held + bytes > most) unmap_oldest_free();
    std::byte* data = map_block(bytes);
    while (data == nullptr && !free.empty()) {
      unmap_oldest_free();
      data = map_block(bytes);
    }
    if (data == nullptr) return {};
    held += bytes;
    return {data, bytes};
  }
};

HostPool::HostPool() : impl_(std::make_unique<Impl>()) {}

HostPool::~HostPool() {
  while (!impl_->free.empty()) impl_->unmap_oldest_free();
}

void HostPool::set_limit(std::optional<uint64_t> bytes) {
  const std::lock_guard lock(impl_->mutex);
  impl_->limit = bytes.value_or(kUnlimited);
  while (!impl_->free.empty() && impl_->held > impl_->limit) impl_->unmap_oldest_free();
}

uint64_t HostPool::whole_pages(uint64_t bytes) {
  return rounded_up(bytes, static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

std::span<std::byte> HostPool::take(uint64_t bytes, const std::string& what, Use use) {
  if (bytes == 0) return {};
  std::unique_lock lock(impl_->mutex);
  std::span<std::byte> block;
  if (bytes <= kUnlimited / 2) {
    const uint64_t rounded = whole_pages(bytes);
    const uint64_t left = impl_->limit - std::min(impl_->limit, impl_->in_use);
    if (rounded > left) {
      throw Error(ErrorCode::out_of_memory, "host memory: " + what + " wants " + format_bytes(rounded) + ", " +
                                                format_bytes(left) + " of " + format_bytes(impl_->limit) +
                                                " left (--host-memory)");
    }
    impl_->free.reserve(impl_->free.size() + impl_->blocks_in_use + 1);
    block = impl_->best_free(rounded, use);
    if (block.empty()) block = impl_->map(rounded);
  }
  if (block.empty()) {
    throw Error(ErrorCode::out_of_memory, "host memory: " + what + " wants " + format_bytes(bytes) +
                                              ", the system has no more; " + format_bytes(impl_->held) + " are held");
  }
  ++impl_->blocks_in_use;
  impl_->in_use += block.size();
  impl_->high_water = std::max(impl_->high_water, impl_->in_use);
  const auto locker = use == Use::moved ? impl_->locker_for(block) : nullptr;
  lock.unlock();
  if (locker) impl_->lock_pages(block, locker);
  return block;
}

void HostPool::give(std::span<std::byte> block) noexcept {
  if (block.empty()) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->free.push_back(block);  // take() made the room
  --impl_->blocks_in_use;
  impl_->in_use -= block.size();
  const auto locked = impl_->locked.find(block.data());
  if (locked != impl_->locked.end() && locked->second.by->gone) impl_->unlock_pages(block);
}

bool HostPool::pinned(std::span<const std::byte> range) const {
  if (range.empty()) return true;
  const std::lock_guard lock(impl_->mutex);
  const auto after = impl_->locked.upper_bound(range.data());
  if (after == impl_->locked.begin()) return false;
  const auto& [begin, block] = *std::prev(after);
  const auto offset = static_cast<uint64_t>(range.data() - begin);
  return offset < block.bytes && range.size() <= block.bytes - offset;
}

HostPool::Pinning::Pinning(HostServices& services, std::shared_ptr<Device> device) : pool_(services.memory()) {
  if (!device || !device->can_pin()) return;
  locker_.reset(new Locker{services, std::move(device)});
  const std::lock_guard lock(pool_.impl_->mutex);
  pool_.impl_->lockers.push_back(locker_);
}

HostPool::Pinning::~Pinning() {
  if (!locker_) return;
  Impl& pool = *pool_.impl_;
  const std::lock_guard lock(pool.mutex);
  std::erase(pool.lockers, locker_);
  locker_->gone = true;
  for (const std::span<std::byte> block : pool.free) {
    const auto locked = pool.locked.find(block.data());
    if (locked != pool.locked.end() && locked->second.by == locker_) pool.unlock_pages(block);
  }
}

uint64_t HostPool::held() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->held;
}

uint64_t HostPool::in_use() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->in_use;
}

uint64_t HostPool::high_water() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->high_water;
}

HostBlock::HostBlock(HostPool& pool, uint64_t bytes, const std::string& what, HostPool::Use use)
    : pool_(&pool), block_(pool.take(bytes, what, use)) {}

HostBlock::HostBlock(HostBlock&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), block_(std::exchange(other.block_, {})) {}

HostBlock& HostBlock::operator=(HostBlock&& other) noexcept {
  if (this != &other) {
    if (pool_ != nullptr) pool_->give(block_);
    pool_ = std::exchange(other.pool_, nullptr);
    block_ = std::exchange(other.block_, {});
  }
  return *this;
}

HostBlock::~HostBlock() {
  if (pool_ != nullptr) pool_->give(block_);
}

FrVector::FrVector(HostPool& pool, uint64_t count, const std::string& what) : count_(count) {
  if (count > std::numeric_limits<uint64_t>::max() / sizeof(cuzk_fr)) {
    throw Error(ErrorCode::out_of_memory, "host memory: " + what + " wants " + std::to_string(count) + " elements of " +
                                              std::to_string(sizeof(cuzk_fr)) + " bytes, more than can be addressed");
  }
  block_ = HostBlock(pool, count * sizeof(cuzk_fr), what);
}

FrVector::FrVector(FrVector&& other) noexcept
    : block_(std::move(other.block_)), count_(std::exchange(other.count_, 0)) {}

FrVector& FrVector::operator=(FrVector&& other) noexcept {
  block_ = std::move(other.block_);
  if (this != &other) count_ = std::exchange(other.count_, 0);
  return *this;
}

}  // namespace cuzk
