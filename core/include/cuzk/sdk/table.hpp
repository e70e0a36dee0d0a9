#pragma once
/// Tables [T] of the ABI, which grow: the smaller of both sides' sizes counts.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cuzk::sdk {

/// A copy of the other side's table as this build knows it; what lies beyond its end is zero ("absent").
template <class Table>
Table read_table(const void* table) {
  static_assert(std::is_trivially_copyable_v<Table> && offsetof(Table, struct_size) == 0);
  uint32_t size = 0;
  std::memcpy(&size, table, sizeof size);
  Table known{};
  std::memcpy(static_cast<void*>(&known), table, std::min<size_t>(size, sizeof known));
  known.struct_size = sizeof known;
  return known;
}

/// Fills the other side's table, not beyond the size that stands in it; afterwards that says how much was filled.
template <class Table>
void write_table(Table* out, Table value) {
  static_assert(std::is_trivially_copyable_v<Table> && offsetof(Table, struct_size) == 0);
  value.struct_size = std::min<uint32_t>(out->struct_size, sizeof value);
  std::memcpy(static_cast<void*>(out), &value, value.struct_size);
}

}  // namespace cuzk::sdk
