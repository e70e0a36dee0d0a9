#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>

#include <cuzk/strategy.hpp>

namespace cuzk::testing {

/// Counts the calls of all doubles, and fails one or does something before it where that is asked for.
class Faults {
 public:
  void call(const std::string& what);
  void fail_at(uint64_t call) { fail_at_ = call; }          ///< counted from 1, from now on; 0: never
  void run_at(uint64_t call, std::function<void()> what) {  ///< likewise, before the call
    run_ = std::move(what);
    run_at_ = call;
  }
  void restart() { calls_ = 0; }
  uint64_t calls() const { return calls_; }

 private:
  std::atomic<uint64_t> calls_{0}, fail_at_{0}, run_at_{0};
  std::function<void()> run_;
};

/// What the MSM's jobs allocate themselves, from start to drop.
class OwnMemory {
 public:
  void take(uint64_t bytes);
  void give(uint64_t bytes) { held_ -= bytes; }
  uint64_t most() const { return most_; }

 private:
  std::atomic<uint64_t> held_{0}, most_{0};
};

/// What the doubles can do and how they are composed.
struct FakeOptions {
  uint32_t device_kind = CUZK_SPACE_MODEL;  ///< CUZK_SPACE_CUDA: not host-addressable, two chunks in the ring
  bool adopt = true;
  bool ntt_on_host = false, msm_on_host = false;
  bool select = true, feed = true, many = true;
  uint64_t unmanaged = 0;  ///< most bytes that a job allocates itself for each query; it gets by with none
  bool multiples = false;  ///< the MSM offers them
  bool resident = false;   ///< the MSM wants its bases resident, with tables as large again
  uint64_t memory = uint64_t{8} << 30;
  uint32_t workers = 1;
  bool exclusive = true;  ///< one ticket at a time; else as many as workers
  std::string label = "adopting";
};

inline void PrintTo(const FakeOptions& options, std::ostream* out) { *out << options.label; }

/// Host memory that is counted. Watches that what is made is freed, and that memory was not written past its end.
class FakeDevice final : public Device {
 public:
  FakeDevice(std::shared_ptr<Faults> faults, uint32_t kind, uint64_t total)
      : faults_(std::move(faults)), kind_(kind), total_(total) {}
  ~FakeDevice() override;

  std::string name() const override { return kind_ == CUZK_SPACE_MODEL ? "cpu:0" : "cuda:0"; }
  std::string plugin() const override { return "fake"; }
  cuzk_space space() const override { return {kind_, 0}; }
  cuzk_device_info info() const override;
  cuzk_mem alloc(uint64_t bytes) override;
  void free(cuzk_mem memory) noexcept override;
  bool can_pin() const override { return false; }
  void pin(std::span<std::byte>) override {}
  void unpin(std::span<std::byte>) noexcept override {}
  void copy(cuzk_mem, cuzk_mem, cuzk_fence, cuzk_fence) override {}
  cuzk_fence make_fence() override;
  void wait(cuzk_fence fence) override;
  void free_fence(cuzk_fence fence) noexcept override;

  uint64_t used() const;
  size_t fences() const { return fences_; }
  uint64_t overruns() const { return overruns_; }

 private:
  std::shared_ptr<Faults> faults_;
  uint32_t kind_;
  uint64_t total_;
  mutable std::mutex mutex_;
  std::map<void*, uint64_t> blocks_;
  std::atomic<size_t> fences_{0};
  std::atomic<uint64_t> overruns_{0};
};

/// A strategy of doubles: staging that copies or adopts, naive NTT and MSM over cuzk::arith, a lock policy. They check
/// what they are handed (spaces, workspace sizes, order of feeds, flags they do not have) and fail the test through an
/// internal error.
struct FakeEngine {
  explicit FakeEngine(const FakeOptions& options);

  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  std::shared_ptr<OwnMemory> own = std::make_shared<OwnMemory>();  ///< of the MSM's jobs
  std::shared_ptr<FakeDevice> device;
  Strategy strategy;
};

}  // namespace cuzk::testing
