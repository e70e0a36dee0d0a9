#pragma once
/// A lock policy as a class.

#include <concepts>
#include <cstdint>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/component.hpp>

namespace cuzk::sdk {

/// Index of the oldest ticket in `state`, or CUZK_NONE.
inline uint32_t oldest(const cuzk_lock_view& view, uint32_t state) {
  for (uint32_t i = 0; i < view.count; ++i) {
    if (view.tickets[i].state == state) return i;
  }
  return CUZK_NONE;
}
/// How many tickets are in `state`.
inline uint32_t count_in(const cuzk_lock_view& view, uint32_t state) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < view.count; ++i) n += view.tickets[i].state == state;
  return n;
}

/// A policy without state: only static members. See cuzk_lock_api.pick for what is asked.
template <class T>
concept StatelessLockPolicy = requires(const cuzk_lock_view& view) {
  { T::pick(view) } -> std::same_as<uint32_t>;
};
/// A policy with state: one object per device, made from the number of workers.
template <class T>
concept StatefulLockPolicy = std::constructible_from<T, uint32_t> && requires(T& t, const cuzk_lock_view& view) {
  { t.pick(view) } -> std::same_as<uint32_t>;
};
/// Both: static constexpr uint32_t kStageWidth, kComputeWidth: most tickets in a phase at once, 0 = workers. Optional:
/// kFlags. A pick that throws is logged and counts as CUZK_NONE.
template <class T>
concept LockPolicy = (StatelessLockPolicy<T> || StatefulLockPolicy<T>)&&requires {
  { T::kStageWidth } -> std::convertible_to<uint32_t>;
  { T::kComputeWidth } -> std::convertible_to<uint32_t>;
};

namespace detail {
template <class T>
struct LockTable {
  static uint32_t pick(void* self, const cuzk_lock_view* view) {
    uint32_t picked = CUZK_NONE;
    guard_release("pick", [&] {
      if constexpr (StatelessLockPolicy<T>) {
        static_cast<void>(self);
        picked = T::pick(read(view));
      } else {
        picked = static_cast<T*>(self)->pick(read(view));
      }
    });
    return picked;
  }
  static constexpr cuzk_lock_api table() {
    cuzk_lock_api api{.struct_size = sizeof(cuzk_lock_api),
                      .flags = flags_of<T>(),
                      .stage_width = T::kStageWidth,
                      .compute_width = T::kComputeWidth,
                      .open = nullptr,
                      .close = nullptr,
                      .pick = &pick};
    if constexpr (!StatelessLockPolicy<T>) {
      api.open = [](uint32_t workers, void** out, cuzk_status* status) {
        return guard(status, [&] { *out = new T(workers); });
      };
      api.close = [](void* self) { guard_release("close", [&] { delete static_cast<T*>(self); }); };
    }
    return api;
  }
  static constexpr cuzk_lock_api kApi = table();
};
}  // namespace detail

/// Policies touch no memory, so that they fit every space.
template <LockPolicy T>
consteval cuzk_component lock_component(std::string_view name, std::string_view summary) {
  return detail::component(CUZK_ROLE_LOCK, {.name = name, .summary = summary, .space_kinds = UINT32_MAX},
                           &detail::LockTable<T>::kApi);
}

}  // namespace cuzk::sdk
