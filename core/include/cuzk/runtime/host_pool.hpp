#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

class Device;
class HostServices;

/// Host memory for the engine's vectors: page-aligned anonymous mappings (from 2 MiB on aligned to and advised for huge
/// pages), reused. Idle blocks never make held() exceed high_water() or the limit. The only memory in the process that
/// is ever page-locked: see Pinning. Blocks are given back before the pool is destroyed. Threads: any.
class HostPool {
 public:
  enum class Use {
    moved,  ///< crosses to or from devices: page-locked where a Pinning does that
    local,  ///< the CPU's alone
  };
  class Pinning;

  HostPool();
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  /// `--host-memory`: most bytes to hold from now on; nothing: as many as the system gives.
  void set_limit(std::optional<uint64_t> bytes);
  static uint64_t whole_pages(uint64_t bytes);  ///< what a block of that many bytes takes
  /// A block of at least `bytes`, its contents unspecified; empty for 0. Error out_of_memory, at once, names `what`,
  /// the bytes and what is left.
  std::span<std::byte> take(uint64_t bytes, const std::string& what, Use use = Use::moved);
  void give(std::span<std::byte> block) noexcept;  ///< exactly what take() returned, once
  /// Whether one page-locked block of the pool covers the range; true of nothing, wherever it lies.
  bool pinned(std::span<const std::byte> range) const;
  uint64_t held() const;        ///< bytes mapped now
  uint64_t in_use() const;      ///< of those in blocks that were taken
  uint64_t high_water() const;  ///< most bytes of blocks in use at once

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// While it lives, its device page-locks the blocks that are taken to be moved: each when it is taken first, its pages
/// touched by the engine's threads before. They stay locked as long as the pool keeps them. Every device may move them
/// as locked memory. Of several the oldest alone locks. No page is ever locked twice.
///
/// Refused once, for whatever reason, it tries no more: the refused block and those to come stay pageable, with one
/// warning in the log that names device, bytes and reason. None where the device is null or cannot lock at all.
///
/// When it goes, idle blocks are unlocked at once and blocks in use when they are given back; these keep the device
/// until then. So whatever moves the pool's blocks goes before it (an engine has it outlive its sessions), and blocks
/// that outlive it, as a witness may, go before the device's plugin is shut down. Threads: any.
class HostPool::Pinning {
 public:
  Pinning(HostServices&, std::shared_ptr<Device>);
  ~Pinning();
  Pinning(const Pinning&) = delete;
  Pinning& operator=(const Pinning&) = delete;

  struct Locker;

 private:
  HostPool& pool_;
  std::shared_ptr<Locker> locker_;
};

/// A block of the pool that goes back on destruction. Move-only; a moved-from one is empty.
class HostBlock {
 public:
  HostBlock() = default;
  /// As HostPool::take().
  HostBlock(HostPool&, uint64_t bytes, const std::string& what, HostPool::Use use = HostPool::Use::moved);
  HostBlock(HostBlock&&) noexcept;
  HostBlock& operator=(HostBlock&&) noexcept;
  ~HostBlock();

  std::byte* data() const { return block_.data(); }
  /// The first `bytes` of it, which are no more than were asked for; of an empty one nothing.
  cuzk_mem memory(uint64_t bytes) const { return {block_.data(), block_.empty() ? 0 : bytes, {CUZK_SPACE_HOST, 0}}; }

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
