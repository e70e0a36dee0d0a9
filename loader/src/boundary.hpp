#pragma once
#include <mutex>
#include <string>
#include <utility>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/error.hpp>

namespace cuzk {

std::string status_text(int32_t code, const cuzk_status& status);
ErrorCode error_code(int32_t status_code);

/// Every call into one component (or device): statuses become Error, prefixed with its name, and a component that wraps
/// global state is entered by one call at a time.
class Boundary {
 public:
  Boundary(std::string who, bool serial) : who_(std::move(who)), serial_(serial) {}

  const std::string& who() const { return who_; }
  [[noreturn]] void fail(ErrorCode code, const std::string& message) const { throw Error(code, who_ + ": " + message); }
  void require(bool holds, const char* message) const {
    if (!holds) fail(ErrorCode::internal, message);
  }

  /// body(cuzk_status*) calls the slot and returns its code.
  template <class Body>
  void call(const char* slot, Body&& body) const {
    const auto turn = take_turn();
    cuzk_status status{};
    int32_t code = CUZK_OK;
    try {
      code = body(&status);
    } catch (...) {
      fail(ErrorCode::internal, std::string(slot) + " let an exception out through the C boundary");
    }
    if (code != CUZK_OK) fail(error_code(code), std::string(slot) + ": " + status_text(code, status));
  }
  /// For slots that return nothing: they cannot fail.
  template <class Body>
  void release(Body&& body) const noexcept {
    const auto turn = take_turn();
    body();
  }

 private:
  std::unique_lock<std::mutex> take_turn() const {
    return serial_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }

  std::string who_;
  bool serial_;
  mutable std::mutex mutex_;
};

/// Room for one answer that must not stay empty.
inline void* require_handle(const Boundary& boundary, void* handle, const char* slot) {
  if (handle == nullptr) boundary.fail(ErrorCode::internal, std::string(slot) + " answered ok and gave nothing");
  return handle;
}

inline bool same_space(cuzk_space a, cuzk_space b) { return a.kind == b.kind && a.index == b.index; }

}  // namespace cuzk
