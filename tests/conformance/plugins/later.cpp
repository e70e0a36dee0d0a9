// A device whose copies run later, in a thread of the staging's own, and whose pages can be locked, so that the suite's
// cases for that run without a GPU. Moves of page-locked memory only: a source or destination that is said to be and is
// not is an error.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include <cuzk/sdk/device.hpp>
#include <cuzk/sdk/plugin.hpp>
#include <cuzk/sdk/staging.hpp>

namespace {

namespace sdk = cuzk::sdk;

constexpr uint32_t kKind = CUZK_SPACE_VENDOR;
constexpr uint64_t kRing = 1 << 16, kMostMemory = uint64_t{1} << 32;

/// Passed until it is recorded.
class Fence {
 public:
  static Fence* of(cuzk_fence fence) {
    if (fence.kind == CUZK_SPACE_HOST) return nullptr;
    if (fence.kind != kKind || fence.handle == nullptr) throw sdk::Error(CUZK_BAD_ARGUMENT, "a foreign fence");
    return static_cast<Fence*>(fence.handle);
  }
  void set(bool passed) {
    const std::lock_guard lock(mutex_);
    passed_ = passed;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return passed_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool passed_ = true;
};

void wait(cuzk_fence fence) {
  if (Fence* const one = Fence::of(fence)) one->wait();
}

/// Ranges of locked pages, by their beginning.
class Locked {
 public:
  void add(void* block, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (!ranges_.emplace(static_cast<const std::byte*>(block), bytes).second) {
      throw sdk::Error(CUZK_DEVICE_ERROR, "pages that are locked already", 712);
    }
  }
  void remove(void* block) {
    const std::lock_guard lock(mutex_);
    ranges_.erase(static_cast<const std::byte*>(block));
  }
  void require(const void* data, uint64_t bytes) {
    if (bytes == 0) return;
    const std::lock_guard lock(mutex_);
    const auto* const first = static_cast<const std::byte*>(data);
    const auto next = ranges_.upper_bound(first);
    if (next == ranges_.begin() || std::prev(next)->first + std::prev(next)->second < first + bytes) {
      throw sdk::Error(CUZK_BAD_ARGUMENT, "memory that is said to be page-locked and is not");
    }
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, uint64_t> ranges_;
};

Locked& locked() {
  static Locked& one = *new Locked;
  return one;
}

struct Device {
  static uint32_t count() { return 1; }
  static cuzk_device_info info(int32_t index) {
    if (index != 0) throw sdk::Error(CUZK_BAD_ARGUMENT, "there is one device");
    cuzk_device_info info{};
    info.space = {kKind, 0};
    info.units = 1;
    info.memory_total = info.memory_free = kMostMemory;
    info.name = sdk::str("later");
    return info;
  }
  static cuzk_mem alloc(cuzk_space space, uint64_t bytes) {
    void* const data = bytes > kMostMemory ? nullptr : std::aligned_alloc(256, (bytes / 256 + 1) * 256);
    if (data == nullptr) throw sdk::Error(CUZK_OUT_OF_MEMORY, "no memory");
    return {data, bytes, space};
  }
  static void free(cuzk_mem memory) { std::free(memory.data); }
  static void pin(std::span<std::byte> block) { locked().add(block.data(), block.size()); }
  static void unpin(void* block) { locked().remove(block); }
  static void copy(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence) {
    wait(after);
    if (src.bytes != 0) std::memcpy(dst.data, src.data, src.bytes);
    if (dst.bytes != src.bytes) std::memset(static_cast<std::byte*>(dst.data) + src.bytes, 0, dst.bytes - src.bytes);
  }
  static cuzk_fence make_fence(cuzk_space) { return {new Fence, kKind, 0}; }
  static void wait(cuzk_fence fence) { ::wait(fence); }
  static void free_fence(cuzk_fence fence) { delete Fence::of(fence); }
};

/// Does one thing after the other in a thread of its own.
class Lane {
 public:
  Lane() : thread_([this] { work(); }) {}
  ~Lane() {
    add({});
    thread_.join();
  }
  /// Empty: the last.
  void add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tasks_.empty(); });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      const std::function<void()> task = tasks_.front();
      if (!task) return;
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      task();
      lock.lock();
      tasks_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
};

class Staging {
 public:
  static constexpr uint32_t kFlags = CUZK_STAGING_PINNED;
  static cuzk_plan plan(const cuzk_device_info&, uint64_t, uint64_t) {
    cuzk_plan plan{};
    plan.pinned = kRing;
    return plan;
  }
  Staging(cuzk_space, const cuzk_plan&, cuzk_mem ring) : ring_(ring) {
    if (ring_.data != nullptr) locked().require(ring_.data, ring_.bytes);
  }

