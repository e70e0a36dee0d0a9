#pragma once
/// The shortest way to a plugin: an MSM from one function over host memory.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/arith/fields.hpp>
#include <cuzk/sdk/msm.hpp>

namespace cuzk::sdk {

/// One multi-scalar multiplication: sum of scalars[i] * bases[i].
struct MsmInput {
  uint32_t curve = 0, group = 0;  ///< CUZK_BN254 ..., CUZK_G1 ...
  std::span<const cuzk_fr> scalars =
      {};  ///< plain integers below r, not Montgomery; zeros, ones and repeats are common
  const std::byte* bases =
      nullptr;  ///< as many affine points x, y, coordinates Montgomery, infinity all zero; aligned to 8
};

/// A class with one function. `out` takes one affine point, in the form of the bases.
template <class T>
concept SimpleMsm = requires(const MsmInput& input, std::byte* out) { T::msm(input, out); };

/// Bytes of one affine point.
constexpr size_t point_bytes(uint32_t curve, uint32_t group) {
  return (curve == CUZK_BN254 ? 32u : 48u) * (group == CUZK_G1 ? 2u : 4u);
}

namespace detail {
/// Plain integers from Montgomery form; src at any alignment.
template <class Fr>
void to_canonical(const std::byte* src, std::span<cuzk_fr> out) {
  constexpr uint64_t kBlock = 4096;
  host().parallel((out.size() + kBlock - 1) / kBlock, [&](uint64_t block) {
    const uint64_t end = std::min<uint64_t>(out.size(), (block + 1) * kBlock);
    for (uint64_t i = block * kBlock; i < end; ++i) {
      typename Fr::Limbs limbs;
      std::memcpy(limbs.data(), src + i * sizeof(cuzk_fr), sizeof(cuzk_fr));
      limbs = Fr::from_raw(limbs).to_canonical();
      std::memcpy(out[i].limb, limbs.data(), sizeof(cuzk_fr));
    }
  });
}

/// T's function behind the job protocol: without flags core sends one query at a time, its bases in one chunk.
template <class T>
class SimpleMsmAdapter {
 public:
  class Job {
   public:
    Job(const cuzk_vec& scalars, const cuzk_query& query) : scalars_(scalars), query_(query) {}
    void feed(const cuzk_call& call, uint32_t, cuzk_mem chunk, uint64_t first, uint64_t count, cuzk_fence, cuzk_fence) {
      if (first != 0 || count != query_.count) {
        throw Error(CUZK_BAD_ARGUMENT, "expected all bases in one chunk: the component does not set CUZK_MSM_FEED");
      }
      if (count == 0) return;
      if (call.workspace.bytes < workspace(query_)) throw Error(CUZK_BAD_ARGUMENT, "workspace smaller than planned");
      const std::span scalars(static_cast<cuzk_fr*>(call.workspace.data), static_cast<size_t>(count));
      const std::byte* source = static_cast<const std::byte*>(scalars_.mem.data) + query_.first * sizeof(cuzk_fr);
      if (scalars_.form == CUZK_CANONICAL) {
        std::memcpy(scalars.data(), source, scalars.size_bytes());
      } else if (scalars_.curve == CUZK_BN254) {
        to_canonical<arith::Bn254Fr>(source, scalars);
      } else {
        to_canonical<arith::Bls12381Fr>(source, scalars);
      }
      const std::byte* bases = static_cast<const std::byte*>(chunk.data);
      if (reinterpret_cast<uintptr_t>(bases) % alignof(uint64_t) != 0) {
        std::byte* aligned = reinterpret_cast<std::byte*>(scalars.data()) + scalars.size_bytes();
        std::memcpy(aligned, bases, static_cast<size_t>(count) * point_bytes(query_.curve, query_.group));
        bases = aligned;
      }
      T::msm(MsmInput{query_.curve, query_.group, scalars, bases}, result_);
    }
    void end(const cuzk_call&, cuzk_fence) {}
    void finish(std::span<void* const> out) { std::memcpy(out[0], result_, point_bytes(query_.curve, query_.group)); }

   private:
    cuzk_vec scalars_;
    cuzk_query query_;
    alignas(8) std::byte result_[192] = {};
  };

  explicit SimpleMsmAdapter(cuzk_space) {}
  static cuzk_plan plan_job(const cuzk_device_info&, std::span<const cuzk_query> queries, uint64_t) {
    cuzk_plan plan{};
    for (const cuzk_query& query : queries) plan.workspace = std::max(plan.workspace, workspace(query));
    plan.minimum = plan.workspace;
    return plan;
  }
  std::unique_ptr<Job> start(const cuzk_call&, cuzk_vec scalars, std::span<const cuzk_query> queries,
                             const cuzk_plan&) {
    if (queries.size() != 1 || queries[0].select.data != nullptr) {
      throw Error(CUZK_BAD_ARGUMENT, "expected one query without select: the component sets neither flag");
    }
    return std::make_unique<Job>(scalars, queries[0]);
  }

 private:
  static uint64_t workspace(const cuzk_query& query) {
    return query.count * (sizeof(cuzk_fr) + point_bytes(query.curve, query.group));
  }
};
}  // namespace detail

/// A whole plugin:
///
///   struct Plain {
///     static void msm(const cuzk::sdk::MsmInput& input, std::byte* out) { ... }
///   };
///   constexpr cuzk_component kMsm = cuzk::sdk::simple_msm<Plain>({.name = "plain", .summary = "one multiplication a
///   base",
///                                                                 .curves = ..., .groups = ...});
///
/// Runs in host-addressable spaces; core's defaults do the rest (streaming, selecting, several queries).
template <SimpleMsm T>
consteval cuzk_component simple_msm(ComponentFacts facts) {
  facts.space_kinds = bits(CUZK_SPACE_HOST, CUZK_SPACE_MODEL);
  return msm_component<detail::SimpleMsmAdapter<T>>(facts);
}

}  // namespace cuzk::sdk
