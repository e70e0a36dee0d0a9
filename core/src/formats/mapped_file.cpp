#include "formats/counted.hpp"
#include "formats/page_guard.hpp"

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

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::bad_input, path + ": " + reason);
}

[[noreturn]] void fail_with_errno(const std::string& path, const char* doing) {
  const int error = errno;
  const bool limit = error == ENOMEM || error == EMFILE || error == ENFILE;  // which is no fault of the file
  throw Error(limit ? ErrorCode::out_of_memory : ErrorCode::bad_input,
              path + ": cannot " + doing + ": " + std::generic_category().message(error));
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

/// The open file and its bytes in memory.
struct MappedFile::Mapping {
  class Descriptor {
   public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
      if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator int() const { return fd_; }

   private:
    const int fd_;
  };

  class Bytes {
   public:
    Bytes(const Descriptor& fd, const std::string& path) {
      if (fd < 0) fail_with_errno(path, "open");
      struct stat status {};
      if (::fstat(fd, &status) != 0) fail_with_errno(path, "examine");
      if (!S_ISREG(status.st_mode)) {
        fail(path, std::string("found ") + kind_name(status.st_mode) + ", expected a file");
      }
      if (status.st_size == 0) fail(path, "the file is empty");
      const auto size = static_cast<size_t>(status.st_size);
      void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
      if (address == MAP_FAILED) fail_with_errno(path, "map");
      bytes_ = {static_cast<std::byte*>(address), size};
    }
    ~Bytes() { ::munmap(bytes_.data(), bytes_.size()); }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    operator std::span<const std::byte>() const { return bytes_; }

   private:
    std::span<std::byte> bytes_;
  };

  // Non-blocking, so that a pipe without a writer is refused instead of waited for.
  explicit Mapping(const std::string& path)
      : fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)), bytes(fd, path), guard(bytes) {}

  const Descriptor fd;
  const Bytes bytes;
  const formats::PageGuard guard;
};

MappedFile::MappedFile(const std::string& path) : path_(path), mapping_(std::make_unique<const Mapping>(path)) {
  bytes_ = mapping_->bytes;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})), mapping_(std::move(other.mapping_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapping_, other.mapping_);
  return *this;
}

MappedFile::~MappedFile() = default;

void MappedFile::require_intact() const {
  // The end of the last page that is left reads as zeros without a fault, which only the size tells.
  struct stat status {};
  if (::fstat(mapping_->fd, &status) != 0) fail_with_errno(path_, "examine");
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size < bytes_.size()) {
    fail(path_, "was shortened while it was read: found " + formats::counted(size, "byte") + ", expected " +
                    std::to_string(bytes_.size()));
  }
  if (mapping_->guard.marked()) {
    fail(path_, "became unreadable while it was read: it was cut and written again, or its disk fails");
  }
}

void MappedFile::fail_changed() const { fail(path_, "was changed while it was read"); }

void MappedFile::prefetch(std::span<const std::byte> part) const noexcept {
  static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(part.data()) & ~(page - 1);
  const auto end = reinterpret_cast<uintptr_t>(part.data()) + part.size();
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_WILLNEED);
}

}  // namespace cuzk
