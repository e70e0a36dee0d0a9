#pragma once
/// MSMs whose answers are known because the discrete logarithms of the bases are.

#include "engine.hpp"
#include "groups.hpp"
#include "random.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include <cuzk/arith/batch_affine.hpp>
#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/msm.hpp>

namespace cuzk::conformance {

/// Points with their logarithms to the base of the generator.
template <class G>
struct Bases {
  using Fr = typename G::Scalar;

  std::vector<arith::Affine<G>> points;
  std::vector<Fr> logs;

  size_t size() const { return points.size(); }
  void set(size_t i, const arith::Affine<G>& point, const Fr& log) {
    points[i] = point;
    logs[i] = log;
  }
  void set_infinity(size_t i) { set(i, arith::Affine<G>::infinity(), Fr::zero()); }
  void copy(size_t to, size_t from) { set(to, points[from], logs[from]); }
  void negate(size_t i) { set(i, -points[i], -logs[i]); }

  static Bases all_generator(size_t count) {
    return {std::vector(count, G::generator()), std::vector(count, Fr::one())};
  }
  /// start, start + 1, ... times the generator, all distinct.
  static Bases distinct(size_t count, uint64_t start) {
    Bases bases;
    std::vector<arith::Xyzz<G>> points(count);
    Fr log = Fr::from_u64(start);
    auto point = arith::scalar_mul<G>(G::generator(), log);
    for (size_t i = 0; i < count; ++i) {
      points[i] = point;
      bases.logs.push_back(log);
      point += G::generator();
      log += Fr::one();
    }
    bases.points.resize(count);
    arith::batch_to_affine<G>(points, bases.points);
    return bases;
  }
};

/// One query: its bases meet the selected scalars of a range.
template <class G>
struct QueryCase {
  Bases<G> bases;
  uint64_t first = 0, span = 0;
  std::optional<std::vector<bool>> mask;

  arith::Affine<G> expected(const std::vector<typename G::Scalar>& scalars) const {
    auto sum = G::Scalar::zero();
    size_t base = 0;
    for (uint64_t i = 0; i < span; ++i) {
      if (!mask || (*mask)[i]) sum += bases.logs[base++] * scalars[first + i];
    }
    return arith::scalar_mul<G>(G::generator(), sum).to_affine();
  }
};

/// How a job is run; none of it may change the result.
struct Manner {
  uint32_t form = CUZK_MONTGOMERY;
  std::vector<uint64_t> chunks = {};   ///< sizes of the chunks, in turn; empty: everything at once
  uint64_t misalign = 0;               ///< of scalars, masks and chunks, as in mapped files
  std::optional<uint64_t> limit = {};  ///< for plan_job
  uint64_t resident = 0;               ///< bit q: query q's bases are loaded where the component wants that
  std::optional<uint64_t> room = {};   ///< for each query's, in bytes a byte of its points; else as much as it wants
  bool shared_masks = false;           ///< queries of equal masks get one buffer, as b1 and b2 do
};

/// Bases that were loaded, and their memory.
struct ResidentBases {
  std::unique_ptr<Buffer> memory;
  std::unique_ptr<Msm::Bases> bases;  ///< null: streamed
};

/// One MSM component, open, in its place.
class MsmRunner {
 public:
  MsmRunner(Engine& engine, const std::string& name)
      : component_(engine.component<MsmComponent>(Role::msm, name)),
        place_(engine.place_for(*component_)),
        msm_(component_->open(place_->space())) {}

  const MsmComponent& component() const { return *component_; }
  Place& place() { return *place_; }
  Msm& msm() { return *msm_; }

  template <class Fr>
  std::unique_ptr<Buffer> scalar_buffer(const std::vector<Fr>& scalars, const Manner& manner) {
    std::vector<typename Fr::Limbs> limbs;
    for (const Fr& s : scalars) limbs.push_back(manner.form == CUZK_MONTGOMERY ? s.limb : s.to_canonical());
    return std::make_unique<Buffer>(*place_, limbs.data(), limbs.size() * sizeof(limbs[0]), manner.misalign);
  }
  template <class G>
  static cuzk_query query(const QueryCase<G>& one) {
    cuzk_query q{};
    q.count = one.bases.size();
    q.first = one.first;
    q.span = one.span;
    q.curve = G::Curve::kId;
    q.group = kGroupId<G>;
    return q;
  }
  std::unique_ptr<Buffer> mask_buffer(const std::vector<bool>& mask, const Manner& manner) {
    std::vector<uint64_t> words((mask.size() + 63) / 64);
    for (size_t i = 0; i < mask.size(); ++i) words[i / 64] |= uint64_t{mask[i]} << (i % 64);
    if (mask.size() % 64 != 0)
      words.back() |= ~uint64_t{0} << (mask.size() % 64);  // bits beyond the range mean nothing
    return std::make_unique<Buffer>(*place_, words.data(), words.size() * 8, manner.misalign);
  }

