#include <algorithm>
#include <exception>
#include <utility>

#include <cuzk/runtime/scheduler.hpp>

namespace cuzk {
namespace {

bool waits(const cuzk_ticket& ticket) { return ticket.state == CUZK_WAIT_STAGE || ticket.state == CUZK_WAIT_COMPUTE; }

const char* name(Scheduler::Event event) {
  switch (event) {
    case Scheduler::Event::ready:
      return "ready";
    case Scheduler::Event::staged:
      return "staged";
    case Scheduler::Event::computed:
      return "computed";
    case Scheduler::Event::failed:
      return "failed";
    default:
      return "cancelled";
  }
}

}  // namespace

Scheduler::Scheduler(LockPolicy& policy, std::string policy_name, uint32_t slots, uint32_t workers, uint32_t late_slots)
    : policy_(&policy),
      policy_name_(std::move(policy_name)),
      slots_(slots),
      workers_(workers),
      late_slots_(late_slots),
      stage_width_(policy.stage_width() == 0 ? workers : policy.stage_width()),
      compute_width_(policy.compute_width() == 0 ? workers : policy.compute_width()) {
  if (slots == 0 || workers == 0) {
    throw Error(ErrorCode::internal, "scheduler: found " + std::to_string(slots) + " slots and " +
                                         std::to_string(workers) + " workers, expected at least one of each");
  }
}

uint64_t Scheduler::draw_ticket(uint64_t job, bool alone, uint64_t least) {
  const uint64_t number = std::max(next_ticket_, least);
  next_ticket_ = number + 1;
  const uint32_t flags = alone ? CUZK_TICKET_ALONE : 0;
  entries_.push_back({{number, job, 0, CUZK_WAIT_STAGE, flags}, false, CUZK_NONE, CUZK_NONE});
  return number;
}

Scheduler::Outcome Scheduler::on(uint64_t ticket, Event event, uint64_t now_ns) {
  book(ticket, event, now_ns);
  Outcome outcome;
  while (ask(now_ns, outcome)) {  // each round lets a ticket in or fails one, so the rounds end
  }
  return outcome;
}

void Scheduler::book(uint64_t ticket, Event event, uint64_t now_ns) {
  const auto it =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.ticket.number == ticket; });
  if (event == Event::failed || event == Event::cancelled) {
    if (it != entries_.end()) entries_.erase(it);
    return;
  }
  const bool fits = it != entries_.end() && (event == Event::ready    ? !it->ready
                                             : event == Event::staged ? it->ticket.state == CUZK_IN_STAGE
                                                                      : it->ticket.state == CUZK_IN_COMPUTE);
  if (!fits) {
    throw Error(ErrorCode::internal, "scheduler: event '" + std::string(name(event)) +
                                         "' does not fit the state of ticket " + std::to_string(ticket));
  }
  if (event == Event::computed) {
    entries_.erase(it);
    return;
  }
  if (event == Event::ready) {
    it->ready = true;
  } else {
    it->ticket.state = CUZK_WAIT_COMPUTE;
  }
  it->ticket.since_ns = now_ns;
}

