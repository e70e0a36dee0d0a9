#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/formats/output_files.hpp>

namespace cuzk {
namespace {

namespace fs = std::filesystem;

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

/// Where the file really goes: its folder without links and ".", and links in its place followed, also to what is not
/// there yet. Refuses what exists and is no regular file.
std::string resolve(const std::string& path) {
  constexpr int kMostLinks = 40;
  if (path.empty()) fail(path, "the path is empty");
  fs::path at = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    if (!at.has_filename() || at.filename() == "." || at.filename() == "..") fail(path, "it is a directory");
    std::error_code error;
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : ".", error);
    if (error) fail(path, "folder " + at.parent_path().string() + ": " + error.message());
    if (folder.string().starts_with("/proc/")) fail(path, "it is a stream of a process, and files appear whole");
    at = folder / at.filename();
    struct stat status {};
    if (::lstat(at.c_str(), &status) != 0) {
      if (errno != ENOENT) fail(path, errno);
      return at.string();
    }
    if (S_ISREG(status.st_mode)) return at.string();
    if (!S_ISLNK(status.st_mode)) fail(path, S_ISDIR(status.st_mode) ? "it is a directory" : "it is no regular file");
    at = folder / fs::read_symlink(at, error);
    if (error) fail(path, error.message());
  }
  fail(path, ELOOP);
}

std::string folder_of(const std::string& target) { return fs::path(target).parent_path().string(); }

void require_writable_folder(const std::string& path, const std::string& target) {
  const std::string folder = folder_of(target);
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return;
  const int error = errno;
  fail(path, "folder " + folder + ": " + std::generic_category().message(error));
}

/// What a file is, whatever its names.
using Identity = std::pair<dev_t, ino_t>;
std::optional<Identity> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

/// A new file in the folder of `target`, with a short name, so that any name that `target` may have will do; its mode
/// follows the umask.
int create_temporary(const std::string& target, const std::string& path, std::string& name) {
  static std::atomic<uint64_t> next{0};
  const std::string lead = folder_of(target) + "/.cuzk-" + std::to_string(::getpid()) + "-";
  for (int attempt = 0;; ++attempt) {
    name = lead + std::to_string(next++);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0) return fd;
    const int error = errno;
    name.clear();
    if (error != EEXIST || attempt == 1000) fail(path, error);
  }
}

void write_all(int fd, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

/// Makes renames in the folder lasting, where the file system can.
void sync_folder(const std::string& folder) {
  const Descriptor opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (opened.fd >= 0) ::fsync(opened.fd);
}

bool exchange_files(const std::string& a, const std::string& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace

OutputFiles::OutputFiles(std::span<const std::string> paths, std::span<const std::string> inputs) {
  std::map<Identity, std::string> read, replaced;
  std::map<std::string, std::string> targets;
  for (const std::string& input : std::set<std::string>(inputs.begin(), inputs.end())) {
    if (const auto identity = identity_of(input)) read.emplace(*identity, input);
  }
  const auto refuse_twice = [](const std::string& path, const std::string& other) {
    throw Error(ErrorCode::usage, path + ": the same file as " + other + ", expected two outputs");
  };
  for (const std::string& path : paths) {
    File file{path, resolve(path)};
    const auto [other, is_new] = targets.emplace(file.target, path);
    if (!is_new) refuse_twice(path, other->second);
    if (const auto identity = identity_of(file.target)) {
      const auto [same, is_first] = replaced.emplace(*identity, path);
      if (!is_first) refuse_twice(path, same->second);
      const auto input = read.find(*identity);
      if (input != read.end()) {
        throw Error(ErrorCode::usage,
                    path + ": the same file as the input " + input->second + ", which it would replace");
      }
    }
    require_writable_folder(path, file.target);
    files_.push_back(std::move(file));
  }
}

OutputFiles::~OutputFiles() { undo(); }

void OutputFiles::write(const std::string& path, const std::string& contents) {
  sink(path)(std::as_bytes(std::span(contents)));
}

ByteSink OutputFiles::sink(const std::string& path) {
  const auto file = std::find_if(files_.begin(), files_.end(), [&](const File& f) { return f.path == path; });
  if (file == files_.end() || !file->temporary.empty()) {
    throw Error(ErrorCode::internal, path + ": not an output that is still to be written");
  }
  for (File& other : files_) {
    if (other.fd >= 0) sync(other);
  }
  file->fd = create_temporary(file->target, path, file->temporary);
  return [&opened = *file](std::span<const std::byte> bytes) {
    if (opened.fd < 0) throw Error(ErrorCode::internal, opened.path + ": written to after it was ended");
    write_all(opened.fd, bytes, opened.path);
  };
}

void OutputFiles::commit() {
  try {
    for (File& file : files_) {
      if (file.temporary.empty()) throw Error(ErrorCode::internal, file.path + ": committed before it was written");
      if (file.fd >= 0) sync(file);
    }
    for (File& file : files_) place(file);
  } catch (...) {
    undo();
    throw;
  }
  std::set<std::string> folders;
  for (const File& file : files_) {
    if (file.exchanged) ::unlink(file.temporary.c_str());
    folders.insert(folder_of(file.target));
  }
  files_.clear();
  for (const std::string& folder : folders) sync_folder(folder);
}

void OutputFiles::sync(File& file) {
  const Descriptor opened{std::exchange(file.fd, -1)};
  if (::fsync(opened.fd) != 0) fail(file.path, errno);
}

void OutputFiles::place(File& file) {
  // An exchange keeps the old file, so that a failure of a later one can be undone.
  if (exchange_files(file.temporary, file.target)) {
    file.placed = true;
    file.exchanged = true;
    struct stat old {};
    if (::stat(file.temporary.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) fail(file.path, "it is no regular file");
    return;
  }
  if (::rename(file.temporary.c_str(), file.target.c_str()) != 0) fail(file.path, errno);
  file.placed = true;
}

void OutputFiles::undo() noexcept {
  for (const File& file : files_) {
    if (file.fd >= 0) ::close(file.fd);
    if (file.exchanged) {
      exchange_files(file.temporary, file.target);
    } else if (file.placed) {
      ::unlink(file.target.c_str());
      continue;
    }
    if (!file.temporary.empty()) ::unlink(file.temporary.c_str());
  }
  files_.clear();
}

}  // namespace cuzk
