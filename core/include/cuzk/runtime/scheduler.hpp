#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/lease.hpp>
#include <cuzk/lock_policy.hpp>

namespace cuzk {

/// The waiting around a LockPolicy as a state machine: no threads and no clock of its own, so that the engine, a
/// simulator and a model checker drive the same code. Copyable, so that a checker can branch; not thread-safe: the
/// caller holds its own lock. A ticket goes drawn -> wait_stage -> stage -> wait_compute -> compute -> gone. Its slot
/// is held from the stage grant until it is gone, a workspace while it is in compute.
///
/// For policies that book their workspace late (CUZK_LOCK_LATE_WORKSPACE) the memory of each workspace holds late_slots
/// more slots, which are given out when the others are held: as long as one is held its workspace cannot be entered,
/// and as long as the workspace is in use they cannot be given out.
class Scheduler {
 public:
  enum class Event {
    ready,      ///< wants the stage phase; only now the policy sees the ticket
    staged,     ///< left stage with success: wants the compute phase
    computed,   ///< left compute with success: gone
    failed,     ///< gone from wherever it was; nothing happens to a ticket that is gone already
    cancelled,  ///< likewise
  };
  struct Grant {
    uint64_t ticket;
    Lease::Phase phase;
    uint32_t slot;       ///< < slots(), or slots() + i * late_slots + k: slot k in the memory of workspace i
    uint32_t workspace;  ///< < workspaces() for compute, CUZK_NONE for stage
    uint64_t since_ns;   ///< waited since
    uint64_t at_ns;      ///< granted at
  };
  /// A ticket that is gone because of what the policy decided. The message names the policy.
  /// out_of_memory: picked for stage where no slot was free, or for compute where slots hold the workspace. internal:
  /// picked beyond its phase's width; or, the oldest waiting ticket, because the pick was no waiting ticket, or threw,
  /// or was none while somebody waited and nobody was in a phase (a stall).
  struct Failure {
    uint64_t ticket;
    ErrorCode code;
    std::string message;
  };
  struct Outcome {
    std::vector<Grant> grants;
    std::vector<Failure> failures;
  };

  /// The policy outlives the scheduler. Error internal: no slot or no worker.
  Scheduler(LockPolicy& policy, std::string policy_name, uint32_t slots, uint32_t workers, uint32_t late_slots = 0);

  /// Numbers rise, from `least` on at least; tickets are ordered by them. alone: the policy sees CUZK_TICKET_ALONE.
  uint64_t draw_ticket(uint64_t job, bool alone, uint64_t least = 1);
  /// Books the event, then asks the policy until nobody else may enter. Error internal, with nothing booked, when the
  /// event does not fit the ticket's state; what the policy throws becomes a Failure. now_ns becomes since_ns of every
  /// ticket whose state changes.
  Outcome on(uint64_t ticket, Event event, uint64_t now_ns);

  uint32_t slots() const { return slots_; }
  uint32_t workspaces() const { return compute_width_; }  ///< the policy's compute width, or workers when it says 0
  const std::string& policy_name() const { return policy_name_; }

 private:
  struct Entry {
    cuzk_ticket ticket;
    bool ready;
    uint32_t slot, workspace;  ///< CUZK_NONE: holds none
  };

  void book(uint64_t ticket, Event event, uint64_t now_ns);
  bool ask(uint64_t now_ns, Outcome& outcome);                 ///< one pick; false: nobody else may enter
  Grant admit(Entry& entry, uint32_t place, uint64_t now_ns);  ///< place: its new slot or workspace
  void fail(uint64_t ticket, ErrorCode code, const std::string& what, Outcome& outcome);
  uint32_t in_state(uint32_t state) const;
  bool held(uint32_t Entry::*what, uint32_t index) const;
  uint32_t free_slot() const;       ///< the lowest, or CUZK_NONE
  uint32_t free_workspace() const;  ///< likewise

  LockPolicy* policy_;
  std::string policy_name_;
  uint32_t slots_, workers_, late_slots_, stage_width_, compute_width_;
  uint64_t next_ticket_ = 1;
  std::vector<Entry> entries_;  ///< in ticket order
};

}  // namespace cuzk
