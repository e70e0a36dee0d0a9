#pragma once
/// What the checks of staging and of spans share.

#include "../cuda/device.hpp"
#include "../staging/pinned_async.hpp"
#include "host_bytes.hpp"
#include "memory.hpp"
#include "test_host.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include <cuzk/sdk/error.hpp>
#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {

inline constexpr uint64_t kMiB = uint64_t{1} << 20;
inline constexpr uint64_t kMs = 1'000'000;  ///< in nanoseconds

inline uint64_t now_ns() { return sdk::host().now_ns(); }

class Fence {
 public:
  Fence() : fence_(CudaDevice::make_fence(kSpace)) {}
  ~Fence() { CudaDevice::free_fence(fence_); }
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;
  operator cuzk_fence() const { return fence_; }
  void wait() const { CudaDevice::wait(fence_); }

 private:
  cuzk_fence fence_;
};

/// A component with a ring for vectors of so many bytes, or with none.
struct Opened {
  explicit Opened(uint64_t largest, bool has_ring = true)
      : plan(PinnedAsyncStaging::plan({}, largest, UINT64_MAX)), ring(plan.pinned, true) {
    const cuzk_mem memory{ring.data(), plan.pinned, {CUZK_SPACE_HOST, 0}};
    staging.emplace(kSpace, plan, has_ring ? memory : cuzk_mem{});
  }
  cuzk_plan plan;
  HostBytes ring;
  std::optional<PinnedAsyncStaging> staging;
};

/// A line for each check.
class Report {
 public:
  explicit Report(TestHost& host) : host_(host) {}
  bool good() const { return good_; }

  /// body answers what is wrong, or nothing.
  void say(const std::string& what, const std::function<std::string()>& body) {
    std::string wrong;
    try {
      wrong = body();
      if (const cudaError_t left = cudaGetLastError(); wrong.empty() && left != cudaSuccess) {
        wrong = std::string("left the error ") + cudaGetErrorString(left);
      }
    } catch (const sdk::Error& error) {
      wrong = error.what();
    }
    host_.cancel_never();
    good_ &= wrong.empty();
    std::printf("%-56s %s\n", what.c_str(), wrong.empty() ? "ok" : ("WRONG: " + wrong).c_str());
    std::fflush(stdout);
  }

 private:
  TestHost& host_;
  bool good_ = true;
};

}  // namespace cuzk::cuda
