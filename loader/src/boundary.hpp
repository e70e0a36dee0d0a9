#pragma once
#include "device_health.hpp"
#include "table.hpp"

#include <cxxabi.h>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/error.hpp>

namespace cuzk {

std::string status_text(int32_t code, const cuzk_status& status);
ErrorCode error_code(int32_t status_code);

/// Calls a plugin's function. An exception that comes through the C boundary becomes Error internal, which names
/// `what`; a thread's cancellation, which must not be caught, goes on.
template <class Body>
auto guarded(const std::string& what, Body&& body) {
  try {
    return body();
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorCode::internal, what + " let an exception out through the C boundary: " + one_line(error.what()));
  } catch (...) {
    throw Error(ErrorCode::internal, what + " let an exception out through the C boundary");
  }
}

/// The device that this thread's call into a plugin works on, which spans that the plugin reports meanwhile belong to;
/// null: none.
inline thread_local const DeviceHealth* working_on = nullptr;
/// Sets it for a call.
class Working {
 public:
  explicit Working(const DeviceHealth* device) : before_(std::exchange(working_on, device)) {}
  ~Working() { working_on = before_; }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  const DeviceHealth* const before_;
};

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

  /// body(cuzk_status*) calls the slot and returns its code. For slots that touch no device.
  template <class Body>
  void call(const char* slot, Body&& body) const {
    call(slot, nullptr, std::forward<Body>(body));
  }
  /// The same on a device (null: host space). CUZK_DEVICE_LOST marks it; on a lost device it fails without calling.
  template <class Body>
  void call(const char* slot, DeviceHealth* device, Body&& body) const {
    const auto turn = take_turn();
    if (device != nullptr && device->lost.load(std::memory_order_acquire)) fail_lost(slot, *device, "");
    cuzk_status status{};
    const int32_t code = [&] {
      const Working working(device);
      return guarded(who_ + ": " + slot, [&]() -> int32_t { return body(&status); });
    }();
    if (code == CUZK_OK) return;
    if (code == CUZK_DEVICE_LOST && device != nullptr) {
      device->lost.store(true, std::memory_order_release);
      fail_lost(slot, *device, status_text(code, status) + "; ");
    }
    fail(error_code(code), std::string(slot) + ": " + status_text(code, status));
  }
  /// For slots that return nothing: they cannot fail, and an exception out of one ends the process. device: on which
  /// something is closed, whose last spans then belong to it; null: none.
  template <class Body>
  void release(Body&& body, const DeviceHealth* device = nullptr) const noexcept {
    const auto turn = take_turn();
    const Working working(device);
    body();
  }

 private:
  [[noreturn]] void fail_lost(const char* slot, const DeviceHealth& device, const std::string& why) const {
    fail(ErrorCode::unusable, std::string(slot) + ": " + why + "device " + device.name +
                                  " is lost; the process must be restarted to use it again");
  }
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