  /// The query's bases, loaded chunk after chunk through the same buffer where its plan says so; the query then names
  /// them.
  template <class G>
  ResidentBases load(cuzk_query& q, const Bases<G>& bases, const Manner& manner) {
    if (q.plan.resident == 0) return {};
    EXPECT_GT(bases.size(), 0U) << "no bases, and memory for them";
    ResidentBases out{std::make_unique<Buffer>(*place_, q.plan.resident), nullptr};
    const uint64_t count = bases.size();
    const uint64_t most = manner.chunks.empty() ? count : *std::max_element(manner.chunks.begin(), manner.chunks.end());
    Buffer workspace(*place_, q.plan.workspace), chunk(*place_, most * sizeof(arith::Affine<G>), manner.misalign);
    const Lease lease = place_->lease(workspace.mem());
    for (uint64_t first = 0, i = 0; first < count; ++i) {
      const uint64_t now =
          std::min(manner.chunks.empty() ? count : manner.chunks[i % manner.chunks.size()], count - first);
      const cuzk_mem part{chunk.mem().data, now * sizeof(arith::Affine<G>), chunk.mem().space};
      chunk.write(bases.points.data() + first, part.bytes);
      const cuzk_fence free = place_->fence();
      msm_->load(lease, q, out.memory->mem(), part, first, now, {}, free, out.bases);
      place_->wait(free);
      first += now;
    }
    q.bases = out.bases->handle();
    return out;
  }

  /// Runs the queries as one job and compares each sum. @return the sums' bytes
  template <class... G>
  std::vector<std::byte> check(const std::vector<typename std::tuple_element_t<0, std::tuple<G...>>::Scalar>& scalars,
                               const Manner& manner, const QueryCase<G>&... cases) {
    const auto scalar_memory = scalar_buffer(scalars, manner);
    const cuzk_vec vec{
        scalar_memory->mem(), scalars.size(), std::get<0>(std::tuple(G::Curve::kId...)), manner.form, {}};
    std::vector<cuzk_query> queries{query(cases)...};
    std::vector<std::unique_ptr<Buffer>> masks;
    std::vector<std::vector<bool>> known;  // of each buffer
    size_t at = 0;
    const auto add_mask = [&](const auto& one) {
      if (one.mask) {
        const auto same = std::find(known.begin(), known.end(), *one.mask);
        if (!manner.shared_masks || same == known.end()) {
          masks.push_back(mask_buffer(*one.mask, manner));
          known.push_back(*one.mask);
          queries[at].select = masks.back()->mem();
        } else {
          queries[at].select = masks[static_cast<size_t>(same - known.begin())]->mem();
        }
      }
      ++at;
    };
    (add_mask(cases), ...);

    const cuzk_device_info info = place_->info();
    std::vector<ResidentBases> resident;
    const auto place_bases = [&](const auto& one) {
      const size_t q = resident.size();
      const bool wanted = ((manner.resident >> q) & 1) != 0;
      const uint64_t points = one.bases.size() * sizeof(one.bases.points[0]);
      const uint64_t room = manner.room ? *manner.room * points : UINT64_MAX;
      queries[q].plan = component_->plan_bases(info, queries[q], wanted ? room : 0);
      EXPECT_LE(queries[q].plan.resident, wanted ? room : 0);
      resident.push_back(load(queries[q], one.bases, manner));
    };
    (place_bases(cases), ...);
    const cuzk_plan plan = component_->plan_job(info, queries, manner.limit.value_or(UINT64_MAX));
    Buffer workspace(*place_, plan.workspace);
    const Lease lease = place_->lease(workspace.mem());
    std::vector<std::byte> bytes;
    {
      const auto job = msm_->start(lease, vec, queries, plan);
      uint32_t index = 0;
      const auto feed_streamed = [&](const auto& one) {
        if (resident[index].bases == nullptr) feed(*job, lease, index, one, manner);
        ++index;
      };
      (feed_streamed(cases), ...);
      const cuzk_fence done = place_->fence();
      job->end(lease, done);
      place_->wait(done);
      std::tuple<arith::Affine<G>...> sums;
      std::vector<void*> out;
      std::apply([&](auto&... sum) { (out.push_back(&sum), ...); }, sums);
      job->finish(out);
      const auto compare = [&](const auto& sum, const auto& one) {
        EXPECT_TRUE(sum == one.expected(scalars)) << "wrong sum over " << one.bases.size() << " bases";
        const auto* first = reinterpret_cast<const std::byte*>(&sum);
        bytes.insert(bytes.end(), first, first + sizeof sum);
      };
      std::apply([&](const auto&... sum) { (compare(sum, cases), ...); }, sums);
    }
    return bytes;
  }

