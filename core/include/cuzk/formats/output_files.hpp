#pragma once
#include <string>
#include <vector>

namespace cuzk {

/// Files that appear together or not at all: each is written to a temporary beside its place and synced; commit() renames
/// them. Without commit() the temporaries go. Error proof_failed names the path and the system's reason.
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
  };
  std::vector<Pending> pending_;
};

}  // namespace cuzk
