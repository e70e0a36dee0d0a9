#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/formats/mapped_file.hpp>

namespace cuzk {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::bad_input, path + ": " + reason);
}

[[noreturn]] void fail_with_errno(const std::string& path, const char* doing) {
  const int error = errno;
  fail(path, std::string("cannot ") + doing + ": " + std::generic_category().message(error));
}

const char* kind_name(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a directory";
    case S_IFIFO:
      return "a pipe";
    case S_IFCHR:
    case S_IFBLK:
      return "a device";
    default:
      return "a special file";
  }
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  // Non-blocking, so that a pipe without a writer is refused below instead of waited for.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (file.fd < 0) fail_with_errno(path, "open");
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) fail_with_errno(path, "examine");
  if (!S_ISREG(status.st_mode)) fail(path, std::string("found ") + kind_name(status.st_mode) + ", expected a file");
  if (status.st_size == 0) fail(path, "the file is empty");
  const auto size = static_cast<size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (address == MAP_FAILED) fail_with_errno(path, "map");
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::prefetch(std::span<const std::byte> part) const noexcept {
  static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(part.data()) & ~(page - 1);
  const auto end = reinterpret_cast<uintptr_t>(part.data()) + part.size();
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_WILLNEED);
}

}  // namespace cuzk
