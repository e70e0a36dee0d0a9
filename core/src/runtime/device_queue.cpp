#include "runtime/cancel_poll.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include <cuzk/runtime/device_queue.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {
namespace {

std::string name(Lease::Phase phase) { return phase == Lease::Phase::stage ? "stage" : "compute"; }

}  // namespace

struct DeviceQueue::Impl {
  Impl(HostServices& host, std::string device, cuzk_space where, std::unique_ptr<LockPolicy> lock_policy,
       std::string policy_name, uint32_t slots, uint32_t workers, uint32_t late_slots)
      : services(host),
        device_name(std::move(device)),
        space(where),
        policy(std::move(lock_policy)),
        scheduler(*policy, std::move(policy_name), slots, workers, late_slots),
        workspaces(scheduler.workspaces()) {}

  // All functions: with the mutex held.

  void book(uint64_t ticket, Scheduler::Event event, uint64_t now_ns) {
    Scheduler::Outcome outcome = scheduler.on(ticket, event, now_ns);
    for (const Scheduler::Grant& grant : outcome.grants) grants.insert_or_assign(grant.ticket, grant);
    for (Scheduler::Failure& failure : outcome.failures) {
      const uint64_t number = failure.ticket;
      settle(number);
      failures.insert_or_assign(number, std::move(failure));
    }
    if (!outcome.grants.empty() || !outcome.failures.empty()) changed.notify_all();
  }

  /// What the stage of a ticket that is gone left running is over then.
  void settle(uint64_t ticket) {
    const auto node = running.extract(ticket);
    if (node && node.mapped()) node.mapped()();
  }

  Scheduler::Grant wait(uint64_t ticket, Lease::Phase phase, std::unique_lock<std::mutex>& lock) {
    for (;;) {
      if (const auto node = failures.extract(ticket)) {
        throw Error(node.mapped().code, device_name + ": " + node.mapped().message);
      }
      if (const auto node = grants.extract(ticket)) return node.mapped();
      if (services.cancelled(ticket)) {
        settle(ticket);
        book(ticket, Scheduler::Event::cancelled, services.now_ns());
        throw Error(ErrorCode::cancelled, device_name + ": ticket " + std::to_string(ticket) +
                                              " was cancelled while it waited for " + name(phase));
      }
      changed.wait_for(lock, kCancelPoll);
    }
  }

  void leave(const Scheduler::Grant& grant, uint32_t worker, std::function<void()> settle, bool ok) {
    const uint64_t now_ns = services.now_ns();
    const bool stage = grant.phase == Lease::Phase::stage;
    if (!ok) {
      book(grant.ticket, Scheduler::Event::failed, now_ns);
    } else {
      if (stage) running.insert_or_assign(grant.ticket, std::move(settle));
      book(grant.ticket, stage ? Scheduler::Event::staged : Scheduler::Event::computed, now_ns);
      if (stage) staged.insert(grant.ticket);
    }
    trace("in " + name(grant.phase), grant.ticket, worker, grant.at_ns, now_ns);
  }

  void trace(std::string what, uint64_t ticket, uint32_t worker, uint64_t begin_ns, uint64_t end_ns) {
    services.timeline().add({std::move(what), device_name, CUZK_SPAN_CPU, ticket, worker, begin_ns, end_ns, 0});
  }

  HostServices& services;
  const std::string device_name;
  const cuzk_space space;
  const std::unique_ptr<LockPolicy> policy;

  std::mutex mutex;
  std::condition_variable changed;
  Scheduler scheduler;
  std::vector<cuzk_mem> workspaces;
  std::map<uint64_t, Scheduler::Grant> grants;        ///< by ticket; not fetched yet
  std::map<uint64_t, Scheduler::Failure> failures;    ///< likewise
  std::set<uint64_t> staged;                          ///< left stage, compute() not called yet
  std::map<uint64_t, std::function<void()>> running;  ///< left stage, not in compute: how to end what may run
};

DeviceQueue::DeviceQueue(HostServices& services, std::string device_name, cuzk_space space,
                         std::unique_ptr<LockPolicy> policy, std::string policy_name, uint32_t slots, uint32_t workers,
                         uint32_t late_slots)
    : impl_(std::make_shared<Impl>(services, std::move(device_name), space, std::move(policy), std::move(policy_name),
                                   slots, workers, late_slots)) {}

DeviceQueue::~DeviceQueue() = default;

uint32_t DeviceQueue::workspaces() const { return impl_->scheduler.workspaces(); }

void DeviceQueue::set_workspaces(std::vector<cuzk_mem> workspaces) {
  const std::lock_guard lock(impl_->mutex);
  if (workspaces.size() != impl_->scheduler.workspaces()) {
    throw Error(ErrorCode::internal, impl_->device_name + ": found " + std::to_string(workspaces.size()) +
                                         " workspaces, expected " + std::to_string(impl_->scheduler.workspaces()));
  }
  impl_->workspaces = std::move(workspaces);
}

uint64_t DeviceQueue::draw_ticket(uint64_t job, bool alone) {
  const std::lock_guard lock(impl_->mutex);
  return impl_->scheduler.draw_ticket(job, alone, impl_->services.next_ticket());
}

Lease DeviceQueue::stage(uint64_t ticket, uint32_t worker, std::function<void()> settle) {
  std::unique_lock lock(impl_->mutex);
  impl_->book(ticket, Scheduler::Event::ready, impl_->services.now_ns());
  return enter(ticket, worker, Lease::Phase::stage, std::move(settle), lock);
}

Lease DeviceQueue::compute(uint64_t ticket, uint32_t worker) {
  std::unique_lock lock(impl_->mutex);
  if (impl_->staged.erase(ticket) == 0) {
    throw Error(ErrorCode::internal, impl_->device_name + ": ticket " + std::to_string(ticket) +
                                         " asks for compute but has not finished stage");
  }
  Lease lease = enter(ticket, worker, Lease::Phase::compute, {}, lock);
  impl_->running.erase(ticket);
  return lease;
}

Lease DeviceQueue::enter(uint64_t ticket, uint32_t worker, Lease::Phase phase, std::function<void()> settle,
                         std::unique_lock<std::mutex>& lock) {
  const Scheduler::Grant grant = impl_->wait(ticket, phase, lock);
  impl_->trace("wait " + name(phase), ticket, worker, grant.since_ns, grant.at_ns);
  cuzk_call call{};
  call.struct_size = sizeof call;
  call.worker = worker;
  call.ticket = ticket;
  if (phase == Lease::Phase::compute) call.workspace = impl_->workspaces[grant.workspace];
  return Lease(phase, impl_->space, grant.slot, call, [impl = impl_, grant, worker, settle](bool ok) {
    const std::lock_guard inner(impl->mutex);
    impl->leave(grant, worker, settle, ok);
  });
}

void DeviceQueue::abandon(uint64_t ticket) noexcept {
  const std::lock_guard lock(impl_->mutex);
  impl_->grants.erase(ticket);
  impl_->failures.erase(ticket);
  impl_->staged.erase(ticket);
  impl_->running.erase(ticket);
  impl_->book(ticket, Scheduler::Event::failed, impl_->services.now_ns());
}

}  // namespace cuzk
