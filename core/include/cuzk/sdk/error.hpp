#pragma once
/// Errors on the author's side: throw sdk::Error anywhere; the SDK turns it into a cuzk_status at the boundary.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::sdk {

/// What an author throws. `code` is one of CUZK_*, `native` the driver's or the system's own number (0: none). The
/// message is one line; core puts "plugin/component: " before it.
class Error : public std::runtime_error {
 public:
  Error(int32_t code, const std::string& message, int32_t native = 0)
      : std::runtime_error(message), code_(code == CUZK_OK ? CUZK_INTERNAL : code), native_(native) {}
  int32_t code() const noexcept { return code_; }
  int32_t native() const noexcept { return native_; }

 private:
  int32_t code_, native_;
};

/// Fills a status; a message that does not fit is cut. @return code
inline int32_t fail(cuzk_status* status, int32_t code, std::string_view message, int32_t native = 0) noexcept {
  if (status != nullptr) {
    const size_t size = std::min(message.size(), sizeof(status->message) - 1);
    status->code = code;
    status->native = native;
    std::memcpy(status->message, message.data(), size);
    status->message[size] = '\0';
  }
  return code;
}

/// Runs the body of one entry. No exception leaves a plugin: Error keeps its code, bad_alloc is CUZK_OUT_OF_MEMORY,
/// anything else CUZK_INTERNAL. The body writes outputs last, so that they are untouched after an error.
template <class Body>
int32_t guard(cuzk_status* status, Body&& body) noexcept {
  try {
    body();
    return CUZK_OK;
  } catch (const Error& error) {
    return fail(status, error.code(), error.what(), error.native());
  } catch (const std::bad_alloc&) {
    return fail(status, CUZK_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception& error) {
    return fail(status, CUZK_INTERNAL, error.what());
  } catch (...) {
    return fail(status, CUZK_INTERNAL, "an exception that is no std::exception");
  }
}

}  // namespace cuzk::sdk
