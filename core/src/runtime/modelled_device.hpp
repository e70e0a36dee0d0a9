#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <cuzk/device.hpp>
#include <cuzk/lease.hpp>
#include <cuzk/runtime/device_model.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk::runtime {

/// A host-addressable device that plays a card: its memory, its fences, its engines. Shared by the instances that work
/// on it. Threads: any.
class ModelledDevice final : public Device {
 public:
  ModelledDevice(std::shared_ptr<Device> inner, HostServices& services, const DeviceModel& model);

  std::string name() const override { return inner_->name(); }
  std::string plugin() const override { return inner_->plugin(); }
  cuzk_space space() const override { return inner_->space(); }
  cuzk_device_info info() const override;
  bool synchronous() const override { return false; }
  bool lost() const override { return inner_->lost(); }

  cuzk_mem alloc(uint64_t bytes) override;
  void free(cuzk_mem memory) noexcept override;
  bool can_pin() const override { return inner_->can_pin(); }
  void pin(std::span<std::byte> block) override { inner_->pin(block); }
  void unpin(std::span<std::byte> block) noexcept override { inner_->unpin(block); }
  void copy(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done) override;
  cuzk_fence make_fence() override;
  /// Sleeps until the work behind the fence is over, in steps, so that the ticket's cancellation is seen: Error
  /// cancelled.
  void wait(cuzk_fence fence) override;
  void free_fence(cuzk_fence fence) noexcept override;

  const DeviceModel& model() const { return model_; }

  /// What an engine of the card does for a ticket.
  struct Work {
    ModelEngines::Engine engine;
    std::string name;
    uint64_t ready_ns = 0;  ///< when what it waits for is over; end_of()
    uint64_t duration_ns = 0, bytes = 0;
  };
  static uint64_t end_of(cuzk_fence fence);
  /// Does the work with body(work), which may still set its duration, and gives it the card's time; tells the timeline
  /// and `done`, or waits for its end where that is no fence.
  template <class Body>
  void run(const Lease& lease, Work work, cuzk_fence done, Body&& body) {
    const uint64_t begin_ns = services_.now_ns();
    body(work);
    const auto when = occupy(work, begin_ns);
    note(lease, work, when);
    settle(when.end_ns, lease.call().ticket, done);
  }

 private:
  ModelEngines::Interval occupy(const Work& work, uint64_t begin_ns);
  void note(const Lease& lease, const Work& work, ModelEngines::Interval when);
  /// Records the end of a ticket's work, or waits for it.
  void settle(uint64_t end_ns, uint64_t ticket, cuzk_fence done);
  void sleep_until(uint64_t ns, uint64_t ticket);

  const std::shared_ptr<Device> inner_;
  HostServices& services_;
  const DeviceModel model_;
  const std::string description_;
  ModelEngines engines_;
  std::atomic<uint64_t> held_{0};  ///< bytes
};

}  // namespace cuzk::runtime
