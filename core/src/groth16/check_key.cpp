#include "formats/bytes.hpp"
#include "formats/first_failure.hpp"
#include "formats/read_intact.hpp"
#include "groth16/random.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include <cuzk/arith/subgroup.hpp>
#include <cuzk/arith/xyzz.hpp>
#include <cuzk/error.hpp>
#include <cuzk/groth16/check_key.hpp>
#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk {
namespace {

using arith::Affine;
using arith::Xyzz;

constexpr uint64_t kRounds = 8, kBits = 8, kBuckets = uint64_t{1} << kBits;  // 8 x 8 coins a point
constexpr uint64_t kBlock =
    32;  // points read at once; their coins are the most that one call of getrandom(2) gives whole
constexpr uint64_t kAlone = 128;   // up to so many points, 64 sums cost more than each point's own test
constexpr uint64_t kGrain = 8192;  // points that outweigh the additions that make sums from buckets

[[noreturn]] void fail(const ProvingKey& key, const std::string& what) {
  throw Error(ErrorCode::bad_input, key.name + ": " + what + " is not in the subgroup of prime order");
}

/// Runs visit(index, point) for the points [begin, end) while it returns true; the index where it did not, or end.
template <class G, class Visit>
uint64_t visit_points(const PointSource& source, uint64_t begin, uint64_t end, const Visit& visit) {
  std::array<std::byte, kBlock * sizeof(Affine<G>)> decoded;
  const std::byte* direct = source.direct();
  for (uint64_t first = begin; first < end; first += kBlock) {
    const uint64_t count = std::min(kBlock, end - first);
    if (direct == nullptr) source.read(first, count, decoded.data());
    const std::byte* points = direct == nullptr ? decoded.data() : direct + first * sizeof(Affine<G>);
    for (uint64_t i = 0; i < count; ++i) {
      if (!visit(first + i, formats::load<Affine<G>>(points + i * sizeof(Affine<G>)))) return first + i;
    }
  }
  return end;
}

/// The 64 sums over random subsets of a source's points.
template <class G>
class SubsetSums {
 public:
  SubsetSums() { sums_.fill(Xyzz<G>::infinity()); }

  /// Adds the points [begin, end). Any thread. Error cancelled between blocks, as the pool says.
  void add(const CpuPool& pool, const PointSource& source, uint64_t begin, uint64_t end) {
    std::vector<Xyzz<G>> buckets(kRounds * kBuckets, Xyzz<G>::infinity());
    const groth16::RandomSource random = groth16::system_random();
    std::array<uint64_t, kBlock> coins;
    visit_points<G>(source, begin, end, [&](uint64_t index, const Affine<G>& point) {
      const uint64_t place = (index - begin) % kBlock;
      if (place == 0) {
        pool.stop_if_cancelled();
        groth16::fill(random, std::as_writable_bytes(std::span(coins)));
      }
      for (uint64_t round = 0; round < kRounds; ++round) {
        const uint64_t bucket = (coins[place] >> (kBits * round)) % kBuckets;
        if (bucket != 0) buckets[kBuckets * round + bucket] += point;
      }
      return true;
    });
    for (uint64_t round = 0; round < kRounds; ++round) collect(round, &buckets[kBuckets * round]);
  }

  bool in_subgroup(CpuPool& pool) const {
    return !formats::first_failure(pool, sums_.size(), 1, [&](uint64_t begin, uint64_t end) {
      while (begin < end && arith::in_subgroup(sums_[begin].to_affine())) ++begin;
      return begin;
    });
  }

 private:
  /// Sum b of a round takes the buckets whose number has bit b. From the highest bit on: the upper half's sum, then the
  /// upper half is added to the lower.
  void collect(uint64_t round, Xyzz<G>* buckets) {
    for (uint64_t bit = kBits; bit-- > 0;) {
      const uint64_t half = uint64_t{1} << bit;
      Xyzz<G> sum = buckets[half];
      for (uint64_t i = 1; i < half; ++i) {
        sum += buckets[half + i];
        buckets[i] += buckets[half + i];
      }
      const std::lock_guard lock(mutex_);
      sums_[kBits * round + bit] += sum;
    }
  }

  std::mutex mutex_;
  std::array<Xyzz<G>, kRounds * kBits> sums_;
};

/// place: the section, for the message.
template <class G>
void check(const ProvingKey& key, CpuPool& pool, const PointSource& source, const std::string& place) {
  const uint64_t count = source.count();
  if (count > kAlone) {
    SubsetSums<G> sums;
    pool.ranges(count, kGrain, [&](uint64_t begin, uint64_t end) { sums.add(pool, source, begin, end); });
    if (sums.in_subgroup(pool)) return;
  }
  const auto bad = formats::first_failure(pool, count, kBlock, [&](uint64_t begin, uint64_t end) {
    return visit_points<G>(source, begin, end, [](uint64_t, const auto& point) { return arith::in_subgroup(point); });
  });
  if (bad) fail(key, place + ": point " + std::to_string(*bad));
}

/// Points in memory.
template <class G>
class PointsInMemory final : public PointSource {
 public:
  explicit PointsInMemory(const std::vector<Affine<G>>& points) : points_(points) {}
  uint64_t count() const override { return points_.size(); }
  const std::byte* direct() const override { return reinterpret_cast<const std::byte*>(points_.data()); }
  void read(uint64_t first, uint64_t count, std::byte* dst) const override {
    std::copy_n(direct() + first * sizeof(Affine<G>), count * sizeof(Affine<G>), dst);
  }

 private:
  const std::vector<Affine<G>>& points_;
};

template <class C>
void check_all(const ProvingKey& key, CpuPool& pool) {
  using G1 = typename C::G1;
  using G2 = typename C::G2;
  constexpr bool kG1IsAll = std::is_same_v<C, arith::Bn254>;  // every point of the curve is in the group
  const auto& vk = std::get<VerifyingKeyOf<C>>(key.verifying_key);
  const auto& blinding = std::get<BlindingPointsOf<C>>(key.blinding);
  const auto check_one = [&](const auto& point, const char* name) {
    if (!arith::in_subgroup(point)) fail(key, name);
  };
  check_one(vk.alpha1, "alpha1");
  check_one(blinding.beta1, "beta1");
  check_one(blinding.delta1, "delta1");
  check_one(vk.beta2, "beta2");
  check_one(vk.gamma2, "gamma2");
  check_one(vk.delta2, "delta2");
  if (!kG1IsAll) check<G1>(key, pool, PointsInMemory<G1>(vk.ic), "IC");
  for (size_t i = 0; i < kQueries; ++i) {
    const auto id = static_cast<QueryId>(i);
    const KeyQuery& query = key.queries[i];
    const std::string place = query.section.empty() ? "query " + std::string(name(id)) : query.section;
    if (group_of(id) == Group::g2) {
      check<G2>(key, pool, *query.points, place);
    } else if (!kG1IsAll) {
      check<G1>(key, pool, *query.points, place);
    }
  }
}

}  // namespace

void check_subgroups(const ProvingKey& key, CpuPool& pool) {
  formats::read_intact(
      key, [&] { with_curve(key.shape.curve, [&](auto c) { check_all<typename decltype(c)::type>(key, pool); }); });
}

}  // namespace cuzk
