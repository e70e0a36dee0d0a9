#include <utility>

#include <cuzk/lease.hpp>

namespace cuzk {

Lease::Lease(Phase phase, cuzk_space space, uint32_t slot, const cuzk_call& call, std::function<void(bool ok)> leave)
    : phase_(phase), space_(space), slot_(slot), call_(call), leave_(std::move(leave)) {}

Lease::Lease(Lease&& other) noexcept
    : phase_(other.phase_),
      space_(other.space_),
      slot_(other.slot_),
      call_(other.call_),
      leave_(std::exchange(other.leave_, nullptr)) {}

Lease::~Lease() {
  if (leave_) leave_(false);
}

void Lease::finish() {
  if (const auto leave = std::exchange(leave_, nullptr)) leave(true);
}

Lease Lease::for_host(uint64_t ticket, uint32_t worker, cuzk_mem workspace) {
  cuzk_call call{};
  call.struct_size = sizeof call;
  call.worker = worker;
  call.ticket = ticket;
  call.workspace = workspace;
  return Lease(Phase::host, {CUZK_SPACE_HOST, 0}, 0, call, {});
}

Lease Lease::with(cuzk_mem workspace, cuzk_mem pinned) const {
  cuzk_call call = call_;
  call.workspace = workspace;
  call.pinned = pinned;
  return Lease(phase_, space_, slot_, call, {});
}

}  // namespace cuzk
