#include "fake_msm.hpp"

#include "fake_ntt.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/groth16/proof.hpp>

namespace cuzk::testing {
namespace {

template <class F>
void with_group(uint32_t curve, uint32_t group, F&& f) {
  with_curve(Curve{curve}, [&]<class C>(std::type_identity<C>) {
    if (group == CUZK_G1) {
      f(std::type_identity<typename C::G1>{});
    } else {
      f(std::type_identity<typename C::G2>{});
    }
  });
}

struct FakeBases final : Msm::Bases {
  void* handle() const override { return const_cast<FakeBases*>(this); }
  cuzk_mem resident{};
  uint64_t loaded = 0;
};

/// sum += scalar[i] * point[i]; starts from what bytes at `sum` (an affine point) hold.
void add_products(const cuzk_query& query, const cuzk_vec& scalars, uint64_t first, uint64_t count,
                  const std::byte* points, std::vector<std::byte>& sum) {
  std::vector<uint64_t> wanted;
  for (uint64_t i = 0; i < query.span; ++i) {
    const auto* words = static_cast<const uint64_t*>(query.select.data);
    if (words == nullptr || ((words[i / 64] >> (i % 64)) & 1U) != 0) wanted.push_back(query.first + i);
  }
  require(wanted.size() == query.count, "the mask does not select as many scalars as there are points");
  with_group(query.curve, query.group, [&]<class G>(std::type_identity<G>) {
    using Fr = typename G::Scalar;
    arith::Affine<G> point;
    std::memcpy(&point, sum.data(), sizeof point);
    auto total = arith::Xyzz<G>::from_affine(point);
    for (uint64_t i = 0; i < count; ++i) {
      typename Fr::Limbs limbs;
      std::memcpy(&limbs, static_cast<const std::byte*>(scalars.mem.data) + wanted[first + i] * kFrBytes, kFrBytes);
      if (scalars.form == CUZK_MONTGOMERY) limbs = Fr::from_raw(limbs).to_canonical();
      std::memcpy(&point, points + i * sizeof point, sizeof point);
      total += arith::scalar_mul(point, limbs);
    }
    point = total.to_affine();
    std::memcpy(sum.data(), &point, sizeof point);
  });
}

class FakeJob final : public Msm::Job {
 public:
  FakeJob(std::shared_ptr<Faults> faults, std::shared_ptr<OwnMemory> own, const ComponentInfo& info, cuzk_space space,
          cuzk_vec scalars, std::span<const cuzk_query> queries, const cuzk_plan& plan)
      : faults_(std::move(faults)),
        own_(std::move(own)),
        flags_(info.api_flags),
        space_(space),
        scalars_(scalars),
        queries_(queries),
        plan_(plan),
        sums_(queries.size(), std::vector<std::byte>(192)),
        fed_(queries.size()) {
    own_->take(plan_.unmanaged);
  }
  ~FakeJob() override { own_->give(plan_.unmanaged); }

  void feed(const Lease& lease, uint32_t q, cuzk_mem chunk, uint64_t first, uint64_t count, cuzk_fence,
            cuzk_fence) override {
    faults_->call("feed");
    check(lease);
    const cuzk_query& query = queries_[q];
    const size_t size = point_bytes(Curve{query.curve}, Group{query.group});
    require(query.bases == nullptr, "feed of a resident query");
    require(first == fed_[q] && count > 0 && first + count <= query.count, "feed out of order");
    require((flags_ & CUZK_MSM_FEED) != 0 || count == query.count, "a second feed for a component without buckets");
    require(chunk.space.kind == space_.kind && chunk.bytes == count * size, "chunk");
    add_products(query, scalars_, first, count, static_cast<const std::byte*>(chunk.data), sums_[q]);
    fed_[q] += count;
  }
  void end(const Lease& lease, cuzk_fence) override {
    faults_->call("end");
    check(lease);
    for (size_t q = 0; q < queries_.size(); ++q) {
      if (queries_[q].bases != nullptr) {
        const auto& bases = *static_cast<FakeBases*>(queries_[q].bases);
        require(bases.loaded == queries_[q].count, "bases are not loaded");
        add_products(queries_[q], scalars_, 0, queries_[q].count, static_cast<const std::byte*>(bases.resident.data),
                     sums_[q]);
      } else {
        require(fed_[q] == queries_[q].count, "end before all was fed");
      }
    }
    ended_ = true;
  }
  void finish(std::span<void* const> out) override {
    faults_->call("finish");
    require(ended_, "finish before end");
    for (size_t q = 0; q < queries_.size(); ++q) {
      std::memcpy(out[q], sums_[q].data(), point_bytes(Curve{queries_[q].curve}, Group{queries_[q].group}));
    }
  }

