#pragma once
#include <cstdlib>
#include <map>
#include <string>

#include <cuzk/device.hpp>
#include <cuzk/error.hpp>

namespace cuzk::testing {

/// Device double for books: memory is real, the figures are what the test says. Fails the allocation that makes
/// `allocations_until_failure` run out.
class FakeDevice : public Device {
 public:
  explicit FakeDevice(uint64_t total) : total_(total) {}
  ~FakeDevice() override {
    for (const auto& [data, bytes] : blocks_) std::free(data);
  }

  std::string name() const override { return "cpu:0"; }
  std::string plugin() const override { return "fake"; }
  cuzk_space space() const override { return {CUZK_SPACE_MODEL, 0}; }
  cuzk_device_info info() const override {
    cuzk_device_info info{};
    info.struct_size = sizeof info;
    info.space = {CUZK_SPACE_MODEL, 0};
    info.memory_total = total_;
    info.memory_free = total_ - used();
    return info;
  }
  cuzk_mem alloc(uint64_t bytes) override {
    if (allocations_until_failure-- == 0) throw Error(ErrorCode::device_failed, "cpu:0: injected failure");
    void* const data = std::malloc(1);  // the books are about figures: nobody touches these bytes
    blocks_[data] = bytes;
    return {data, bytes, {CUZK_SPACE_MODEL, 0}};
  }
  void free(cuzk_mem memory) noexcept override {
    if (blocks_.erase(memory.data) == 0) ++wrong_frees;
    std::free(memory.data);
  }
  bool can_pin() const override { return false; }
  void pin(std::span<std::byte>) override {}
  void unpin(std::span<std::byte>) noexcept override {}
  void copy(cuzk_mem, cuzk_mem, cuzk_fence, cuzk_fence) override {}
  cuzk_fence make_fence() override { return {}; }
  void wait(cuzk_fence) override {}
  void free_fence(cuzk_fence) noexcept override {}

  uint64_t used() const {
    uint64_t sum = others_use;
    for (const auto& [data, bytes] : blocks_) sum += bytes;
    return sum;
  }
  size_t blocks() const { return blocks_.size(); }

  uint64_t others_use = 0;
  int64_t allocations_until_failure = -1;  ///< negative: never
  int wrong_frees = 0;

 private:
  uint64_t total_;
  std::map<void*, uint64_t> blocks_;
};

}  // namespace cuzk::testing
