#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cuzk::cuda {

/// Times of a device in the host's clock. The two meet at an anchor: a point that the device passed while the host
/// looked, somewhere between two of its times, of which the middle is taken. Times of the device count from there. From
/// then on the clocks drift apart, so that a newer anchor is better though it may have been seen less sharply.
class ClockMap {
 public:
  static constexpr uint64_t kRenewNs = 1'000'000'000;  ///< how often a newer anchor is tried
  static constexpr uint64_t kDriftPerNs = 20'000;      ///< 1 ns in so many: 50 parts in a million

  bool set() const { return set_; }
  /// Whether to look for an anchor; saying yes counts as a try.
  bool wants_anchor(uint64_t now_ns) {
    if (tried_ && now_ns - tried_ns_ < kRenewNs) return false;
    tried_ = true;
    tried_ns_ = now_ns;
    return true;
  }
  /// The device passed a new anchor between these times. True: it is better than the present one; times count from it.
  bool offer(uint64_t before_ns, uint64_t after_ns) {
    const uint64_t error = (after_ns - before_ns) / 2;
    if (set_ && error > error_ns(after_ns)) return false;
    set_ = true;
    anchor_ns_ = before_ns + error;
    half_window_ns_ = error;
    return true;
  }
  /// Most by which a time near now_ns may be wrong.
  uint64_t error_ns(uint64_t now_ns) const {
    if (!set_) return std::numeric_limits<uint64_t>::max();
    const uint64_t age = now_ns > anchor_ns_ ? now_ns - anchor_ns_ : anchor_ns_ - now_ns;
    return half_window_ns_ + age / kDriftPerNs;
  }
  /// ms: from the anchor as the device counts, negative before it.
  uint64_t host_ns(double ms) const {
    const auto ns = static_cast<int64_t>(anchor_ns_) + std::llround(ms * 1e6);
    return static_cast<uint64_t>(std::max<int64_t>(ns, 0));
  }

 private:
  bool set_ = false, tried_ = false;
  uint64_t anchor_ns_ = 0, half_window_ns_ = 0, tried_ns_ = 0;
};

}  // namespace cuzk::cuda
