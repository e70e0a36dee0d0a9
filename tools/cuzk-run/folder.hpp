#pragma once
#include <filesystem>
#include <string>
#include <system_error>

#include <cuzk/error.hpp>

namespace cuzk::run {

/// Makes the folder where it is absent; its parent is there. Error proof_failed.
inline void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) throw Error(ErrorCode::proof_failed, folder + ": cannot make the folder: " + error.message());
}

}  // namespace cuzk::run
