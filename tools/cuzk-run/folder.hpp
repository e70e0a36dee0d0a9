#pragma once
#include <filesystem>
#include <string>
#include <system_error>

#include <cuzk/error.hpp>

namespace cuzk::run {

/// Makes the folder, and those on the way to it, where they are absent. Error proof_failed.
inline void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::proof_failed, folder + ": cannot make the folder: " + error.message());
}

}  // namespace cuzk::run
