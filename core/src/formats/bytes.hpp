#pragma once
/// Little-endian values at any alignment of mapped memory.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cuzk::formats {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

template <class T>
T load(const std::byte* at) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace cuzk::formats
