#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <cuzk/error.hpp>
#include <cuzk/formats/output_files.hpp>

namespace cuzk {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::proof_failed, path + ": cannot write: " + reason);
}

[[noreturn]] void fail(const std::string& path, int error) { fail(path, std::generic_category().message(error)); }

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

/// Where the file really goes: symbolic links followed. Refuses what exists and is no regular file.
std::string resolve(const std::string& path) {
  if (path.empty()) fail(path, "the path is empty");
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (!real) {
    if (errno != ENOENT) fail(path, errno);
    return path;
  }
  struct stat status {};
  if (::stat(real.get(), &status) != 0) fail(path, errno);
  if (!S_ISREG(status.st_mode)) fail(path, S_ISDIR(status.st_mode) ? "it is a directory" : "it is no regular file");
  return real.get();
}

/// A new file beside `target`; its mode follows the umask.
Descriptor create_temporary(const std::string& target, const std::string& path, std::string& name) {
  for (unsigned attempt = 0;; ++attempt) {
    name = target + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0) return {fd};
    if (errno != EEXIST || attempt == 1000) fail(path, errno);
  }
}

void write_all(int fd, const std::string& contents, const std::string& path) {
  for (size_t done = 0; done < contents.size();) {
    const ssize_t written = ::write(fd, contents.data() + done, contents.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, errno);
    done += static_cast<size_t>(written);
  }
  if (::fsync(fd) != 0) fail(path, errno);
}

/// Makes renames in the file's directory lasting, where the file system can.
void sync_directory(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Descriptor opened{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (opened.fd >= 0) ::fsync(opened.fd);
}

bool exchange(const std::string& a, const std::string& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace

OutputFiles::~OutputFiles() { undo(); }

void OutputFiles::add(const std::string& path, const std::string& contents) {
  Pending file;
  file.path = resolve(path);
  for (const Pending& other : pending_) {
    if (other.path == file.path) throw Error(ErrorCode::usage, path + ": named for two outputs");
  }
  const Descriptor opened = create_temporary(file.path, path, file.temporary);
  pending_.push_back(file);
  write_all(opened.fd, contents, path);
}

void OutputFiles::commit() {
  try {
    for (Pending& file : pending_) place(file);
  } catch (...) {
    undo();
    throw;
  }
  for (const Pending& file : pending_) {
    if (file.exchanged) ::unlink(file.temporary.c_str());
    sync_directory(file.path);
  }
  pending_.clear();
}

void OutputFiles::place(Pending& file) {
  // An exchange keeps the old file, so that a failure of a later one can be undone.
  if (exchange(file.temporary, file.path)) {
    file.placed = file.exchanged = true;
    struct stat old {};
    if (::stat(file.temporary.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) fail(file.path, "it is no regular file");
    return;
  }
  if (::rename(file.temporary.c_str(), file.path.c_str()) != 0) fail(file.path, errno);
  file.placed = true;
}

void OutputFiles::undo() noexcept {
  for (const Pending& file : pending_) {
    if (file.exchanged) {
      exchange(file.temporary, file.path);
    } else if (file.placed) {
      ::unlink(file.path.c_str());
      continue;
    }
    ::unlink(file.temporary.c_str());
  }
  pending_.clear();
}

}  // namespace cuzk
