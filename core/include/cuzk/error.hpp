#pragma once
#include <stdexcept>
#include <string>

namespace cuzk {

/// What went wrong, by what the caller can do about it. exit_code() maps it to the programs' exit codes.
enum class ErrorCode {
  proof_failed,   ///< the proof could not be made; also: the output could not be written
  unverified,     ///< a proof was made and does not verify
  usage,          ///< the call itself is wrong
  bad_input,      ///< a file is malformed or does not fit the others
  unusable,       ///< a plugin, component or device cannot be used; a device was lost
  out_of_memory,  ///< the books cannot cover the request; the message has both figures
  cancelled,      ///< the caller asked for it
  deadline,       ///< its job's time was over
  device_failed,  ///< one call on a device failed; the next may succeed
  internal        ///< a broken promise inside cuzk or inside a plugin
};

/// The one exception of core and loader. The message is one line: what (file, plugin, device), what was found, what was
/// expected. It never holds a witness value.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// 1 proof not made or not verified, 2 usage, 3 bad input, 4 plugin or device not usable, 5 out of memory.
constexpr int exit_code(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::usage:
      return 2;
    case ErrorCode::bad_input:
      return 3;
    case ErrorCode::unusable:
      return 4;
    case ErrorCode::out_of_memory:
      return 5;
    default:
      return 1;
  }
}

}  // namespace cuzk
