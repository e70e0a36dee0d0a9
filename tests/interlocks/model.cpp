#include "model.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

namespace cuzk::model {
namespace {

using Event = Scheduler::Event;

enum class At : char { drawn = 'd', wait_stage = 's', stage = 'S', wait_compute = 'c', compute = 'C' };

bool inside(At at) { return at == At::stage || at == At::wait_compute || at == At::compute; }

struct Ticket {
  uint64_t number;
  bool alone;  ///< the second attempt
  At at = At::drawn;
  uint32_t slot = CUZK_NONE, workspace = CUZK_NONE;
};

struct State {
  Scheduler scheduler;
  std::vector<Ticket> tickets;  ///< in ticket order
  uint32_t to_repeat = 0;       ///< partitions that failed on the device and have not drawn again yet
  uint32_t failures_left = 0;

  /// All that a policy or a worker can tell: order, places and flags, but not the numbers themselves.
  std::string key() const {
    std::string out{static_cast<char>('0' + to_repeat), static_cast<char>('0' + failures_left)};
    for (const Ticket& ticket : tickets) {
      out += static_cast<char>(ticket.at);
      out += ticket.alone ? '!' : '.';
      out += static_cast<char>('0' + (ticket.slot == CUZK_NONE ? 64 : ticket.slot));
      out += static_cast<char>('0' + (ticket.workspace == CUZK_NONE ? 64 : ticket.workspace));
    }
    return out;
  }
};

class Explorer {
 public:
  Explorer(const Device& device, uint32_t failures) : device_(device) {
    push({Scheduler(*device.policy, "policy under test", device.slots, device.workers, device.late_slots),
          {},
          0,
          failures});
  }

  Findings run() {
    for (; !queue_.empty(); queue_.pop_front()) {
      const State& state = queue_.front();
      ++found_.states;
      check(state);
      if (state.tickets.size() + state.to_repeat < device_.workers) draw(state, false);
      if (state.to_repeat != 0) draw(state, true);
      for (size_t i = 0; i < state.tickets.size(); ++i) move(state, i);
    }
    return found_;
  }

 private:
  void trouble(size_t& count, const State& state, const std::string& what) {
    if (found_.example.empty()) found_.example = what + " in state " + state.key();
    ++count;
  }

  size_t& counter(const Scheduler::Failure& failure) {
    const auto says = [&](const char* words) { return failure.message.find(words) != std::string::npos; };
    if (failure.code == ErrorCode::out_of_memory) {
      return says(" for stage ") ? found_.out_of_slots : found_.out_of_workspace;
    }
    return says(" stalls: ") ? found_.stuck : found_.misused;
  }

  void draw(State state, bool again) {
    if (again) --state.to_repeat;
    state.tickets.push_back({state.scheduler.draw_ticket(0, again), again});
    push(std::move(state));
  }

  void move(const State& state, size_t i) {
    switch (state.tickets[i].at) {
      case At::drawn:
        step(state, i, Event::ready);
        return lose(state, i, Event::failed);
      case At::stage:
        step(state, i, Event::staged);
        return lose(state, i, Event::failed);
      case At::compute:
        step(state, i, Event::computed);
        return lose(state, i, Event::failed);
      default:
        lose(state, i, Event::cancelled);
    }
  }

  void lose(State state, size_t i, Event event) {
    if (state.failures_left == 0) return;
    --state.failures_left;
    step(std::move(state), i, event);
  }

  void step(State state, size_t i, Event event) {
    const Ticket mover = state.tickets[i];
    if (event == Event::ready || event == Event::staged) {
      state.tickets[i].at = event == Event::ready ? At::wait_stage : At::wait_compute;
    } else {
      const bool on_device = mover.at == At::stage || mover.at == At::compute;
      if (event == Event::failed && on_device && !mover.alone) ++state.to_repeat;
      state.tickets.erase(state.tickets.begin() + static_cast<std::ptrdiff_t>(i));
    }
    const Scheduler::Outcome outcome = state.scheduler.on(mover.number, event, 0);
    for (const Scheduler::Grant& grant : outcome.grants) enter(state, grant);
    for (const Scheduler::Failure& failure : outcome.failures) {
      trouble(counter(failure), state, failure.message);
      std::erase_if(state.tickets, [&](const Ticket& t) { return t.number == failure.ticket; });
    }
    push(std::move(state));
  }

  void enter(State& state, const Scheduler::Grant& grant) {
    const auto at = std::find_if(state.tickets.begin(), state.tickets.end(),
                                 [&](const Ticket& t) { return t.number == grant.ticket; });
    const bool stage = grant.phase == Lease::Phase::stage;
    const At from = stage ? At::wait_stage : At::wait_compute;
    if (at == state.tickets.end() || at->at != from) {
      return trouble(found_.misused, state, "a grant for a ticket that does not wait for it");
    }
    for (auto older = state.tickets.begin(); older != at; ++older) {
      if (older->at == from) trouble(found_.overtaken, state, "an older ticket was overtaken");
    }
    if (!stage && at->slot != grant.slot) trouble(found_.over_committed, state, "the ticket's slot changed");
    at->at = stage ? At::stage : At::compute;
    at->slot = grant.slot;
    at->workspace = grant.workspace;
  }

  void check(const State& state) {
    uint32_t holders = 0, computing = 0, moving = 0, waiting = 0;
    bool alone_inside = false;
    std::set<uint32_t> slots, workspaces;
    for (const Ticket& ticket : state.tickets) {
      const bool waits = ticket.at == At::wait_stage || ticket.at == At::wait_compute;
      ++(waits ? waiting : moving);
      if (!inside(ticket.at)) continue;
      ++holders;
      slots.insert(ticket.slot);
      alone_inside = alone_inside || ticket.alone;
      if (ticket.at != At::compute) continue;
      ++computing;
      workspaces.insert(ticket.workspace);
    }
    found_.most_inside = std::max(found_.most_inside, holders);
    const uint32_t booked = device_.workspaces_booked_at_open ? state.scheduler.workspaces() : computing;
    const uint32_t bytes = holders * device_.slot_bytes + booked * device_.workspace_bytes;
    if (slots.size() != holders || workspaces.size() != computing) {
      trouble(found_.over_committed, state, "two tickets in one place");
    }
    if (bytes > device_.capacity) trouble(found_.over_committed, state, "more bytes than there are");
    if (alone_inside && holders != 1) trouble(found_.not_alone, state, "company");
    if (waiting != 0 && moving == 0 && state.to_repeat == 0) trouble(found_.stuck, state, "everybody waits");
  }

  void push(State state) {
    ++found_.steps;
    if (seen_.insert(state.key()).second) queue_.push_back(std::move(state));
  }

  const Device device_;
  Findings found_;
  std::deque<State> queue_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Device opened(LockPolicy& policy, bool books_late, uint32_t workers, const Memory& memory) {
  const uint32_t workspaces = policy.compute_width() == 0 ? workers : policy.compute_width();
  const uint32_t capacity = memory.tenths * (memory.slot + workspaces * memory.workspace) / 10;
  const uint32_t slots = std::min(workers, (capacity - workspaces * memory.workspace) / memory.slot);
  const uint32_t late_slots = books_late ? memory.workspace / memory.slot : 0;
  return {&policy, workers, slots, late_slots, memory.slot, memory.workspace, capacity, !books_late};
}

Findings explore(const Device& device, uint32_t failures) { return Explorer(device, failures).run(); }

}  // namespace cuzk::model
