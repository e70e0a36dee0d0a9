#pragma once
/// A staging strategy as a class.

#include <concepts>
#include <cstdint>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/component.hpp>

namespace cuzk::sdk {

/// The members below are needed; cuzk_staging_api says what each must do. The constructor is open(), the destructor
/// close(); upload and download return the path they really used (CUZK_PATH_*). Optional: static constexpr uint32_t
/// kFlags (CUZK_STAGING_*).
template <class T>
concept Staging = std::constructible_from<T, cuzk_space, const cuzk_plan&, cuzk_mem> &&
                  requires(T& t, const cuzk_device_info& device, const cuzk_call& call, cuzk_mem& dst, const void* src,
                           void* host_dst, cuzk_fence fence) {
                    { T::plan(device, uint64_t{}, uint64_t{}) } -> std::same_as<cuzk_plan>;
                    { t.upload(call, dst, src, uint64_t{}, bool{}, fence, fence) } -> std::same_as<uint32_t>;
                    { t.download(call, host_dst, bool{}, dst, fence, fence) } -> std::same_as<uint32_t>;
                  };

namespace detail {
template <class T>
struct StagingTable {
  static int32_t plan(const cuzk_device_info* device, uint64_t largest_vector, uint64_t limit, cuzk_plan* out,
                      cuzk_status* status) {
    return guard(status, [&] { *out = T::plan(read(device), largest_vector, limit); });
  }
  static int32_t open(cuzk_space space, const cuzk_plan* plan, cuzk_mem pinned_ring, void** out, cuzk_status* status) {
    return guard(status, [&] { *out = new T(space, *plan, pinned_ring); });
  }
  static void close(void* self) {
    guard_release("close", [&] { delete static_cast<T*>(self); });
  }
  static int32_t upload(void* self, const cuzk_call* call, cuzk_mem* dst, const void* src, uint64_t src_bytes,
                        uint32_t src_pinned, cuzk_fence after, cuzk_fence done, uint32_t* path, cuzk_status* status) {
    return guard(status, [&] {
      cuzk_mem placed = *dst;
      *path = static_cast<T*>(self)->upload(read(call), placed, src, src_bytes, src_pinned != 0, after, done);
      *dst = placed;
    });
  }
  static int32_t download(void* self, const cuzk_call* call, void* dst, uint32_t dst_pinned, cuzk_mem src,
                          cuzk_fence after, cuzk_fence done, uint32_t* path, cuzk_status* status) {
    return guard(status,
                 [&] { *path = static_cast<T*>(self)->download(read(call), dst, dst_pinned != 0, src, after, done); });
  }
  static constexpr cuzk_staging_api kApi{.struct_size = sizeof(cuzk_staging_api),
                                         .flags = flags_of<T>(),
                                         .plan = &plan,
                                         .open = &open,
                                         .close = &close,
                                         .upload = &upload,
                                         .download = &download};
};
}  // namespace detail

template <Staging T>
consteval cuzk_component staging_component(const ComponentFacts& facts) {
  return detail::component(CUZK_ROLE_STAGING, facts, &detail::StagingTable<T>::kApi);
}

}  // namespace cuzk::sdk
