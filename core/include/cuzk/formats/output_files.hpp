#pragma once
#include <string>
#include <vector>

namespace cuzk {

/// Files that appear together or not at all: each is written to a temporary beside its place and synced; commit()
/// renames them. Until then, and where anything fails, files that stood there before are as they were and no temporary
/// is left. Paths may be symbolic links (their target is replaced); what exists and is not a regular file is refused.
/// Error proof_failed names the path and the system's reason; usage: one path twice.
class OutputFiles {
 public:
  OutputFiles() = default;
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  void add(const std::string& path, const std::string& contents);
  void commit();

 private:
  struct Pending {
    std::string temporary, path;
    bool placed = false;     ///< renamed to path
    bool exchanged = false;  ///< placed, and temporary now holds what stood there before
  };
  void place(Pending& file);
  void undo() noexcept;

  std::vector<Pending> pending_;
};

}  // namespace cuzk
