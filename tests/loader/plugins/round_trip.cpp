// A plugin of all four roles and a device, written with the SDK. Its arithmetic is a toy that tests can predict; odd
// inputs make it throw in every way there is.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/arith/xyzz.hpp>
#include <cuzk/sdk/device.hpp>
#include <cuzk/sdk/lock_policy.hpp>
#include <cuzk/sdk/msm.hpp>
#include <cuzk/sdk/ntt.hpp>
#include <cuzk/sdk/plugin.hpp>
#include <cuzk/sdk/simple_msm.hpp>
#include <cuzk/sdk/staging.hpp>

namespace {

namespace sdk = cuzk::sdk;

/// kind: 100 + status code throws that; the rest throws what is no sdk::Error.
void throw_as(uint32_t kind) {
  if (kind >= 100 && kind < 200) throw sdk::Error(static_cast<int32_t>(kind - 100), "thrown on request", 42);
  if (kind == 200) throw std::bad_alloc();
  if (kind == 201) throw std::runtime_error("a runtime_error");
  if (kind == 202) throw 7;
}

struct Device {
  static uint32_t count() { return 2; }
  static cuzk_device_info info(int32_t index) {
    return {.struct_size = sizeof(cuzk_device_info),
            .space = {CUZK_SPACE_MODEL, index},
            .units = 1,
            .arch = 0,
            .memory_total = 1 << 20,
            .memory_free = 1 << 19,
            .name = sdk::str("toy memory")};
  }
  static cuzk_mem alloc(cuzk_space space, uint64_t bytes) {
    if (bytes > 1 << 20) throw sdk::Error(CUZK_OUT_OF_MEMORY, "more than a toy has");
    return {std::aligned_alloc(256, (bytes + 255) / 256 * 256), bytes, space};
  }
  static void free(cuzk_mem memory) { std::free(memory.data); }
  static void copy(cuzk_mem dst, cuzk_mem src, cuzk_fence, cuzk_fence) {
    std::memcpy(dst.data, src.data, src.bytes);
    std::memset(static_cast<std::byte*>(dst.data) + src.bytes, 0, dst.bytes - src.bytes);
  }
};

/// Says CUZK_PATH_PAGEABLE when two calls are inside at once, else CUZK_PATH_DIRECT. Always points at the source, which
/// is wrong for a destination that has memory; 14 to 16 bytes come back wrong in other ways.
class Staging {
 public:
  static constexpr uint32_t kFlags = CUZK_STAGING_ADOPTS;
  static cuzk_plan plan(const cuzk_device_info&, uint64_t largest_vector, uint64_t) {
    return {.resident = 0, .workspace = 0, .unmanaged = 0, .pinned = largest_vector, .minimum = 0, .choice = {}};
  }
  Staging(cuzk_space space, const cuzk_plan&, cuzk_mem) : space_(space) {}
  uint32_t upload(const cuzk_call& call, cuzk_mem& dst, const void* src, uint64_t bytes, bool, cuzk_fence, cuzk_fence) {
    const bool overlap = inside.fetch_add(1) != 0;
    for (int i = 0; i < 1000; ++i) static_cast<void>(sdk::host().now_ns());
    sdk::host().span(call, CUZK_SPAN_H2D, "toy upload", 1, 2, bytes);
    inside.fetch_sub(1);
    if (bytes == 13) throw sdk::Error(CUZK_DEVICE_LOST, "thirteen bytes");
    dst.data = const_cast<void*>(src);
    dst.space = space_;
    if (bytes == 14) ++dst.bytes;
    if (bytes == 15) dst.space.index += 1;
    if (bytes == 16) dst.data = this;
    return overlap ? CUZK_PATH_PAGEABLE : CUZK_PATH_DIRECT;
  }
  uint32_t download(const cuzk_call&, void* dst, bool, cuzk_mem src, cuzk_fence, cuzk_fence) {
    std::memcpy(dst, src.data, src.bytes);
    return src.bytes == 5 ? 99 : CUZK_PATH_DIRECT;  // 99: a path that does not exist
  }

