#pragma once
#include <algorithm>
#include <cstdint>

namespace cuzk::cuda {

/// How a ring of page-locked memory is cut into blocks that take turns: while one is copied, others are filled. Blocks
/// are so large that starting a copy costs nothing beside it (16 MiB are 0.3 ms at 55 GB/s), and of shorter vectors so
/// small that filling and copying overlap all the same. Sizes in bytes.
struct RingCut {
  static constexpr uint64_t kBlocks = 4;
  static constexpr uint64_t kMostBlock = uint64_t{16} << 20;
  static constexpr uint64_t kLeastBlock = uint64_t{64} << 10;
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kGrain = uint64_t{1} << 20;  ///< what one CPU thread moves at a time

  uint64_t block;  ///< 0: there is no ring

  /// For vectors of at most so many bytes; 0: nothing ever moves.
  static constexpr RingCut for_vectors(uint64_t largest) {
    if (largest == 0) return {0};
    const uint64_t quarter = largest / kBlocks + (largest % kBlocks != 0);
    return {std::clamp(std::min(quarter, kMostBlock) + kPage - 1, kLeastBlock, kMostBlock) / kPage * kPage};
  }
  /// Of a ring that is there: no longer than for_vectors() asked for, perhaps absent.
  static constexpr RingCut of_ring(uint64_t bytes) { return {std::min(bytes / kBlocks / kPage * kPage, kMostBlock)}; }

  constexpr uint64_t bytes() const { return kBlocks * block; }
  /// In how many turns so many bytes cross.
  constexpr uint64_t turns(uint64_t bytes) const { return bytes / block + (bytes % block != 0); }
  constexpr uint64_t turn_bytes(uint64_t turn, uint64_t bytes) const { return std::min(block, bytes - turn * block); }
  /// The same of the pieces of one turn.
  static constexpr uint64_t pieces(uint64_t bytes) { return bytes / kGrain + (bytes % kGrain != 0); }
  static constexpr uint64_t piece_bytes(uint64_t piece, uint64_t bytes) {
    return std::min(kGrain, bytes - piece * kGrain);
  }
};

}  // namespace cuzk::cuda
