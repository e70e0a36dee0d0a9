#pragma once
/// A model of the engine around one device: so many workers, any number of partitions, and the real Scheduler. Every
/// interleaving of their steps is explored; states that differ in nothing a policy or a worker could tell are one.

#include <cstddef>
#include <cstdint>
#include <string>

#include <cuzk/runtime/scheduler.hpp>

namespace cuzk::model {

/// Bytes of a device in tenths of what one slot and the policy's workspaces take, the least that proves.
struct Memory {
  uint32_t tenths;
  uint32_t slot, workspace;
};

/// One device opened under a policy.
struct Device {
  LockPolicy* policy;
  uint32_t workers;
  uint32_t slots, late_slots;  ///< of the Scheduler
  uint32_t slot_bytes, workspace_bytes, capacity;
  bool workspaces_booked_at_open;  ///< else at compute
};

/// As core plans it: workspaces first, then as many slots as fit, at most one a worker.
Device opened(LockPolicy& policy, bool books_late, uint32_t workers, const Memory& memory);

/// What was met in any state or on any way to one.
struct Findings {
  size_t states = 0, steps = 0;
  size_t stuck = 0;             ///< somebody waits and nobody can move, or the Scheduler says that the policy stalls
  size_t out_of_slots = 0;      ///< tickets that failed with out_of_memory at stage
  size_t out_of_workspace = 0;  ///< likewise at compute
  size_t misused = 0;           ///< other failures that the Scheduler blames the policy for
  size_t over_committed = 0;    ///< more bytes than there are, or two tickets in one place
  size_t overtaken = 0;         ///< a younger ticket entered a phase before an older one that waited for it
  size_t not_alone = 0;         ///< a ticket that wants to be alone had company
  uint32_t most_inside = 0;     ///< tickets that held a slot at once
  std::string example;          ///< the first trouble met, in words

  bool sound() const {
    return stuck + out_of_slots + out_of_workspace + misused + over_committed + overtaken + not_alone == 0;
  }
};

/// Breadth first over all states. Workers draw partitions without end, so that what is shown holds for any number of
/// them; at most `failures` times a partition fails in preparation or on the device, or is cancelled while it waits.
/// What fails on the device comes back once, as a new ticket that wants to be alone.
Findings explore(const Device& device, uint32_t failures);

}  // namespace cuzk::model