 private:
  static inline std::atomic<int> inside{0};
  cuzk_space space_;
};

/// "Transforms" multiply by kind + 2.
class Ntt {
 public:
  static cuzk_plan plan(const cuzk_device_info&, const cuzk_domain& domain, uint64_t limit) {
    if (limit == 1) throw sdk::Error(CUZK_REFUSED, "too little");
    return {.resident = domain.log2_size,
            .workspace = limit,
            .unmanaged = 0,
            .pinned = 0,
            .minimum = 0,
            .choice = {1, 2, 3, 4}};
  }
  Ntt(cuzk_space, const cuzk_domain& domain, const cuzk_plan& plan, cuzk_mem) {
    if (plan.choice[3] != 4) throw std::runtime_error("the plan's choice did not come back");
    if (domain.log2_size == 63) throw std::bad_alloc();
  }
  void transform(const cuzk_call& call, cuzk_vec v, uint32_t kind, cuzk_fence) {
    using Fr = cuzk::arith::Bn254Fr;
    throw_as(kind);
    if (kind == 203) sdk::host().throw_if_cancelled(call);
    const Fr factor = Fr::from_u64(kind + 2);
    auto* const elements = static_cast<cuzk_fr*>(v.mem.data);
    sdk::host().parallel(v.count, [&](uint64_t i) {
      if (kind == 204) throw sdk::Error(CUZK_DEVICE_ERROR, "in a task");
      Fr x;
      std::memcpy(x.limb.data(), elements + i, sizeof(cuzk_fr));
      x *= factor;
      std::memcpy(elements + i, x.limb.data(), sizeof(cuzk_fr));
    });
  }
};

/// The "sum" is how many bases were fed, plus 1000 a loaded base, in the first bytes of each point.
class Counting {
 public:
  static constexpr uint32_t kFlags = CUZK_MSM_FEED | CUZK_MSM_MANY;
  struct Bases {
    uint64_t count = 0;
    ~Bases() { sdk::host().log(CUZK_LOG_INFO, "counting", "bases unloaded"); }
  };
  class Job {
   public:
    explicit Job(std::span<const cuzk_query> queries) : sums_(queries.size()) {
      for (size_t q = 0; q < queries.size(); ++q) {
        if (queries[q].bases != nullptr) sums_[q] = 1000 * static_cast<const Bases*>(queries[q].bases)->count;
      }
    }
    ~Job() { sdk::host().log(CUZK_LOG_INFO, "counting", "job dropped"); }
    void feed(const cuzk_call&, uint32_t query, cuzk_mem, uint64_t first, uint64_t count, cuzk_fence, cuzk_fence) {
      if (first == 99) throw sdk::Error(CUZK_DEVICE_ERROR, "at ninety-nine", 700);
      sums_[query] += count;
    }
    void end(const cuzk_call&, cuzk_fence) {}
    void finish(std::span<void* const> out) {
      for (size_t q = 0; q < sums_.size(); ++q) std::memcpy(out[q], &sums_[q], sizeof(uint64_t));
    }

   private:
    std::vector<uint64_t> sums_;
  };

  explicit Counting(cuzk_space) {}
  ~Counting() { sdk::host().log(CUZK_LOG_INFO, "counting", "closed"); }
  static cuzk_plan plan_bases(const cuzk_device_info&, const cuzk_query& query, uint64_t limit) {
    return {.resident = query.count <= limit ? query.count : 0,
            .workspace = 0,
            .unmanaged = 0,
            .pinned = 0,
            .minimum = 0,
            .choice = {}};
  }
  static cuzk_plan plan_job(const cuzk_device_info&, std::span<const cuzk_query> queries, uint64_t) {
    return {.resident = 0, .workspace = queries.size(), .unmanaged = 0, .pinned = 0, .minimum = 0, .choice = {}};
  }
  void load(const cuzk_call&, const cuzk_query&, cuzk_mem, cuzk_mem, uint64_t first, uint64_t count, cuzk_fence,
            cuzk_fence, std::unique_ptr<Bases>& bases) {
    if (first == 99) throw sdk::Error(CUZK_OUT_OF_MEMORY, "no room");
    if (bases == nullptr) bases = std::make_unique<Bases>();
    bases->count += count;
  }
  std::unique_ptr<Job> start(const cuzk_call&, cuzk_vec, std::span<const cuzk_query> queries, const cuzk_plan&) {
    return std::make_unique<Job>(queries);
  }

  // No toy: multiples are right, so that the conformance suite's cases for them run on this machine too.
  static cuzk_plan plan_multiples(const cuzk_device_info&, uint32_t curve, uint32_t group, uint64_t count, uint64_t) {
    on_group(curve, group, [](auto) {});
    return {
        .resident = 0, .workspace = 8 * count, .unmanaged = 0, .pinned = 0, .minimum = 8 * count, .choice = {count}};
  }
  void multiples(const cuzk_call& call, uint32_t group, const void* point, cuzk_vec scalars, const cuzk_plan& plan,
                 cuzk_mem out, cuzk_fence) {
    sdk::host().throw_if_cancelled(call);
    on_group(scalars.curve, group, [&]<class G>(std::type_identity<G>) {
      using Point = cuzk::arith::Affine<G>;
      if (point == nullptr || scalars.form > CUZK_CANONICAL || scalars.count > plan.choice[0] ||
          scalars.mem.bytes < scalars.count * sizeof(cuzk_fr) || out.bytes < scalars.count * sizeof(Point) ||
          call.workspace.bytes < 8 * scalars.count) {
        throw sdk::Error(CUZK_BAD_ARGUMENT, "operands of multiples");
      }
      Point base;
      std::memcpy(&base, point, sizeof base);
      for (uint64_t i = 0; i < scalars.count; ++i) {
        typename G::Scalar scalar;
        std::memcpy(scalar.limb.data(), static_cast<const cuzk_fr*>(scalars.mem.data) + i, sizeof(cuzk_fr));
        const auto plain = scalars.form == CUZK_MONTGOMERY ? scalar.to_canonical() : scalar.limb;
        const Point made = cuzk::arith::scalar_mul(base, std::span<const uint64_t>(plain)).to_affine();
        std::memcpy(static_cast<std::byte*>(out.data) + i * sizeof made, &made, sizeof made);
      }
    });
  }

