#pragma once
#include <atomic>
#include <cstdint>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::testing {

/// What the plugin "flaky" is told, by the exported function cuzk_flaky_control() or, when it is loaded, by environment
/// variables: CUZK_FLAKY_FIRST, _LAST, _ANSWER, _HANG and _SLEEP_MS. It counts its calls that can fail, of all kinds
/// together; those from `first` to `last`, counted from 1, go wrong.
struct FlakyControl {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> first{0}, last{0};         ///< 0: none
  std::atomic<int32_t> answer{CUZK_DEVICE_ERROR};  ///< of the calls that go wrong
  std::atomic<bool> hang{false};                   ///< those of a ticket end only when it is cancelled
  std::atomic<uint64_t> hung{0};                   ///< calls that hang or did
  std::atomic<uint64_t> sleep_ms{0};               ///< of every call
  std::atomic<uint64_t> held{0};                   ///< bytes of its devices that are allocated

  /// From now on the calls from `begin` to `end` go wrong.
  void go_wrong(uint64_t begin, uint64_t end, int32_t with) {
    calls = hung = 0;
    answer = with;
    last = end;
    first = begin;
  }
  void go_well() { first = last = 0; }
};

}  // namespace cuzk::testing
