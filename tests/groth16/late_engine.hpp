#pragma once
#include "fakes.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cuzk::testing {

/// A device whose copies are late: its own thread makes them one after the other, the newest first, each some time
/// after the call that asked for it has returned. Until then the destination holds rubbish. Its pages can be locked, in
/// its books alone. Counts what must never be: see wrong().
class LateDevice final : public Device {
 public:
  LateDevice(std::shared_ptr<FakeDevice> memory, uint32_t delay_us);
  ~LateDevice() override;

  std::string name() const override { return memory_->name(); }
  std::string plugin() const override { return memory_->plugin(); }
  cuzk_space space() const override { return memory_->space(); }
  cuzk_device_info info() const override { return memory_->info(); }
  bool synchronous() const override { return false; }
  cuzk_mem alloc(uint64_t bytes) override { return memory_->alloc(bytes); }
  void free(cuzk_mem memory) noexcept override;
  bool can_pin() const override { return able; }
  void pin(std::span<std::byte> block) override;
  void unpin(std::span<std::byte> block) noexcept override;
  void copy(cuzk_mem, cuzk_mem, cuzk_fence, cuzk_fence) override {}
  cuzk_fence make_fence() override;
  void wait(cuzk_fence fence) override;
  void free_fence(cuzk_fence fence) noexcept override;

  /// From now on no copy is made until somebody waits for one; `waited` is called then, once.
  void hold(std::function<void()> waited);

  /// Waits for `after`; copies when its turn has come, then `done` is over.
  void enqueue(uint64_t ticket, std::span<std::byte> dst, std::span<const std::byte> src, cuzk_fence after,
               cuzk_fence done);
  void over(cuzk_fence done);            ///< of a call that did all it had to
  bool is_over(cuzk_fence fence) const;  ///< all that recorded it
  size_t running() const;                ///< copies that are not over
  size_t locked() const;                 ///< blocks
  bool locked(const void* data) const;
  /// Copies into or out of memory that another ticket or the allocator has, sources that changed before they were
  /// copied, pages locked twice or not at all; each with a word on it.
  std::vector<std::string> wrong() const;

  std::atomic<bool> able{true};
  std::atomic<uint64_t> pins{0}, fail_pin{0};  ///< fail_pin: that one, counted from 1, and those behind it; 0: none

 private:
  struct Copy {
    uint64_t ticket;
    std::span<std::byte> dst;
    std::span<const std::byte> src;
    std::vector<std::byte> expected;
    cuzk_fence done;
  };
  struct Fence {
    uint64_t recorded = 0, over = 0;  ///< how often
  };
  void work();
  static Fence& of(cuzk_fence fence) { return *static_cast<Fence*>(fence.handle); }
  void wait(cuzk_fence fence, std::unique_lock<std::mutex>& lock);

  const std::shared_ptr<FakeDevice> memory_;
  const uint32_t delay_us_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Copy> copies_;
  std::map<const std::byte*, uint64_t> locked_;
  std::vector<std::string> wrong_;
  std::function<void()> waited_;  ///< copies are held while there is one
  bool stop_ = false;
  std::thread thread_;
};

/// The doubles of FakeEngine on a late device: staging that asks for page-locked memory and starts copies, kernels that
/// wait for what they are told to wait for and for nothing else.
struct LateEngine {
  explicit LateEngine(FakeOptions options, uint32_t delay_us = 300);

  FakeEngine fake;
  std::shared_ptr<LateDevice> device;
  Strategy strategy;
  std::shared_ptr<std::vector<std::string>> calls;  ///< of MSM jobs by one worker, in order: "start 0", "end 0", ...
};

}  // namespace cuzk::testing