bool Scheduler::ask(uint64_t now_ns, Outcome& outcome) {
  std::vector<cuzk_ticket> seen;
  std::vector<Entry*> entries;
  uint32_t slots_held = 0;
  for (Entry& entry : entries_) {
    if (!entry.ready) continue;
    seen.push_back(entry.ticket);
    entries.push_back(&entry);
    slots_held += entry.slot < slots_ ? 1 : 0;
  }
  const auto oldest = std::find_if(seen.begin(), seen.end(), waits);
  if (oldest == seen.end()) return false;

  cuzk_lock_view view{};
  view.struct_size = sizeof view;
  view.count = static_cast<uint32_t>(seen.size());
  view.tickets = seen.data();
  view.slots_total = slots_;
  view.slots_free = slots_ - slots_held;
  view.workers = workers_;
  uint32_t picked = CUZK_NONE;
  try {
    picked = policy_->pick(view);
  } catch (const std::exception& error) {
    fail(oldest->number, ErrorCode::internal, std::string("fails to pick: ") + error.what(), outcome);
    return true;
  }

  if (picked == CUZK_NONE) {
    if (in_state(CUZK_IN_STAGE) + in_state(CUZK_IN_COMPUTE) != 0) return false;
    fail(oldest->number, ErrorCode::internal, "stalls: nobody is in a phase and it lets no waiting ticket in", outcome);
    return true;
  }
  if (picked >= seen.size()) {
    fail(oldest->number, ErrorCode::internal,
         "picks ticket at index " + std::to_string(picked) + " of " + std::to_string(seen.size()), outcome);
    return true;
  }
  const cuzk_ticket& ticket = seen[picked];
  const std::string pick = "picks ticket " + std::to_string(ticket.number);
  const bool stage = ticket.state == CUZK_WAIT_STAGE;
  const uint32_t width = stage ? stage_width_ : compute_width_;
  if (!waits(ticket)) {
    fail(oldest->number, ErrorCode::internal, pick + ", which is in a phase already", outcome);
    return true;
  }
  if (in_state(ticket.state + 1) >= width) {
    fail(ticket.number, ErrorCode::internal, pick + " for a phase that is full: its width is " + std::to_string(width),
         outcome);
    return true;
  }
  const uint32_t place = stage ? free_slot() : free_workspace();
  if (place != CUZK_NONE) {
    outcome.grants.push_back(admit(*entries[picked], place, now_ns));
  } else if (stage) {
    fail(ticket.number, ErrorCode::out_of_memory,
         pick + " for stage while all " + std::to_string(slots_) + " slots are held", outcome);
  } else {
    fail(ticket.number, ErrorCode::out_of_memory,
         pick + " for compute while staged vectors hold its workspace's memory", outcome);
  }
  return true;
}

Scheduler::Grant Scheduler::admit(Entry& entry, uint32_t place, uint64_t now_ns) {
  const bool stage = entry.ticket.state == CUZK_WAIT_STAGE;
  const uint64_t since_ns = std::exchange(entry.ticket.since_ns, now_ns);
  (stage ? entry.slot : entry.workspace) = place;
  entry.ticket.state = stage ? CUZK_IN_STAGE : CUZK_IN_COMPUTE;
  return {entry.ticket.number,
          stage ? Lease::Phase::stage : Lease::Phase::compute,
          entry.slot,
          entry.workspace,
          since_ns,
          now_ns};
}

void Scheduler::fail(uint64_t ticket, ErrorCode code, const std::string& what, Outcome& outcome) {
  outcome.failures.push_back(
      {ticket, code, "lock policy " + policy_name_ + " " + what + "; ticket " + std::to_string(ticket) + " fails"});
  std::erase_if(entries_, [&](const Entry& e) { return e.ticket.number == ticket; });
}

uint32_t Scheduler::in_state(uint32_t state) const {
  return static_cast<uint32_t>(std::count_if(entries_.begin(), entries_.end(),
                                             [&](const Entry& e) { return e.ready && e.ticket.state == state; }));
}

bool Scheduler::held(uint32_t Entry::*what, uint32_t index) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.*what == index; });
}

uint32_t Scheduler::free_slot() const {
  for (uint32_t slot = 0; slot < slots_ + compute_width_ * late_slots_; ++slot) {
    const bool there = slot < slots_ || !held(&Entry::workspace, (slot - slots_) / late_slots_);
    if (there && !held(&Entry::slot, slot)) return slot;
  }
  return CUZK_NONE;
}

uint32_t Scheduler::free_workspace() const {
  for (uint32_t workspace = 0; workspace < compute_width_; ++workspace) {
    bool free = !held(&Entry::workspace, workspace);
    for (uint32_t i = 0; i < late_slots_; ++i) free = free && !held(&Entry::slot, slots_ + workspace * late_slots_ + i);
    if (free) return workspace;
  }
  return CUZK_NONE;
}

}  // namespace cuzk
