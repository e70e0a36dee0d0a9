#pragma once
/// The device table of a plugin that brings a memory space.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/component.hpp>

namespace cuzk::sdk {

/// Static members, callable from any thread; cuzk_device_api says what each must do. count() may throw the reason why
/// there is none. Optional, in pairs and threes:
///   static void pin(std::span<std::byte> block); static void unpin(void* block);
///   static cuzk_fence make_fence(cuzk_space); static void wait(cuzk_fence); static void free_fence(cuzk_fence);
/// Without fences every call must be done when it returns, which only host-addressable spaces may leave at that.
template <class T>
concept Device = requires(cuzk_space space, cuzk_mem mem, cuzk_fence fence) {
  { T::count() } -> std::same_as<uint32_t>;
  { T::info(int32_t{}) } -> std::same_as<cuzk_device_info>;
  { T::alloc(space, uint64_t{}) } -> std::same_as<cuzk_mem>;
  T::free(mem);
  T::copy(mem, mem, fence, fence);
};

namespace detail {
template <class T>
struct DeviceTable {
  static int32_t count(uint32_t* out, cuzk_status* status) {
    return guard(status, [&] { *out = T::count(); });
  }
  static int32_t info(int32_t index, cuzk_device_info* out, cuzk_status* status) {
    return guard(status, [&] { write_table(out, T::info(index)); });
  }
  static int32_t alloc(cuzk_space space, uint64_t bytes, cuzk_mem* out, cuzk_status* status) {
    return guard(status, [&] { *out = T::alloc(space, bytes); });
  }
  static void free(cuzk_mem memory) {
    guard_release("free", [&] { T::free(memory); });
  }
  static int32_t copy(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done, cuzk_status* status) {
    return guard(status, [&] { T::copy(dst, src, after, done); });
  }
  static constexpr cuzk_device_api table(uint32_t kind, std::string_view name) {
    cuzk_device_api api{.struct_size = sizeof(cuzk_device_api),
                        .kind = kind,
                        .name = str(name),
                        .count = &count,
                        .info = &info,
                        .alloc = &alloc,
                        .free = &free,
                        .pin = nullptr,
                        .unpin = nullptr,
                        .copy = &copy,
                        .fence_make = nullptr,
                        .fence_wait = nullptr,
                        .fence_free = nullptr};
    if constexpr (requires(std::span<std::byte> block, void* first) {
                    T::pin(block);
                    T::unpin(first);
                  }) {
      api.pin = [](void* block, uint64_t bytes, cuzk_status* status) {
        return guard(status, [&] { T::pin(std::span(static_cast<std::byte*>(block), static_cast<size_t>(bytes))); });
      };
      api.unpin = [](void* block) { guard_release("unpin", [&] { T::unpin(block); }); };
    }
    if constexpr (requires(cuzk_space space, cuzk_fence fence) {
                    { T::make_fence(space) } -> std::same_as<cuzk_fence>;
                    T::wait(fence);
                    T::free_fence(fence);
                  }) {
      api.fence_make = [](cuzk_space space, cuzk_fence* out, cuzk_status* status) {
        return guard(status, [&] { *out = T::make_fence(space); });
      };
      api.fence_wait = [](cuzk_fence fence, cuzk_status* status) { return guard(status, [&] { T::wait(fence); }); };
      api.fence_free = [](cuzk_fence fence) { guard_release("free_fence", [&] { T::free_fence(fence); }); };
    }
    return api;
  }
};
}  // namespace detail

/// constexpr cuzk_device_api kDevice = sdk::device<CpuDevice>(CUZK_SPACE_MODEL, "cpu");
template <Device T>
consteval cuzk_device_api device(uint32_t kind, std::string_view name) {
  if (!is_name(name)) throw "a device's name is [a-z0-9-]+";
  return detail::DeviceTable<T>::table(kind, name);
}

}  // namespace cuzk::sdk
