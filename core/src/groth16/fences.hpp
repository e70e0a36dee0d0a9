#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include <cuzk/device.hpp>

namespace cuzk::groth16 {

/// One worker's fences, made when the strategy opens. It knows which were handed to a call to be recorded and not
/// waited for since, so that after an error nothing is left running: settle(). One thread at a time.
class Fences {
 public:
  enum Id : uint32_t {
    a,
    b,
    witness,
    selected,  ///< scalars that core picked
    c,
    b_free,
    quotient,
    end,
    chunk_ready_0,
    chunk_ready_1,
    chunk_free_0,
    chunk_free_1
  };
  static constexpr uint32_t kCount = chunk_free_1 + 1;

  explicit Fences(std::shared_ptr<Device> device)
      : Fences(std::move(device), 0) {  // so that the destructor runs if a make fails
    for (cuzk_fence& fence : fences_) {
      fence = device_->make_fence();
      ++made_;
    }
  }
  ~Fences() {
    settle();
    for (uint32_t i = 0; i < made_; ++i) device_->free_fence(fences_[i]);
  }
  Fences(const Fences&) = delete;
  Fences& operator=(const Fences&) = delete;

  /// For a call to record.
  cuzk_fence record(uint32_t id) {
    pending_[id] = true;
    return fences_[id];
  }
  /// For a call to wait for before it starts; nothing to wait for when the fence is not pending.
  cuzk_fence after(uint32_t id) const { return pending_[id] ? fences_[id] : cuzk_fence{}; }
  /// Blocks this thread until what recorded the fence is done.
  void wait(uint32_t id) {
    if (!pending_[id]) return;
    pending_[id] = false;
    device_->wait(fences_[id]);
  }
  void wait_all() {
    for (uint32_t id = 0; id < made_; ++id) wait(id);
  }
  /// Waits for all, past errors: for the way out after one.
  void settle() noexcept {
    for (uint32_t id = 0; id < made_; ++id) {
      try {
        wait(id);
      } catch (...) {  // a fence that failed has nothing running behind it
      }
    }
  }

 private:
  Fences(std::shared_ptr<Device> device, uint32_t made) : device_(std::move(device)), made_(made) {}

  std::shared_ptr<Device> device_;
  std::array<cuzk_fence, kCount> fences_{};
  std::array<bool, kCount> pending_{};
  uint32_t made_;
};

/// Whatever was started is over when this goes: declared after a lease, so that nothing runs when the lease leaves.
class Settled {
 public:
  explicit Settled(Fences& of) : fences_(&of) {}
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;
  ~Settled() {
    if (fences_ != nullptr) fences_->settle();
  }
  void keep() { fences_ = nullptr; }  ///< lets it go on: somebody else waits for it

 private:
  Fences* fences_;
};

}  // namespace cuzk::groth16
