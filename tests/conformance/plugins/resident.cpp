// An MSM on the CPU whose bases stay where they were loaded, so that the suite's cases for that run without a device.
// Slow and plain: double-and-add over all scalars at once, when a job ends.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <cuzk/arith/curves.hpp>
#include <cuzk/arith/xyzz.hpp>
#include <cuzk/sdk/host.hpp>
#include <cuzk/sdk/msm.hpp>
#include <cuzk/sdk/plugin.hpp>

namespace {

namespace sdk = cuzk::sdk;
namespace arith = cuzk::arith;

constexpr uint64_t kLeastWorkspace = 256, kMostWorkspace = 4096;  // asked for and left as it is

void require(bool good, const char* what) {
  if (!good) throw sdk::Error(CUZK_BAD_ARGUMENT, what);
}

template <class Body>
decltype(auto) on_group(uint32_t curve, uint32_t group, Body&& body) {
  const auto with = [&]<class C>(std::type_identity<C>) {
    require(group == CUZK_G1 || group == CUZK_G2, "an unknown group");
    return group == CUZK_G1 ? body(std::type_identity<typename C::G1>{}) : body(std::type_identity<typename C::G2>{});
  };
  require(curve == CUZK_BN254 || curve == CUZK_BLS12_381, "an unknown curve");
  return curve == CUZK_BN254 ? with(std::type_identity<arith::Bn254>{}) : with(std::type_identity<arith::Bls12381>{});
}

uint64_t affine_bytes(const cuzk_query& query) {
  return on_group(query.curve, query.group,
                  []<class G>(std::type_identity<G>) { return uint64_t{sizeof(arith::Affine<G>)}; });
}

void require_memory(const cuzk_mem& memory, uint64_t bytes) {
  require(memory.bytes >= bytes && (bytes == 0 || memory.data != nullptr), "too few bytes, or null");
}

/// Positions of the selected scalars.
std::vector<uint64_t> selected(const cuzk_query& query) {
  std::vector<uint64_t> positions;
  if (query.select.data != nullptr) require_memory(query.select, (query.span + 63) / 64 * 8);
  for (uint64_t i = 0; i < query.span; ++i) {
    uint64_t word = ~uint64_t{0};
    if (query.select.data != nullptr) {
      std::memcpy(&word, static_cast<const std::byte*>(query.select.data) + i / 64 * 8, sizeof word);
    }
    if (((word >> (i % 64)) & 1) != 0) positions.push_back(query.first + i);
  }
  return positions;
}

/// out = the sum of scalar * point; both as they lie in memory.
template <class G>
void sum_up(const cuzk_vec& scalars, const std::vector<uint64_t>& positions, const std::byte* points, void* out) {
  using Fr = typename G::Scalar;
  std::vector<typename Fr::Limbs> plain;
  std::vector<arith::Affine<G>> bases(positions.size());
  if (!bases.empty()) std::memcpy(static_cast<void*>(bases.data()), points, bases.size() * sizeof bases[0]);
  for (const uint64_t position : positions) {
    Fr scalar;
    std::memcpy(scalar.limb.data(), static_cast<const cuzk_fr*>(scalars.mem.data) + position, sizeof(cuzk_fr));
    plain.push_back(scalars.form == CUZK_MONTGOMERY ? scalar.to_canonical() : scalar.limb);
  }
  auto sum = arith::Xyzz<G>::infinity();
  for (size_t bit = Fr::kBits; bit-- > 0;) {
    sum = sum.doubled();
    for (size_t i = 0; i < bases.size(); ++i) {
      if (((plain[i][bit / 64] >> (bit % 64)) & 1) != 0) sum += bases[i];
    }
  }
  const arith::Affine<G> result = sum.to_affine();
  std::memcpy(out, &result, sizeof result);
}

class Msm {
 public:
  static constexpr uint32_t kFlags = CUZK_MSM_SELECT | CUZK_MSM_FEED | CUZK_MSM_MANY;

  /// Points in the memory that core gave.
  struct Bases {
    uint32_t curve, group;
    uint64_t count, loaded;
    std::byte* points;
  };

