#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk {

/// One MSM job: queries over one scalar vector (the quotient for h, the witness for the others). A component that takes
/// one query at a time (no CUZK_MSM_MANY) gets a job for each.
struct JobLayout {
  std::vector<QueryId> queries;
  bool compacted = false;  ///< core picks the selected scalars on the host and sends them (no CUZK_MSM_SELECT)
  bool by_chunk = false;   ///< each chunk is a job of its own, the points are added (no CUZK_MSM_FEED)
  cuzk_plan plan{};        ///< for the whole job; by_chunk: for a chunk of chunk_of(query)
};

/// Device memory of one strategy on one device for one key: keys | W workspaces | N slots | what each worker's jobs
/// allocate themselves, fixed while it is open.
/// Pure arithmetic over the components' plans: no device is touched. Parts are multiples of 256 bytes.
struct Layout {
  // Bytes, by lifetime.
  uint64_t fixed = 0;  ///< twiddles (each worker's instance has its own), selection masks
  uint64_t workspace =
      0;              ///< the most that one step needs: the quotient (c included) or a job (its chunk ring included)
  uint64_t slot = 0;  ///< of one partition: a and b (h, where the quotient is made on the host) and the witness
  uint64_t key = 0;   ///< resident bases; 0 when streamed
  /// Of one partition: what its MSM jobs allocate themselves. They keep it until they are finished, which is after
  /// compute, so that it adds up over the jobs and over the workers. Jobs by chunk are finished one by one.
  uint64_t unmanaged = 0;
  uint32_t workers = 1;
  uint32_t workspaces = 1;  ///< as many as the lock policy lets into compute at once
  uint32_t slots = 1;       ///< one a worker, which is the most that can be held, less what memory pressure took

  uint64_t workspace_allocated = 0;  ///< of workspace: allocated; the rest (adopted, or unmanaged of other calls than
                                     ///< jobs) is only booked
  bool adopted = false;              ///< slots and chunks are host memory in place, booked as if copied

  bool c_late = false;        ///< c is made on the host and sent into b's memory
  bool w_late = false;        ///< the witness is sent into b's memory, once the quotient is made
  uint64_t chunk_points = 0;  ///< most points of G2 in one chunk of streamed bases, and half of those of G1
  uint32_t chunks = 1;        ///< chunks in the ring: 1 on a synchronous device, else 2
  uint64_t ring = 0;      ///< bytes of the ring of streamed bases, at the end of each workspace; 0: none, or adopted
  uint64_t quotient = 0;  ///< bytes of the quotient, c included, at the beginning of each workspace
  std::vector<std::string> savings;  ///< the savings taken, in order, for people

  // What the components answered. Plans of components that run in host space count host memory, outside the figures
  // above.
  cuzk_plan staging{}, ntt{};
  std::array<cuzk_plan, kQueries> bases{};
  std::vector<JobLayout> jobs;  ///< in the order they run, h first

  /// Slots that the memory of each workspace holds for a policy that books it late (Scheduler); else 0.
  uint32_t late_slots(const LockComponent& lock) const {
    if (!lock.books_late() || slot == 0) return 0;
    return static_cast<uint32_t>((adopted ? workspace : workspace_allocated) / slot);
  }
  /// Most points of a query in one chunk: those of G1 are half as large as those of G2.
  uint64_t chunk_of(QueryId id) const { return group_of(id) == Group::g1 ? 2 * chunk_points : chunk_points; }
  uint64_t one_footprint() const { return fixed + workspace + slot + unmanaged; }
  uint64_t total() const { return fixed + key + workspaces * workspace + slots * slot + workers * unmanaged; }
};

/// Savings are taken until the layout fits `capacity`: tables, slots beyond the first, residency, c late, witness late,
/// smaller chunks (down to 64 points). Before any
/// of these chunks get smaller where their ring leaves a job less than it asks for and takes more than a quarter of the
/// workspace. Each component is offered what is left for it. Error out_of_memory, with the
/// least that proves and the capacity, when even the smallest layout does not fit; key_name is for that message.
/// threads: of the pool, for components that run in host space.
Layout plan_layout(const Strategy&, const Device&, const KeyShape&, uint32_t threads, uint64_t capacity,
                   std::string_view key_name);

/// Bytes of a key as it lies on a device of any memory, and of one footprint beside it: the least with which it stays
/// there whole and proves. So a capacity of X footprints is key + X * footprint.
struct Footprint {
  uint64_t key = 0;  ///< 0: streamed, or used in host memory
  uint64_t footprint = 0;
};
Footprint footprint_of(const Strategy&, const Device&, const KeyShape&, uint32_t threads);

/// Bytes: the least capacity with which plan_layout() answers.
uint64_t least_footprint(const Strategy&, const Device&, const KeyShape&, uint32_t threads);

}  // namespace cuzk
