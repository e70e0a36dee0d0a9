#pragma once
/// An MSM as a class.

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/sdk/component.hpp>

namespace cuzk::sdk {

/// The members below are needed; cuzk_msm_api says what each must do. The constructor is open(), the destructor
/// close(); a Job's destructor is drop(): it waits until nothing of the job runs. Optional:
///   static constexpr uint32_t kFlags = CUZK_MSM_...;
/// and, for bases that stay on the device, all three of
///   class Bases;  // its destructor is unload()
///   static cuzk_plan plan_bases(const cuzk_device_info&, const cuzk_query&, uint64_t limit);
///   void load(const cuzk_call&, const cuzk_query&, cuzk_mem resident, cuzk_mem chunk, uint64_t first, uint64_t count,
///             cuzk_fence after, cuzk_fence chunk_free, std::unique_ptr<Bases>& bases);  // null at the first chunk
/// and, for many multiples of one point, both of
///   static cuzk_plan plan_multiples(const cuzk_device_info&, uint32_t curve, uint32_t group, uint64_t count,
///                                   uint64_t limit);
///   void multiples(const cuzk_call&, uint32_t group, const void* point, cuzk_vec scalars, const cuzk_plan& plan,
///                  cuzk_mem out, cuzk_fence done);
template <class T>
concept Msm = std::constructible_from<T, cuzk_space> &&
              requires(T& t, typename T::Job& job, const cuzk_device_info& device, const cuzk_call& call, cuzk_vec v,
                       cuzk_mem chunk, cuzk_fence fence, std::span<const cuzk_query> queries, const cuzk_plan& plan,
                       std::span<void* const> out) {
                { T::plan_job(device, queries, uint64_t{}) } -> std::same_as<cuzk_plan>;
                { t.start(call, v, queries, plan) } -> std::same_as<std::unique_ptr<typename T::Job>>;
                job.feed(call, uint32_t{}, chunk, uint64_t{}, uint64_t{}, fence, fence);
                job.end(call, fence);
                job.finish(out);
              };

template <class T>
concept MsmWithBases =
    Msm<T> && requires(T& t, const cuzk_device_info& device, const cuzk_call& call, const cuzk_query& query,
                       cuzk_mem mem, cuzk_fence fence, std::unique_ptr<typename T::Bases>& bases) {
      { T::plan_bases(device, query, uint64_t{}) } -> std::same_as<cuzk_plan>;
      t.load(call, query, mem, mem, uint64_t{}, uint64_t{}, fence, fence, bases);
    };

template <class T>
concept MsmWithMultiples = Msm<T> && requires(T& t, const cuzk_device_info& device, const cuzk_call& call, cuzk_vec v,
                                              const cuzk_plan& plan, cuzk_mem mem, cuzk_fence fence) {
  { T::plan_multiples(device, uint32_t{}, uint32_t{}, uint64_t{}, uint64_t{}) } -> std::same_as<cuzk_plan>;
  t.multiples(call, uint32_t{}, static_cast<const void*>(nullptr), v, plan, mem, fence);
};

namespace detail {
template <class T>
struct MsmTable {
  /// finish() has no count of its own.
  struct Job {
    std::unique_ptr<typename T::Job> job;
    uint32_t queries;
  };
  static int32_t plan_job(const cuzk_device_info* device, uint32_t queries, const cuzk_query* query, uint64_t limit,
                          cuzk_plan* out, cuzk_status* status) {
    return guard(status, [&] { *out = T::plan_job(read(device), std::span(query, queries), limit); });
  }
  static int32_t open(cuzk_space space, void** out, cuzk_status* status) {
    return guard(status, [&] { *out = new T(space); });
  }
  static void close(void* self) {
    guard_release("close", [&] { delete static_cast<T*>(self); });
  }
  static int32_t start(void* self, const cuzk_call* call, cuzk_vec scalars, uint32_t queries, const cuzk_query* query,
                       const cuzk_plan* plan, void** job, cuzk_status* status) {
    return guard(status, [&] {
      auto box = std::make_unique<Job>(Job{nullptr, queries});
      box->job = static_cast<T*>(self)->start(read(call), scalars, std::span(query, queries), *plan);
      if (box->job == nullptr) throw Error(CUZK_INTERNAL, "start() gave no job");
      *job = box.release();
    });
  }
  static int32_t feed(void* job, const cuzk_call* call, uint32_t query, cuzk_mem chunk, uint64_t first, uint64_t count,
                      cuzk_fence after, cuzk_fence chunk_free, cuzk_status* status) {
    return guard(status,
                 [&] { static_cast<Job*>(job)->job->feed(read(call), query, chunk, first, count, after, chunk_free); });
  }
  static int32_t end(void* job, const cuzk_call* call, cuzk_fence done, cuzk_status* status) {
    return guard(status, [&] { static_cast<Job*>(job)->job->end(read(call), done); });
  }
  static int32_t finish(void* job, void* const* out, cuzk_status* status) {
    return guard(status, [&] {
      Job& box = *static_cast<Job*>(job);
      box.job->finish(std::span(out, box.queries));
    });
  }
  static void drop(void* job) {
    guard_release("drop", [&] { delete static_cast<Job*>(job); });
  }
  static constexpr cuzk_msm_api table() {
    cuzk_msm_api api{.struct_size = sizeof(cuzk_msm_api),
                     .flags = flags_of<T>(),
                     .plan_bases = nullptr,
                     .plan_job = &plan_job,
                     .open = &open,
                     .close = &close,
                     .load = nullptr,
                     .unload = nullptr,
                     .start = &start,
                     .feed = &feed,
                     .end = &end,
                     .finish = &finish,
                     .drop = &drop,
                     .plan_multiples = nullptr,
                     .multiples = nullptr};
    if constexpr (MsmWithBases<T>) {
      api.plan_bases = [](const cuzk_device_info* device, const cuzk_query* query, uint64_t limit, cuzk_plan* out,
                          cuzk_status* status) {
        return guard(status, [&] { *out = T::plan_bases(read(device), *query, limit); });
      };
      api.load = [](void* self, const cuzk_call* call, const cuzk_query* query, cuzk_mem resident, cuzk_mem chunk,
                    uint64_t first, uint64_t count, cuzk_fence after, cuzk_fence chunk_free, void** bases,
                    cuzk_status* status) {
        // Owned here until the call has gone well; before the first chunk there is nothing to own.
        std::unique_ptr<typename T::Bases> held(static_cast<typename T::Bases*>(*bases));
        const bool fresh = held == nullptr;
        const int32_t code = guard(status, [&] {
          static_cast<T*>(self)->load(read(call), *query, resident, chunk, first, count, after, chunk_free, held);
          if (held == nullptr) throw Error(CUZK_INTERNAL, "load() gave no bases");
        });
        if (code == CUZK_OK) {
          *bases = held.release();
        } else if (!fresh) {
          static_cast<void>(held.release());
        }
        return code;
      };
      api.unload = [](void*, void* bases) {
        guard_release("unload", [&] { delete static_cast<typename T::Bases*>(bases); });
      };
    }
    if constexpr (MsmWithMultiples<T>) {
      api.plan_multiples = [](const cuzk_device_info* device, uint32_t curve, uint32_t group, uint64_t count,
                              uint64_t limit, cuzk_plan* out, cuzk_status* status) {
        return guard(status, [&] { *out = T::plan_multiples(read(device), curve, group, count, limit); });
      };
      api.multiples = [](void* self, const cuzk_call* call, uint32_t group, const void* point, cuzk_vec scalars,
                         const cuzk_plan* plan, cuzk_mem out, cuzk_fence done, cuzk_status* status) {
        return guard(status,
                     [&] { static_cast<T*>(self)->multiples(read(call), group, point, scalars, *plan, out, done); });
      };
    }
    return api;
  }
  static constexpr cuzk_msm_api kApi = table();
};
}  // namespace detail

template <Msm T>
consteval cuzk_component msm_component(const ComponentFacts& facts) {
  return detail::component(CUZK_ROLE_MSM, facts, &detail::MsmTable<T>::kApi);
}

}  // namespace cuzk::sdk