 private:
  void check(const Lease& lease) const {
    const cuzk_mem& work = lease.call().workspace;
    require(lease.space().kind == space_.kind, "msm with a lease of another space");
    require(work.bytes == plan_.workspace && work.data != nullptr, "msm workspace");
    std::memset(work.data, 0x3C, work.bytes);
  }

  std::shared_ptr<Faults> faults_;
  std::shared_ptr<OwnMemory> own_;
  uint32_t flags_;
  cuzk_space space_;
  cuzk_vec scalars_;
  std::span<const cuzk_query> queries_;
  cuzk_plan plan_;
  std::vector<std::vector<std::byte>> sums_;
  std::vector<uint64_t> fed_;
  bool ended_ = false;
};

class FakeMsm final : public Msm {
 public:
  FakeMsm(std::shared_ptr<Faults> faults, std::shared_ptr<OwnMemory> own, const ComponentInfo& info, cuzk_space space)
      : faults_(std::move(faults)), own_(std::move(own)), info_(info), space_(space) {}

  void load(const Lease& lease, const cuzk_query& query, cuzk_mem resident, cuzk_mem chunk, uint64_t first,
            uint64_t count, cuzk_fence, cuzk_fence, std::unique_ptr<Bases>& bases) override {
    faults_->call("load");
    require(lease.space().kind == space_.kind && chunk.space.kind == space_.kind, "load in another space");
    require(resident.bytes == query.plan.resident && resident.data != nullptr, "resident memory");
    if (bases == nullptr) {
      auto fresh = std::make_unique<FakeBases>();
      fresh->resident = resident;
      bases = std::move(fresh);
    }
    auto& mine = static_cast<FakeBases&>(*bases);
    const size_t size = point_bytes(Curve{query.curve}, Group{query.group});
    require(mine.loaded == first && chunk.bytes == count * size, "load out of order");
    std::memcpy(static_cast<std::byte*>(resident.data) + first * size, chunk.data, chunk.bytes);
    mine.loaded += count;
  }
  std::unique_ptr<Job> start(const Lease& lease, cuzk_vec scalars, std::span<const cuzk_query> queries,
                             const cuzk_plan& plan) override {
    faults_->call("start");
    require(lease.space().kind == space_.kind && scalars.mem.space.kind == space_.kind, "scalars in another space");
    require(queries.size() == 1 || (info_.api_flags & CUZK_MSM_MANY) != 0,
            "many queries for a component that takes one");
    for (const cuzk_query& query : queries) {
      require(query.first + query.span <= scalars.count, "a query beyond the scalars");
      require(query.select.data == nullptr || (info_.api_flags & CUZK_MSM_SELECT) != 0, "a mask it can't take");
      require(query.select.data == nullptr || query.select.space.kind == space_.kind, "a mask in another space");
    }
    return std::make_unique<FakeJob>(faults_, own_, info_, space_, scalars, queries, plan);
  }
  void multiples(const Lease& lease, uint32_t group, const void* point, cuzk_vec scalars, const cuzk_plan& plan,
                 cuzk_mem out, cuzk_fence) override {
    faults_->call("multiples");
    const cuzk_mem& work = lease.call().workspace;
    require(lease.phase() == Lease::Phase::compute && lease.space().kind == space_.kind, "multiples without a lease");
    require(work.bytes == plan.workspace && work.data != nullptr, "multiples' workspace");
    require(scalars.count <= plan.choice[0] && scalars.mem.bytes == scalars.count * kFrBytes, "multiples' scalars");
    require(scalars.mem.space.kind == space_.kind && out.space.kind == space_.kind, "multiples in another space");
    require(out.bytes == scalars.count * point_bytes(Curve{scalars.curve}, Group{group}), "memory for multiples");
    std::memset(work.data, 0x3C, work.bytes);
    with_group(scalars.curve, group, [&]<class G>(std::type_identity<G>) {
      using Fr = typename G::Scalar;
      arith::Affine<G> base;
      std::memcpy(&base, point, sizeof base);
      for (uint64_t i = 0; i < scalars.count; ++i) {
        typename Fr::Limbs limbs;
        std::memcpy(&limbs, static_cast<const std::byte*>(scalars.mem.data) + i * kFrBytes, kFrBytes);
        if (scalars.form == CUZK_MONTGOMERY) limbs = Fr::from_raw(limbs).to_canonical();
        const arith::Affine<G> made = arith::scalar_mul(base, limbs).to_affine();
        std::memcpy(static_cast<std::byte*>(out.data) + i * sizeof made, &made, sizeof made);
      }
    });
  }

