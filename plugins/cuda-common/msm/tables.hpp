#pragma once
/// Resident bases with their multiples by powers of two (as in Brickell, Gordon, McCurley, Wilson, "Fast exponentiation
/// with precomputation", 1992): table j holds 2^(j stride) P for every point P. Digits that stand `stride` bits apart
/// then meet in one set of buckets: there are fewer buckets to add up, so that wider digits pay. Host code; no device
/// is touched.

#include "shape.hpp"

#include <cstdint>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// The tables of one query's bases; stands in the choice of their plan.
struct BaseTables {
  static constexpr unsigned kLeastStride = 32;

  unsigned stride = 0;  ///< bits; 0: the points alone
  unsigned count = 1;   ///< tables, the points themselves included

  /// As the query's bases were planned; sdk::Error for a plan that plan_bases() did not answer.
  static BaseTables of(const cuzk_query& query);

  static uint64_t bytes(const cuzk_query& query, unsigned count) {
    return count * query.count * affine_bytes(query.curve, query.group);
  }
};

/// The parts of the workspace in which tables are made, some points at a time.
struct TablesWorkspace {
  static constexpr uint64_t kMostPoints = uint64_t{1} << 18;

  uint64_t points;
  void *zzz, *before;  ///< a coordinate for each
  uint64_t bytes;

  static TablesWorkspace lay_out(void* base, const cuzk_query& query);
};

/// The plan of bases within the limit: without tables if these cannot be, streamed if the points alone cannot. There
/// are at most 8 tables, of at most 1/8 of the device in G2 and half of that in G1, and each takes a hundredth off the
/// cost.
cuzk_plan plan_bases(uint64_t device_memory, const cuzk_query& query, uint64_t limit);

}  // namespace cuzk::cuda