  uint32_t upload(const cuzk_call&, cuzk_mem& dst, const void* src, uint64_t bytes, bool pinned, cuzk_fence after,
                  cuzk_fence done) {
    auto* const to = static_cast<std::byte*>(dst.data);
    const auto* const from = static_cast<const std::byte*>(src);
    const uint32_t path = path_of(src, bytes, pinned);
    begin(after, done);
    move(path, bytes, [=, this](uint64_t at, uint64_t size) {
      if (path == CUZK_PATH_RING) {
        std::memcpy(ring_.data, from + at, size);
        lane_.add([=, this] { std::memcpy(to + at, ring_.data, size); });
      } else {
        lane_.add([=] { std::memcpy(to + at, from + at, size); });
      }
    });
    if (const uint64_t tail = dst.bytes - bytes; tail != 0) lane_.add([=] { std::memset(to + bytes, 0, tail); });
    end(path, done);
    return path;
  }
  uint32_t download(const cuzk_call&, void* dst, bool pinned, cuzk_mem src, cuzk_fence after, cuzk_fence done) {
    auto* const to = static_cast<std::byte*>(dst);
    const auto* const from = static_cast<const std::byte*>(src.data);
    const uint32_t path = path_of(dst, src.bytes, pinned);
    begin(after, done);
    move(path, src.bytes, [=, this](uint64_t at, uint64_t size) {
      lane_.add([=, this] { std::memcpy(path == CUZK_PATH_RING ? ring_.data : to + at, from + at, size); });
      if (path != CUZK_PATH_RING) return;
      lane_.wait();
      std::memcpy(to + at, ring_.data, size);
    });
    end(path, done);
    return path;
  }

 private:
  uint32_t path_of(const void* data, uint64_t bytes, bool pinned) const {
    if (pinned) locked().require(data, bytes);
    return pinned ? CUZK_PATH_PINNED : ring_.data != nullptr ? CUZK_PATH_RING : CUZK_PATH_PAGEABLE;
  }
  void begin(cuzk_fence after, cuzk_fence done) {
    if (Fence* const fence = Fence::of(after)) lane_.add([=] { fence->wait(); });
    if (Fence* const fence = Fence::of(done)) fence->set(false);
  }
  /// piece(at, size): in one, or through the ring, when what used it before is over.
  template <class Piece>
  void move(uint32_t path, uint64_t bytes, const Piece& piece) {
    const uint64_t most = path == CUZK_PATH_RING ? ring_.bytes : std::max<uint64_t>(bytes, 1);
    for (uint64_t at = 0; at < bytes; at += most) {
      if (path == CUZK_PATH_RING) lane_.wait();
      piece(at, std::min(most, bytes - at));
    }
  }
  void end(uint32_t path, cuzk_fence done) {
    Fence* const fence = Fence::of(done);
    if (fence != nullptr) lane_.add([=] { fence->set(true); });
    if (fence == nullptr || path == CUZK_PATH_PAGEABLE) lane_.wait();
  }

  cuzk_mem ring_;
  Lane lane_;
};

constexpr cuzk_component kStaging =
    sdk::staging_component<Staging>({.name = "later", .summary = "copies later", .space_kinds = sdk::bits(kKind)});
constexpr const cuzk_component* kComponents[] = {&kStaging};
constexpr cuzk_device_api kDevice = sdk::device<Device>(kKind, "later");
constexpr sdk::Plugin kPlugin{.name = "later",
                              .version = "1",
                              .license = "Apache-2.0",
                              .author = "the cuzk authors",
                              .built_for = "cpu",
                              .components = kComponents,
                              .device = &kDevice};

}  // namespace

CUZK_PLUGIN(kPlugin);
