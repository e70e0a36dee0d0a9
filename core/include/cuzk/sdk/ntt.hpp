#pragma once
/// An NTT as a class.

#include <concepts>
#include <cstdint>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/component.hpp>

namespace cuzk::sdk {

/// The members below are needed; cuzk_ntt_api says what each must do. The constructor is open(), the destructor
/// close(). Optional, and advertised only where the class has them:
///   void pointwise(const cuzk_call&, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done);
///   void quotient_ab(const cuzk_call&, cuzk_vec a, cuzk_vec b, cuzk_fence b_free);
///   void quotient_c(const cuzk_call&, cuzk_vec ab, cuzk_vec c, cuzk_fence done);
template <class T>
concept Ntt = std::constructible_from<T, cuzk_space, const cuzk_domain&, const cuzk_plan&, cuzk_mem> &&
              requires(T& t, const cuzk_device_info& device, const cuzk_domain& domain, const cuzk_call& call,
                       cuzk_vec v, cuzk_fence done) {
                { T::plan(device, domain, uint64_t{}) } -> std::same_as<cuzk_plan>;
                t.transform(call, v, uint32_t{}, done);
              };

namespace detail {
template <class T>
struct NttTable {
  static int32_t plan(const cuzk_device_info* device, const cuzk_domain* domain, uint64_t limit, cuzk_plan* out,
                      cuzk_status* status) {
    return guard(status, [&] { *out = T::plan(read(device), *domain, limit); });
  }
  static int32_t open(cuzk_space space, const cuzk_domain* domain, const cuzk_plan* plan, cuzk_mem resident, void** out,
                      cuzk_status* status) {
    return guard(status, [&] { *out = new T(space, *domain, *plan, resident); });
  }
  static void close(void* self) {
    guard_release("close", [&] { delete static_cast<T*>(self); });
  }
  static int32_t transform(void* self, const cuzk_call* call, cuzk_vec v, uint32_t kind, cuzk_fence done,
                           cuzk_status* status) {
    return guard(status, [&] { static_cast<T*>(self)->transform(read(call), v, kind, done); });
  }
  static constexpr auto pointwise() {
    decltype(cuzk_ntt_api::pointwise) slot = nullptr;
    if constexpr (requires(T& t, const cuzk_call& call, cuzk_vec v, cuzk_fence done) {
                    t.pointwise(call, v, v, v, uint32_t{}, done);
                  }) {
      slot = [](void* self, const cuzk_call* call, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done,
                cuzk_status* status) {
        return guard(status, [&] { static_cast<T*>(self)->pointwise(read(call), out, x, y, op, done); });
      };
    }
    return slot;
  }
  static constexpr auto quotient_ab() {
    decltype(cuzk_ntt_api::quotient_ab) slot = nullptr;
    if constexpr (requires(T& t, const cuzk_call& call, cuzk_vec v, cuzk_fence done) {
                    t.quotient_ab(call, v, v, done);
                  }) {
      slot = [](void* self, const cuzk_call* call, cuzk_vec a, cuzk_vec b, cuzk_fence b_free, cuzk_status* status) {
        return guard(status, [&] { static_cast<T*>(self)->quotient_ab(read(call), a, b, b_free); });
      };
    }
    return slot;
  }
  static constexpr auto quotient_c() {
    decltype(cuzk_ntt_api::quotient_c) slot = nullptr;
    if constexpr (requires(T& t, const cuzk_call& call, cuzk_vec v, cuzk_fence done) {
                    t.quotient_c(call, v, v, done);
                  }) {
      slot = [](void* self, const cuzk_call* call, cuzk_vec ab, cuzk_vec c, cuzk_fence done, cuzk_status* status) {
        return guard(status, [&] { static_cast<T*>(self)->quotient_c(read(call), ab, c, done); });
      };
    }
    return slot;
  }
  static constexpr cuzk_ntt_api kApi{.struct_size = sizeof(cuzk_ntt_api),
                                     .reserved = 0,
                                     .plan = &plan,
                                     .open = &open,
                                     .close = &close,
                                     .transform = &transform,
                                     .pointwise = pointwise(),
                                     .quotient_ab = quotient_ab(),
                                     .quotient_c = quotient_c()};
};
}  // namespace detail

/// constexpr cuzk_component kRadix = sdk::ntt_component<Radix>({.name = "radix", .summary = "...", .space_kinds = ...,
///                                                              .curves = sdk::kBothCurves, .max_log2_size = 28});
template <Ntt T>
consteval cuzk_component ntt_component(const ComponentFacts& facts) {
  return detail::component(CUZK_ROLE_NTT, facts, &detail::NttTable<T>::kApi);
}

}  // namespace cuzk::sdk
