#pragma once
#include "cuda/check.hpp"
#include "ring_cut.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// Moves ordinary memory through page-locked blocks, which the engine's CPU threads fill and empty. An event a block
/// says when its copy is over. One thread at a time, under a DeviceGuard. Errors: sdk::Error; the caller then waits for
/// the streams.
class PinnedRing {
 public:
  /// memory: page-locked, outlives this; empty: no ring.
  PinnedRing(uint32_t device, const cuzk_mem& memory);

  bool there() const { return cut_.block != 0; }
  /// Enqueues the copies of `bytes` to device memory; returns when the last is enqueued, and `from` has been read.
  void upload(const Stream& stream, const cuzk_call& call, std::byte* to, const std::byte* from, uint64_t bytes);
  /// From device memory; returns when they are in `to`.
  void download(const Stream& stream, const cuzk_call& call, std::byte* to, const std::byte* from, uint64_t bytes);

 private:
  struct Block {
    Block(uint32_t device, std::byte* place) : data(place), copied(device, kFlags) {}
    static constexpr unsigned kFlags = cudaEventDisableTiming | cudaEventBlockingSync;
    std::byte* data;
    Event copied;
    bool busy = false;  ///< a copy was enqueued, and not waited for since
  };
  void wait(Block& block);
  void copied(const Stream& stream, Block& block);

  RingCut cut_;
  std::vector<Block> blocks_;
  uint64_t next_ = 0;  ///< turns so far
};

}  // namespace cuzk::cuda