 private:
  std::shared_ptr<Faults> faults_;
  std::shared_ptr<OwnMemory> own_;
  const ComponentInfo& info_;
  cuzk_space space_;
};

class FakeMsmComponent final : public MsmComponent {
 public:
  FakeMsmComponent(std::shared_ptr<Faults> faults, std::shared_ptr<OwnMemory> own, ComponentInfo info,
                   const FakeOptions& options)
      : faults_(std::move(faults)),
        own_(std::move(own)),
        info_(std::move(info)),
        multiples_(options.multiples),
        resident_(options.resident),
        unmanaged_(options.unmanaged) {}
  const ComponentInfo& info() const override { return info_; }
  cuzk_plan plan_bases(const cuzk_device_info&, const cuzk_query& query, uint64_t limit) const override {
    cuzk_plan plan{};
    const uint64_t plain = query.count * point_bytes(Curve{query.curve}, Group{query.group});
    if (resident_ && plain != 0) plan.resident = limit >= 2 * plain ? 2 * plain : limit >= plain ? plain : 0;
    return plan;
  }
  cuzk_plan plan_job(const cuzk_device_info& device, std::span<const cuzk_query> queries,
                     uint64_t limit) const override {
    uint64_t points = 0;
    for (const cuzk_query& query : queries) points = std::max(points, query.count);
    cuzk_plan plan{};
    plan.minimum = 512;
    plan.workspace = std::clamp<uint64_t>(points * 16, 512, std::clamp<uint64_t>(limit, 512, 4096));
    plan.unmanaged = std::min(unmanaged_ * queries.size(), limit > plan.workspace ? limit - plan.workspace : 0);
    plan.choice[0] = device.units;
    return plan;
  }
  bool offers_multiples() const override { return multiples_; }
  cuzk_plan plan_multiples(const cuzk_device_info&, uint32_t, uint32_t, uint64_t count, uint64_t) const override {
    require(multiples_, "multiples of a component that does not offer them");
    cuzk_plan plan{};
    plan.workspace = plan.minimum = std::max<uint64_t>(16 * count, 512);
    plan.choice[0] = count;
    return plan;
  }
  std::unique_ptr<Msm> open(cuzk_space space) const override {
    faults_->call("open msm");
    return std::make_unique<FakeMsm>(faults_, own_, info_, space);
  }

 private:
  std::shared_ptr<Faults> faults_;
  std::shared_ptr<OwnMemory> own_;
  ComponentInfo info_;
  bool multiples_, resident_;
  uint64_t unmanaged_;
};

}  // namespace

std::shared_ptr<const MsmComponent> make_fake_msm(std::shared_ptr<Faults> faults, std::shared_ptr<OwnMemory> own,
                                                  ComponentInfo info, const FakeOptions& options) {
  return std::make_shared<FakeMsmComponent>(std::move(faults), std::move(own), std::move(info), options);
}

}  // namespace cuzk::testing
