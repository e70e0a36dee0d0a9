#pragma once
/// The MSM's kernels as functions of the host: each enqueues on a stream and returns; sdk::Error where a launch fails.
/// Memory is device memory.

#include "buckets.hpp"
#include "entry_steps.hpp"
#include "plan.hpp"
#include "selection.hpp"

#include <cstdint>
#include <cuda_runtime_api.h>

namespace cuzk::cuda {

/// The scalars that meet a query's bases.
struct ScalarSource {
  const void* scalars;  ///< of the query's range
  bool montgomery;
  Selection selection;
};

/// The entries of one piece for one group of windows.
struct EntriesTask {
  ScalarSource source;
  Recoding recoding;
  Piece piece;
  WindowRange windows;
  uint32_t table_points;  ///< from one table of the bases to the next
  unsigned log2_block;
  uint32_t* slots;          ///< [blocks + 1], prefix sums of the blocks' slots: made here
  uint32_t *keys, *values;  ///< [piece.entries]
};

/// Loads these kernels and those of the sort, under the device's guard; waits for the stream. Allocates and frees a
/// little device memory.
void load_entry_kernels(cudaStream_t stream);
/// ranks[b] = ones of the selection before block b; one more at the end. selection.ranks is not read.
void make_ranks(cudaStream_t stream, const Selection& selection, uint32_t* ranks);
/// counts: [blocks][kLengthClasses] of the first `count` scalars, or of those there are. totals: [kLengthClasses], to
/// which those of all blocks are added. recoding: of any width.
void count_lengths(cudaStream_t stream, uint32_t curve, const ScalarSource& source, const Recoding& recoding,
                   uint64_t count, unsigned log2_block, uint16_t* counts, uint32_t* totals);
/// counts: of the query; bound: of the windows.
void make_entries(cudaStream_t stream, uint32_t curve, const EntriesTask& task, const uint16_t* counts,
                  const EntryBound& bound);
/// Sorts entries of keys[0], values[0] by keys up to `buckets`, stable; uses keys[1], values[1] and the scratch.
SortedEntries sort_entries(cudaStream_t stream, const Workspace& workspace, uint32_t entries, uint32_t buckets,
                           uint32_t log2_run);
/// starts[b] = first entry of bucket b or a later one; starts[buckets] the number of entries with a bucket.
void find_starts(cudaStream_t stream, const SortedEntries& sorted, uint32_t* starts);

/// The kernels that know the points of one group of one curve.
struct PointKernels {
  void (*load)();  ///< under the device's guard
  /// The partial sums of all runs. bases: affine, the piece's first.
  void (*accumulate)(cudaStream_t, const SortedEntries&, const void* bases, void* partials);
  /// buckets[b] = its partial sums, and what it held unless fresh. crowded: see Workspace. Overwrites partials.
  void (*combine)(cudaStream_t, const SortedEntries&, const uint32_t* starts, uint32_t* crowded, void* partials,
                  void* buckets, bool fresh);
  /// sums[w] = sum of (j + 1) bucket j of window w.
  void (*reduce)(cudaStream_t, const Shape&, const void* buckets, void* ranges, void* sums);
};
extern const PointKernels kBn254G1, kBn254G2, kBls12381G1, kBls12381G2;
/// Throws sdk::Error for an unknown curve or group.
const PointKernels& point_kernels(uint32_t curve, uint32_t group);

}  // namespace cuzk::cuda