 private:
  template <class G>
  void feed(Msm::Job& job, const Lease& lease, uint32_t index, const QueryCase<G>& one, const Manner& manner) {
    const size_t count = one.bases.size();
    for (size_t first = 0, i = 0; first < count; ++i) {
      const size_t wanted = manner.chunks.empty() ? count : manner.chunks[i % manner.chunks.size()];
      const size_t now = std::min(wanted, count - first);
      Buffer chunk(*place_, one.bases.points.data() + first, now * sizeof(arith::Affine<G>), manner.misalign);
      const cuzk_fence free = place_->fence();
      job.feed(lease, index, chunk.mem(), first, now, {}, free);
      place_->wait(free);
      first += now;
    }
  }
  std::shared_ptr<const MsmComponent> component_;
  std::unique_ptr<Place> place_;
  std::unique_ptr<Msm> msm_;
};

/// All bases against all scalars.
template <class G>
QueryCase<G> whole(Bases<G> bases) {
  const uint64_t span = bases.size();
  return {std::move(bases), 0, span, {}};
}

inline std::vector<bool> random_mask(Random& random, size_t size, unsigned percent) {
  std::vector<bool> mask(size);
  for (size_t i = 0; i < size; ++i) mask[i] = random.chance(percent);
  return mask;
}

/// As many bases as the mask has ones.
template <class G>
QueryCase<G> masked(std::vector<bool> mask, uint64_t first) {
  const auto ones = static_cast<size_t>(std::count(mask.begin(), mask.end(), true));
  return {Bases<G>::distinct(ones, 3), first, mask.size(), std::move(mask)};
}

/// 0, 1, 2, 3 and 2^k - 1, 2^k, 2^k + 1 up to the largest.
inline std::vector<size_t> edge_sizes(unsigned max_log2) {
  std::vector<size_t> sizes{0, 1, 2, 3};
  for (unsigned k = 2; k <= max_log2; ++k) {
    for (const size_t n : {(size_t{1} << k) - 1, size_t{1} << k, (size_t{1} << k) + 1}) {
      if (n > sizes.back()) sizes.push_back(n);
    }
  }
  return sizes;
}

struct MsmParam {
  std::string component;
  Curve curve;
  Group group;
};
/// How GoogleTest shows the parameter of a failed test.
inline std::ostream& operator<<(std::ostream& out, const MsmParam& param) {
  return out << param.component << " " << name(param.curve) << " " << name(param.group);
}
/// Each curve and group of each component. applies: whether to take one; what does not apply is no test.
inline std::vector<MsmParam> msm_params(bool (*applies)(const Offer&, Group) = [](const Offer&, Group) {
  return true;
}) {
  std::vector<MsmParam> params;
  for (const Offer& offer : offers(Role::msm)) {
    for (const Curve curve : {Curve::bn254, Curve::bls12_381}) {
      for (const Group group : {Group::g1, Group::g2}) {
        if (((offer.curves >> static_cast<uint32_t>(curve)) & 1) == 0) continue;
        if (((offer.groups >> static_cast<uint32_t>(group)) & 1) == 0) continue;
        if (applies(offer, group)) params.push_back({offer.name, curve, group});
      }
    }
  }
  return params;
}
inline std::string test_name(const testing::TestParamInfo<MsmParam>& info) {
  std::string text =
      info.param.component + "_" + std::string(name(info.param.curve)) + "_" + std::string(name(info.param.group));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

/// run<G>(runner) with the parameter's group and component.
class MsmConformance : public testing::TestWithParam<MsmParam> {
 protected:
  template <class Body>
  void run(Body&& body) {
    Engine engine;
    MsmRunner runner(engine, GetParam().component);
    on_group(GetParam().curve, GetParam().group, [&]<class G>() { body.template operator()<G>(runner); });
  }
};

}  // namespace cuzk::conformance
