#include "runtime/modelled_device.hpp"

#include "runtime/cancel_poll.hpp"

#include <algorithm>

#include <cuzk/error.hpp>

namespace cuzk::runtime {
namespace {

constexpr uint64_t kCancelPollNs = std::chrono::nanoseconds(kCancelPoll).count();

/// What a fence of a modelled device stands for.
struct EndOfWork {
  std::atomic<uint64_t> ns{0}, ticket{0};
};

uint32_t kind_of(ModelEngines::Engine engine) {
  switch (engine) {
    case ModelEngines::up:
      return CUZK_SPAN_H2D;
    case ModelEngines::down:
      return CUZK_SPAN_D2H;
    default:
      return CUZK_SPAN_KERNEL;
  }
}

}  // namespace

ModelledDevice::ModelledDevice(std::shared_ptr<Device> inner, HostServices& services, const DeviceModel& model)
    : inner_(std::move(inner)), services_(services), model_(model), description_("model of " + model.name) {}

cuzk_device_info ModelledDevice::info() const {
  cuzk_device_info info = inner_->info();
  info.memory_total = model_.memory;
  info.memory_free = model_.memory - std::min(model_.memory, held_.load(std::memory_order_relaxed));
  info.name = {description_.data(), description_.size()};
  return info;
}

cuzk_mem ModelledDevice::alloc(uint64_t bytes) {
  if (bytes > info().memory_free) {
    throw Error(ErrorCode::out_of_memory,
                name() + ": " + description_ + " has no " + std::to_string(bytes) + " bytes left");
  }
  const cuzk_mem memory = inner_->alloc(bytes);
  held_ += memory.bytes;
  return memory;
}

void ModelledDevice::free(cuzk_mem memory) noexcept {
  held_ -= memory.bytes;
  inner_->free(memory);
}

void ModelledDevice::copy(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done) {
  const bool up = src.space.kind == CUZK_SPACE_HOST;
  const uint64_t begin_ns = services_.now_ns();
  inner_->copy(dst, src, {}, {});
  const Work work{up ? ModelEngines::up : ModelEngines::down,
                  {},
                  end_of(after),
                  model_.copy_ns(src.bytes, up ? DeviceModel::Way::up : DeviceModel::Way::down, false),
                  src.bytes};
  settle(occupy(work, begin_ns).end_ns, 0, done);
}

cuzk_fence ModelledDevice::make_fence() { return {new EndOfWork, CUZK_SPACE_MODEL, 0}; }

void ModelledDevice::free_fence(cuzk_fence fence) noexcept { delete static_cast<EndOfWork*>(fence.handle); }

void ModelledDevice::wait(cuzk_fence fence) {
  if (fence.kind != CUZK_SPACE_MODEL) return;
  const auto& end = *static_cast<const EndOfWork*>(fence.handle);
  sleep_until(end.ns, end.ticket);
}

uint64_t ModelledDevice::end_of(cuzk_fence fence) {
  return fence.kind == CUZK_SPACE_MODEL ? static_cast<const EndOfWork*>(fence.handle)->ns.load() : 0;
}

ModelEngines::Interval ModelledDevice::occupy(const Work& work, uint64_t begin_ns) {
  return engines_.run(work.engine, std::max(begin_ns, work.ready_ns), work.duration_ns, services_.now_ns());
}

void ModelledDevice::note(const Lease& lease, const Work& work, ModelEngines::Interval when) {
  services_.timeline().add({work.name, name(), kind_of(work.engine), lease.call().ticket, lease.call().worker,
                            when.begin_ns, when.end_ns, work.bytes});
}

void ModelledDevice::settle(uint64_t end_ns, uint64_t ticket, cuzk_fence done) {
  if (done.kind != CUZK_SPACE_MODEL) return sleep_until(end_ns, ticket);
  auto& end = *static_cast<EndOfWork*>(done.handle);
  end.ns = end_ns;
  end.ticket = ticket;
}

void ModelledDevice::sleep_until(uint64_t ns, uint64_t ticket) {
  for (uint64_t now = services_.now_ns(); now < ns; now = services_.now_ns()) {
    if (services_.cancelled(ticket))
      throw Error(ErrorCode::cancelled, name() + ": cancelled while the modelled card worked");
    services_.clock().sleep_until(std::min(ns, now + kCancelPollNs));
  }
}

}  // namespace cuzk::runtime
