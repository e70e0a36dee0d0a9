#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <cuzk/device.hpp>

namespace cuzk {

/// Core's books of one space's memory, and the only caller of its allocator. Plugins never see it.
/// A reservation is backed when it returns: allocated, or (adopted and unmanaged bytes) booked. Nothing ever waits for
/// bytes. Threads: any.
class Ledger {
 public:
  struct Figures {
    uint64_t capacity;    ///< min(limit, held + what is free now beyond 512 MiB)
    uint64_t held;        ///< allocated + booked
    uint64_t high_water;  ///< most held at once
  };

  /// Bytes held; movable; gives them back on destruction, which comes before the ledger's. data of a booked region is
  /// null.
  class Region {
   public:
    Region() = default;  ///< holds nothing
    Region(Region&&) noexcept;
    Region& operator=(Region&&) noexcept;
    ~Region();
    cuzk_mem memory() const { return memory_; }
    /// Bytes [offset, offset + bytes) of it. Error internal when outside.
    cuzk_mem part(uint64_t offset, uint64_t bytes) const;

   private:
    friend class Ledger;
    Ledger* ledger_ = nullptr;
    cuzk_mem memory_{};
    bool allocated_ = false;
  };

  explicit Ledger(std::shared_ptr<Device> device, std::optional<uint64_t> limit = {});
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// Allocates. Refuses at once with Error out_of_memory, naming device, `what`, bytes wanted and bytes left. When the
  /// device fails: its error with the same names added. The books change only on success. 0 bytes: nothing is
  /// allocated.
  Region take(uint64_t bytes, const std::string& what);
  /// Books without allocating: adopted memory, or what a plugin allocates itself.
  Region book(uint64_t bytes, const std::string& what);
  uint64_t available() const;  ///< capacity - held, looked at anew
  Figures figures() const;
  Device& device() const { return *device_; }

 private:
  struct Impl;
  void release(Region& region) noexcept;

  std::shared_ptr<Device> device_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk
