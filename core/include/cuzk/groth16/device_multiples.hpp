#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <cuzk/curve.hpp>
#include <cuzk/runtime/host_services.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk {

/// Many multiples of one point on a strategy's first device, for setup(): scalars go there and points come back by the
/// strategy's staging, chunk by chunk, each with a ticket and leases of its own. Has the device's memory space to
/// itself while it lives. One thread.
class DeviceMultiples {
 public:
  static constexpr uint64_t kMostChunk = uint64_t{1} << 20, kLeastChunk = 64;

  /// Whether the strategy's msm component runs on the device and makes multiples.
  static bool offered(const Strategy&);

  /// Takes the memory for chunks of kMostChunk multiples of either group or fewer, down to kLeastChunk, as the device
  /// has room. curve: of all points. most: how many multiples one call makes at most. device_memory: the ledger's
  /// limit, `--device-memory`. Error out_of_memory: what the least chunk takes and what is left; unusable: the space is
  /// in use, or the component does not offer it.
  DeviceMultiples(HostServices&, const Strategy&, Curve curve, uint64_t most,
                  std::optional<uint64_t> device_memory = {});
  ~DeviceMultiples();
  DeviceMultiples(const DeviceMultiples&) = delete;
  DeviceMultiples& operator=(const DeviceMultiples&) = delete;

  /// fill(first, bytes): scalars first, first + 1, ... in Montgomery form, 32 bytes each; called on any thread.
  using Fill = std::function<void(uint64_t first, std::span<std::byte> scalars)>;
  /// out[i] = scalar(i) * point for i < count, affine, infinity for 0. point: affine, of the group of prime order; it
  /// and out in the ABI's layout. Errors: cancelled, and what the components throw; then nothing still runs.
  void multiply(Group, const std::byte* point, uint64_t count, const Fill&, std::byte* out);

  uint64_t chunk() const;     ///< most multiples of one chunk
  std::string where() const;  ///< "cuda:0 by cuda-baseline/pippenger"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk
