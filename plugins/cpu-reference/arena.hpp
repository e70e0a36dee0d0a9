#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace cuzk::cpu {

/// Lays arrays one after the other into a block of memory, each at a multiple of 64 bytes. With a null base it only
/// counts, so that planning and using share one piece of code.
class Arena {
 public:
  static constexpr uint64_t kAlignment = 64;

  explicit Arena(void* base = nullptr) : base_(static_cast<std::byte*>(base)) {}

  /// Room for count trivially copyable T, not initialised; data() is meaningless while counting.
  template <class T>
  std::span<T> take(uint64_t count) {
    const uint64_t at = used_;
    used_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return base_ == nullptr ? std::span<T>() : std::span<T>(reinterpret_cast<T*>(base_ + at), count);
  }
  uint64_t used() const { return used_; }

 private:
  std::byte* base_;
  uint64_t used_ = 0;
};

}  // namespace cuzk::cpu
