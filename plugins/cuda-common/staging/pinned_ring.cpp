#include "pinned_ring.hpp"

#include <algorithm>
#include <cstring>

#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {
namespace {

/// By the engine's CPU threads.
void copy_bytes(std::byte* to, const std::byte* from, uint64_t bytes) {
  sdk::host().parallel(RingCut::pieces(bytes), [&](uint64_t piece) {
    const uint64_t at = piece * RingCut::kGrain;
    std::memcpy(to + at, from + at, RingCut::piece_bytes(piece, bytes));
  });
}

}  // namespace

PinnedRing::PinnedRing(uint32_t device, const cuzk_mem& memory)
    : cut_(RingCut::of_ring(memory.data == nullptr ? 0 : memory.bytes)) {
  if (!there()) return;
  blocks_.reserve(RingCut::kBlocks);
  auto* place = static_cast<std::byte*>(memory.data);
  for (uint64_t i = 0; i < RingCut::kBlocks; ++i, place += cut_.block) blocks_.emplace_back(device, place);
}

void PinnedRing::wait(Block& block) {
  if (!block.busy) return;
  wait_for(block.copied);
  block.busy = false;
}

void PinnedRing::copied(const Stream& stream, Block& block) {
  block.busy = true;
  check(cudaEventRecord(block.copied, stream), "cudaEventRecord");
}

void PinnedRing::upload(const Stream& stream, const cuzk_call& call, std::byte* to, const std::byte* from,
                        uint64_t bytes) {
  for (uint64_t turn = 0, at = 0; turn < cut_.turns(bytes); ++turn, at += cut_.block) {
    sdk::host().throw_if_cancelled(call);
    const uint64_t size = cut_.turn_bytes(turn, bytes);
    Block& block = blocks_[next_++ % RingCut::kBlocks];
    wait(block);
    copy_bytes(block.data, from + at, size);
    check(cudaMemcpyAsync(to + at, block.data, size, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    copied(stream, block);
  }
}

void PinnedRing::download(const Stream& stream, const cuzk_call& call, std::byte* to, const std::byte* from,
                          uint64_t bytes) {
  const uint64_t first = next_, turns = cut_.turns(bytes);
  const auto block_of = [&](uint64_t turn) -> Block& { return blocks_[(first + turn) % RingCut::kBlocks]; };
  for (uint64_t emptied = 0; emptied < turns; ++emptied) {
    sdk::host().throw_if_cancelled(call);
    for (; next_ - first < std::min(turns, emptied + RingCut::kBlocks); ++next_) {
      const uint64_t turn = next_ - first;
      Block& block = block_of(turn);
      wait(block);  // of an upload
      check(cudaMemcpyAsync(block.data, from + turn * cut_.block, cut_.turn_bytes(turn, bytes), cudaMemcpyDeviceToHost,
                            stream),
            "cudaMemcpyAsync");
      copied(stream, block);
    }
    Block& block = block_of(emptied);
    wait(block);
    copy_bytes(to + emptied * cut_.block, block.data, cut_.turn_bytes(emptied, bytes));
  }
}

}  // namespace cuzk::cuda