 private:
  template <class Body>
  static void on_group(uint32_t curve, uint32_t group, Body&& body) {
    const auto with = [&]<class C>(std::type_identity<C>) {
      if (group == CUZK_G1) return body(std::type_identity<typename C::G1>{});
      if (group == CUZK_G2) return body(std::type_identity<typename C::G2>{});
      throw sdk::Error(CUZK_BAD_ARGUMENT, "an unknown group");
    };
    if (curve == CUZK_BN254) return with(std::type_identity<cuzk::arith::Bn254>{});
    if (curve == CUZK_BLS12_381) return with(std::type_identity<cuzk::arith::Bls12381>{});
    throw sdk::Error(CUZK_BAD_ARGUMENT, "an unknown curve");
  }
};
/// The table as it was before there were slots for multiples; what stands behind its end is not part of it.
constexpr cuzk_msm_api kOlderApi = [] {
  cuzk_msm_api api = sdk::detail::MsmTable<Counting>::kApi;
  api.struct_size = offsetof(cuzk_msm_api, plan_multiples);
  return api;
}();

/// Sum of multiples, one by one; for BN254's G1.
struct Plain {
  static void msm(const sdk::MsmInput& input, std::byte* out) {
    using G = cuzk::arith::Bn254::G1;
    auto sum = cuzk::arith::Xyzz<G>::infinity();
    for (size_t i = 0; i < input.scalars.size(); ++i) {
      cuzk::arith::Affine<G> base;
      std::memcpy(&base, input.bases + i * sizeof base, sizeof base);
      sum += cuzk::arith::scalar_mul(base, std::span<const uint64_t>(input.scalars[i].limb));
    }
    const cuzk::arith::Affine<G> result = sum.to_affine();
    std::memcpy(out, &result, sizeof result);
  }
};

class Counted {
 public:
  static constexpr uint32_t kStageWidth = 3, kComputeWidth = 2, kFlags = CUZK_LOCK_LATE_WORKSPACE;
  explicit Counted(uint32_t workers) : workers_(workers) {
    if (workers == 0) throw sdk::Error(CUZK_BAD_ARGUMENT, "no workers");
  }
  uint32_t pick(const cuzk_lock_view& view) {
    if (view.count == 9) throw std::runtime_error("nine tickets");
    return workers_ + view.count;
  }

 private:
  uint32_t workers_;
};

constexpr uint32_t kSpaces = sdk::bits(CUZK_SPACE_HOST, CUZK_SPACE_MODEL);
constexpr cuzk_component kStaging = sdk::staging_component<Staging>({.name = "serial",
                                                                     .summary = "one call at a time",
                                                                     .space_kinds = kSpaces,
                                                                     .flags = CUZK_COMPONENT_PROCESS_SERIAL});
constexpr cuzk_component kNtt = sdk::ntt_component<Ntt>(
    {.name = "toy", .summary = "multiplies", .space_kinds = kSpaces, .curves = sdk::kBothCurves, .max_log2_size = 20});
constexpr cuzk_component kCounting = sdk::msm_component<Counting>({.name = "counting",
                                                                   .summary = "counts",
                                                                   .space_kinds = kSpaces,
                                                                   .curves = sdk::kBothCurves,
                                                                   .groups = sdk::kBothGroups});
constexpr cuzk_component kOlder = [] {
  cuzk_component component = kCounting;
  component.name = sdk::str("older");
  component.api = &kOlderApi;
  return component;
}();
constexpr cuzk_component kPlain = sdk::simple_msm<Plain>(
    {.name = "plain", .summary = "one function", .curves = sdk::bits(CUZK_BN254), .groups = sdk::bits(CUZK_G1)});
constexpr cuzk_component kCounted = sdk::lock_component<Counted>("counted", "counts");
constexpr const cuzk_component* kComponents[] = {&kStaging, &kNtt, &kCounting, &kOlder, &kPlain, &kCounted};
constexpr cuzk_device_api kDevice = sdk::device<Device>(CUZK_SPACE_MODEL, "toy");

constexpr sdk::Plugin kPlugin{.name = "round-trip",
                              .version = "1.2.3",
                              .license = "MIT",
                              .author = "tests",
                              .built_for = "cpu",
                              .components = kComponents,
                              .device = &kDevice,
                              .cuda_major = 0,
                              .shutdown = [] { sdk::host().log(CUZK_LOG_INFO, "round-trip", "shut down"); }};

}  // namespace

CUZK_PLUGIN(kPlugin);
