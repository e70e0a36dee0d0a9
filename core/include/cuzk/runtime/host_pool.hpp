#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

/// Host memory for the engine's vectors: page-aligned anonymous mappings (from 2 MiB on aligned to and advised for huge
/// pages), reused. Idle blocks never make held() exceed high_water() or the limit. The only memory in the process that
/// is ever pinned. Blocks are given back before the pool is destroyed. Threads: any.
class HostPool {
 public:
  HostPool();
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  /// `--host-memory`: most bytes to hold from now on; nothing: as many as the system gives.
  void set_limit(std::optional<uint64_t> bytes);
  static uint64_t whole_pages(uint64_t bytes);  ///< what a block of that many bytes takes
  /// A block of at least `bytes`, its contents unspecified; empty for 0. Error out_of_memory, at once, names `what`,
  /// the bytes and what is left.
  std::span<std::byte> take(uint64_t bytes, const std::string& what);
  void give(std::span<std::byte> block) noexcept;  ///< exactly what take() returned, once
  uint64_t held() const;                           ///< bytes mapped now
  uint64_t in_use() const;                         ///< of those in blocks that were taken
  uint64_t high_water() const;                     ///< most bytes of blocks in use at once

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A block of the pool that goes back on destruction. Move-only; a moved-from one is empty.
class HostBlock {
 public:
  HostBlock() = default;
  HostBlock(HostPool&, uint64_t bytes, const std::string& what);  ///< as HostPool::take()
  HostBlock(HostBlock&&) noexcept;
  HostBlock& operator=(HostBlock&&) noexcept;
  ~HostBlock();

  std::byte* data() const { return block_.data(); }
  /// The first `bytes` of it, which are no more than were asked for.
  cuzk_mem memory(uint64_t bytes) const { return {block_.data(), bytes, {CUZK_SPACE_HOST, 0}}; }

 private:
  HostPool* pool_ = nullptr;
  std::span<std::byte> block_;
};

/// Fr vector of the engine in a block of its own. Move-only. Contents unspecified until written.
class FrVector {
 public:
  FrVector() = default;
  FrVector(HostPool&, uint64_t count, const std::string& what);
  FrVector(FrVector&&) noexcept;
  FrVector& operator=(FrVector&&) noexcept;

  uint64_t size() const { return count_; }
  cuzk_fr* data() { return reinterpret_cast<cuzk_fr*>(block_.data()); }
  const cuzk_fr* data() const { return reinterpret_cast<const cuzk_fr*>(block_.data()); }
  std::span<cuzk_fr> span() { return {data(), count_}; }
  std::span<const cuzk_fr> span() const { return {data(), count_}; }
  std::span<const std::byte> bytes() const { return {block_.data(), count_ * sizeof(cuzk_fr)}; }

 private:
  HostBlock block_;
  uint64_t count_ = 0;
};

}  // namespace cuzk
