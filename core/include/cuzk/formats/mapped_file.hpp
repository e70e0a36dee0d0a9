#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace cuzk {

/// A regular file mapped read-only. Move-only; any thread. Error bad_input, by name, when it is missing, unreadable,
/// empty, a directory or a device, pipe or socket. Offsets are 64-bit. Nobody may shorten the file while it is mapped:
/// an access beyond its new end ends the process.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::string& path() const { return path_; }
  /// Asks the system to read a part of bytes() ahead. A hint: never fails, does not wait.
  void prefetch(std::span<const std::byte> part) const noexcept;

 private:
  std::string path_;
  std::span<const std::byte> bytes_;
};

}  // namespace cuzk
