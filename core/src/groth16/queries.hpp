#pragma once
#include <algorithm>
#include <cstdint>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/msm.hpp>

namespace cuzk::groth16 {

/// Device memory is cut into parts of this alignment (plugin_abi.h, cuzk_mem).
constexpr uint64_t align(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

inline cuzk_mem part(const cuzk_mem& memory, uint64_t offset, uint64_t bytes) {
  return {memory.data ? static_cast<std::byte*>(memory.data) + offset : nullptr, bytes, memory.space};
}

constexpr uint64_t mask_bytes(const KeyShape::Query& query) {
  return query.selects ? (query.span + 63) / 64 * sizeof(uint64_t) : 0;
}

/// Whose mask a query has: b1 and b2 are the same column in two groups and select the same scalars.
constexpr QueryId mask_owner(QueryId id) { return id == QueryId::b2 ? QueryId::b1 : id; }

/// Whether masks reach the component; else core picks the selected scalars. One that keeps no buckets gets chunks as
/// jobs of their own, and those can't start inside a word of a mask.
inline bool takes_masks(const MsmComponent& msm) { return msm.selects() && msm.keeps_buckets(); }

/// The query as components plan for it: no bases and no mask in memory yet.
inline cuzk_query query_of(const KeyShape& shape, QueryId id, const cuzk_plan& bases) {
  const KeyShape::Query& query = shape.queries[static_cast<size_t>(id)];
  cuzk_query out{};
  out.count = query.count;
  out.first = query.first;
  out.span = query.span;
  out.select.bytes = mask_bytes(query);
  out.curve = static_cast<uint32_t>(shape.curve);
  out.group = static_cast<uint32_t>(group_of(id));
  out.plan = bases;
  return out;
}

/// The same over scalars of which only the selected ones are left.
inline cuzk_query compacted(cuzk_query query) {
  query.first = 0;
  query.span = query.count;
  query.select = {};
  return query;
}

/// The first `count` points of the query from point `first` on; for queries without a mask.
inline cuzk_query chunk_of(cuzk_query query, uint64_t first, uint64_t count) {
  query.first += first;
  query.count = query.span = count;
  return query;
}

/// Host space, for components that run there on so many threads.
inline cuzk_device_info host_info(uint32_t threads) {
  constexpr std::string_view kName = "host";
  cuzk_device_info info{};
  info.struct_size = sizeof info;
  info.space = {CUZK_SPACE_HOST, 0};
  info.units = threads;
  info.memory_total = info.memory_free = UINT64_MAX;
  info.name = {kName.data(), kName.size()};
  return info;
}

}  // namespace cuzk::groth16
