#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace cuzk {

/// A regular file mapped read-only. Move-only. Error bad_input when it is missing, a directory, unreadable or empty, by name.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) noexcept;
  ~MappedFile();
  std::span<const std::byte> bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::span<const std::byte> bytes_;
};

}  // namespace cuzk
