#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace cuzk {

/// A regular file mapped read-only. Move-only; any thread. Error bad_input, by name, when it is missing, unreadable,
/// empty, a directory or a device, pipe or socket. Offsets are 64-bit.
///
/// A file that is shortened while it is mapped does not end the process: what is gone reads as zeros (the first mapping
/// installs a handler of SIGBUS for that, which hands on faults of others). So what was made from the bytes counts only
/// once require_intact() has returned.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  const std::string& path() const { return path_; }
  /// Error bad_input, by name, when the file is shorter than it was when it was opened, or a part of it could not be
  /// read since. One system call.
  void require_intact() const;
  /// For readers that find what they had checked changed: Error bad_input, by name.
  [[noreturn]] void fail_changed() const;
  /// Asks the system to read a part of bytes() ahead. A hint: never fails, does not wait.
  void prefetch(std::span<const std::byte> part) const noexcept;

 private:
  struct Mapping;

  std::string path_;
  std::span<const std::byte> bytes_;
  std::unique_ptr<const Mapping> mapping_;
};

}  // namespace cuzk
