#pragma once
#include <type_traits>

namespace cuzk::formats {

/// What read() gives, unless the file (MappedFile, or a ProvingKey with its files) was cut meanwhile: then Error
/// bad_input says so, whatever read() made of the zeros it found, its errors included.
template <class File, class Read>
auto read_intact(const File& file, const Read& read) {
  try {
    if constexpr (std::is_void_v<decltype(read())>) {
      read();
      file.require_intact();
    } else {
      auto result = read();
      file.require_intact();
      return result;
    }
  } catch (...) {
    file.require_intact();
    throw;
  }
}

}  // namespace cuzk::formats