  class Job {
   public:
    Job(const cuzk_vec& scalars, std::span<const cuzk_query> queries) : scalars_(scalars), asked_(queries) {
      require(scalars.form == CUZK_MONTGOMERY || scalars.form == CUZK_CANONICAL, "an unknown form");
      require_memory(scalars.mem, scalars.count * sizeof(cuzk_fr));
      for (const cuzk_query& query : queries) {
        Query& own = queries_.emplace_back();
        own.point_bytes = affine_bytes(query);
        require(query.curve == scalars.curve, "scalars of another curve");
        require(query.first <= scalars.count && query.span <= scalars.count - query.first, "beyond the scalars");
        own.positions = selected(query);
        require(own.positions.size() == query.count, "not as many bases as selected scalars");
        own.resident = static_cast<const Bases*>(query.bases);
        if (own.resident == nullptr) continue;
        const Bases& bases = *own.resident;
        require(bases.curve == query.curve && bases.group == query.group && bases.count == query.count &&
                    bases.loaded == bases.count,
                "other bases than the query's, or not all of them");
      }
    }
    void feed(const cuzk_call& call, uint32_t query, cuzk_mem chunk, uint64_t first, uint64_t count, cuzk_fence,
              cuzk_fence) {
      sdk::host().throw_if_cancelled(call);
      Query& own = queries_.at(query);
      require(own.resident == nullptr, "bases that are loaded");
      const uint64_t fed = own.fed.size() / own.point_bytes;
      require(first == fed && count <= asked_[query].count - fed, "other points than those that come next");
      require_memory(chunk, count * own.point_bytes);
      const auto* const points = static_cast<const std::byte*>(chunk.data);
      own.fed.insert(own.fed.end(), points, points + count * own.point_bytes);
    }
    void end(const cuzk_call& call, cuzk_fence) {
      for (size_t q = 0; q < queries_.size(); ++q) {
        sdk::host().throw_if_cancelled(call);
        Query& own = queries_[q];
        require(own.resident != nullptr || own.fed.size() == asked_[q].count * own.point_bytes, "points are missing");
        own.sum.resize(own.point_bytes);
        on_group(asked_[q].curve, asked_[q].group, [&]<class G>(std::type_identity<G>) {
          const std::byte* const points = own.resident != nullptr ? own.resident->points : own.fed.data();
          sum_up<G>(scalars_, own.positions, points, own.sum.data());
        });
      }
      ended_ = true;
    }
    void finish(std::span<void* const> out) {
      require(ended_, "finish before end");
      for (size_t q = 0; q < queries_.size(); ++q) std::memcpy(out[q], queries_[q].sum.data(), queries_[q].sum.size());
    }

   private:
    struct Query {
      uint64_t point_bytes = 0;
      std::vector<uint64_t> positions = {};
      const Bases* resident = nullptr;  ///< null: streamed
      std::vector<std::byte> fed = {}, sum = {};
    };
    cuzk_vec scalars_;
    std::span<const cuzk_query> asked_;
    std::vector<Query> queries_;
    bool ended_ = false;
  };

  explicit Msm(cuzk_space) {}
  static cuzk_plan plan_bases(const cuzk_device_info&, const cuzk_query& query, uint64_t limit) {
    const uint64_t bytes = query.count * affine_bytes(query);
    cuzk_plan plan{};
    if (bytes <= limit) plan.resident = bytes;
    return plan;
  }
  static cuzk_plan plan_job(const cuzk_device_info&, std::span<const cuzk_query>, uint64_t limit) {
    cuzk_plan plan{};
    plan.minimum = kLeastWorkspace;
    plan.workspace = std::clamp(limit, kLeastWorkspace, kMostWorkspace);
    return plan;
  }
  void load(const cuzk_call& call, const cuzk_query& query, cuzk_mem resident, cuzk_mem chunk, uint64_t first,
            uint64_t count, cuzk_fence, cuzk_fence, std::unique_ptr<Bases>& bases) {
    sdk::host().throw_if_cancelled(call);
    const uint64_t size = affine_bytes(query);
    require_memory(resident, query.count * size);
    const uint64_t loaded = bases == nullptr ? 0 : bases->loaded;
    require(first == loaded && count <= query.count - loaded, "other points than those that come next");
    require_memory(chunk, count * size);
    if (bases == nullptr) {
      bases = std::make_unique<Bases>(
          Bases{query.curve, query.group, query.count, 0, static_cast<std::byte*>(resident.data)});
    }
    if (count != 0) std::memcpy(bases->points + first * size, chunk.data, count * size);
    bases->loaded += count;
  }
  std::unique_ptr<Job> start(const cuzk_call& call, cuzk_vec scalars, std::span<const cuzk_query> queries,
                             const cuzk_plan& plan) {
    sdk::host().throw_if_cancelled(call);
    require_memory(call.workspace, plan.workspace);
    return std::make_unique<Job>(scalars, queries);
  }
};

constexpr cuzk_component kMsm = sdk::msm_component<Msm>({.name = "plain",
                                                         .summary = "double-and-add; bases stay",
                                                         .space_kinds = sdk::bits(CUZK_SPACE_HOST),
                                                         .curves = sdk::kBothCurves,
                                                         .groups = sdk::kBothGroups});
constexpr const cuzk_component* kComponents[] = {&kMsm};
constexpr sdk::Plugin kPlugin{.name = "resident",
                              .version = "1.0.0",
                              .license = "MIT",
                              .author = "tests",
                              .built_for = "cpu",
                              .components = kComponents,
                              .device = nullptr,
                              .cuda_major = 0,
                              .shutdown = nullptr};

}  // namespace

CUZK_PLUGIN(kPlugin);
