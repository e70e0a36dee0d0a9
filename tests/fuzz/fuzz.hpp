#pragma once
/// What the fuzz targets share. A target's input is a file's bytes; the readers get it as a path.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include <cuzk/error.hpp>
#include <cuzk/runtime/cpu_pool.hpp>
#include <cuzk/runtime/host_pool.hpp>

namespace cuzk::fuzz {

/// Ends the process where the fuzzer sees it.
[[noreturn]] inline void report(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}
inline void require(bool holds, const char* what) {
  if (!holds) report(what);
}

/// One file in memory under a path, for one input after the other.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("input", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    require(fd_ >= 0, "no file in memory");
  }
  /// The path of a file that holds these bytes.
  const std::string& with(std::span<const uint8_t> bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    require(::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, bytes.data(), bytes.size(), 0) == size, "cannot write the input");
    return path_;
  }

 private:
  int fd_;
  std::string path_;
};

/// read() gives something or refuses the file as a reader should: Error bad_input with one line that names it first.
template <class Read>
void expect_soundness(const std::string& path, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string message = error.what();
    const bool one_line = std::none_of(message.begin(), message.end(), [](char c) { return c < ' ' || c > '~'; });
    if (error.code() != ErrorCode::bad_input || message.rfind(path + ": ", 0) != 0 || !one_line ||
        message.size() > path.size() + 300) {
      report("message: " + message);
    }
  }
}

inline CpuPool& pool() {
  static CpuPool one(1);
  return one;
}
inline HostPool& memory() {
  static HostPool host;
  return host;
}

/// A witness of ones, which has some value for every wire.
inline FrVector ones(uint64_t count) {
  FrVector values(memory(), count, "a witness of ones");
  std::fill_n(values.data(), count, cuzk_fr{{1, 0, 0, 0}});
  return values;
}

}  // namespace cuzk::fuzz
