#pragma once
#include <span>
#include <string>
#include <vector>

#include <cuzk/formats/byte_sink.hpp>

namespace cuzk {

/// Files that appear together or not at all: each is written to a temporary in its folder; commit() syncs them, renames
/// them and syncs their folders, so that once it has returned a loss of power loses none, and one before never leaves a
/// file with a part of its contents. Until then, and where anything fails, files that stood there before are as they
/// were and no temporary is left. Paths may be symbolic links (their target is replaced); what exists and is not a
/// regular file is refused. Error proof_failed names the path and the system's reason.
class OutputFiles {
 public:
  /// Checks all places before the work whose results they take, and writes nothing. Error proof_failed: a folder that
  /// is missing or cannot be written to, or a name that no file can have. Error usage, with both names: two paths lead
  /// to one file, however they are spelled, or one leads to an input, which would be lost.
  explicit OutputFiles(std::span<const std::string> paths, std::span<const std::string> inputs = {});
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// path: one of the constructor's, in the same spelling; once each, by either function.
  void write(const std::string& path, const std::string& contents);
  /// Takes the contents in pieces, however long they get: each goes to the temporary at once. One file is open at a
  /// time: to be used until the next write(), sink() or commit().
  ByteSink sink(const std::string& path);
  /// Precondition: all are written.
  void commit();

 private:
  struct File {
    std::string path;    ///< as given
    std::string target;  ///< where it really goes: absolute, no links
    std::string temporary = {};
    int fd = -1;             ///< of the temporary, until it is synced, which the next one's turn brings
    bool placed = false;     ///< renamed to target
    bool exchanged = false;  ///< placed, and temporary now holds what stood there before
  };
  void sync(File& file);
  void place(File& file);
  void undo() noexcept;

  std::vector<File> files_;
};

}  // namespace cuzk
