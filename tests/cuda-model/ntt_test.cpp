/// The NTT's tables, passes, tiles and permutation, done by one lane, against the plain definition and the CPU's NTT.

#include "cpu-reference/ntt/transform.hpp"
#include "cuda-common/ntt/permute.cuh"
#include "cuda-common/ntt/plan.hpp"
#include "cuda-common/ntt/tables.hpp"
#include "cuda-common/ntt/tile.cuh"
#include "samples.hpp"

#include <barrier>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <thread>

namespace cuzk::cuda::ntt {
namespace {

/// omega of order 2^log2_size, from the field's generator.
template <class Host>
Host root_of_unity(uint32_t log2_size) {
  auto exponent = Host::Constants::kMinusOne;
  for (uint32_t i = 0; i < log2_size; ++i) exponent = arith::limbs::shift_right(exponent, 1);
  return Host::from_u64(5).pow(exponent);
}

/// The operations of the component, as it launches them, on vectors of the host.
template <class P, bool kFull>
class Model {
 public:
  using Host = typename P::Host;
  using F = Fe<P>;
  using Vector = std::vector<Host>;

  Model(const TableLayout& layout, const Host& omega, const Host& shift, uint32_t lanes = 1)
      : layout_(layout), lanes_(lanes), schedule_(layout.log2_size), tables_(layout.elements()) {
    std::set<uint64_t> begun;
    fill_tables(
        layout, omega, shift,
        [&](uint64_t offset, const Host& first) {
          EXPECT_TRUE(begun.insert(offset).second) << "two tables at one place";
          tables_[offset] = same_bytes<F>(first);
        },
        [&](uint64_t offset, uint32_t half, const Host& step) {
          for (uint32_t i = 0; i < half; ++i) {
            tables_[offset + half + i] = tables_[offset + i] * same_bytes<F>(step);
          }
        });
  }

  Vector forward(const Vector& v) {
    return on(v, [&](Unit* u) { permute(u), up(u, {}); });
  }
  Vector inverse(const Vector& v) {
    return on(v, [&](Unit* u) { down(u, {nullptr, at(layout_.scaled_powers()), 0, 0}), permute(u); });
  }
  Vector coset_forward(const Vector& v) {
    return on(v, [&](Unit* u) { permute(u), up(u, powers(layout_.coarse_powers(), 0)); });
  }
  Vector coset_inverse(const Vector& v) {
    return on(v, [&](Unit* u) { down(u, powers(layout_.unshift_powers(), size() - 1)), permute(u); });
  }
  Vector to_coset(const Vector& v) {
    return on(v, [&](Unit* u) {
      for (uint32_t i = 0; i + 1 < schedule_.count; ++i) run<true, false>(u, schedule_.passes[i], {});
      run<true, true>(u, schedule_.last(), powers(layout_.scaled_powers(), 0));
      for (uint32_t i = schedule_.count - 1; i-- > 0;) run<false, true>(u, schedule_.passes[i], {});
    });
  }

 private:
  uint32_t size() const { return 1U << layout_.log2_size; }
  const F* at(uint64_t offset) const { return tables_.data() + offset; }
  Scale<F> powers(uint64_t coarse, uint32_t flip) const {
    return {at(layout_.fine_powers()), at(coarse), layout_.log2_fine_powers(), flip};
  }
  template <class Work>
  Vector on(const Vector& v, Work&& work) {
    std::vector<Unit> units(2 * v.size());
    std::memcpy(units.data(), v.data(), v.size() * sizeof(Host));
    work(units.data());
    Vector r(v.size());
    std::memcpy(static_cast<void*>(r.data()), units.data(), v.size() * sizeof(Host));
    return r;
  }
  void down(Unit* v, const Scale<F>& scale) {
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      run<true, false>(v, schedule_.passes[i], i + 1 == schedule_.count ? scale : Scale<F>{});
    }
  }
  void up(Unit* v, const Scale<F>& scale) {
    for (uint32_t i = schedule_.count; i-- > 0;) {
      run<false, true>(v, schedule_.passes[i], i + 1 == schedule_.count ? scale : Scale<F>{});
    }
  }
  template <bool kDown, bool kUp>
  void run(Unit* v, const Pass& pass, const Scale<F>& scale) {
    const Roots<F, kFull> roots{at(layout_.fine_roots()), at(layout_.coarse_roots()), layout_.log2_fine_roots};
    std::vector<Unit> shared(Tile<F>::bytes(pass.log2_tile()) / sizeof(Unit));
    for (uint32_t tile = 0; tile < pass.tiles(); ++tile) {
      block([&](Lane lane) { run_tile<kDown, kUp>(lane, shared.data(), v, pass, tile, roots, scale); });
    }
  }
  void permute(Unit* v) const {
    const uint32_t log2_size = layout_.log2_size;
    if (log2_size < 2 * kSideBits) return block([&](Lane lane) { permute_short(lane, v, log2_size); });
    std::vector<Unit> shared(kPermuteBytes / sizeof(Unit));
    for (uint32_t middle = 0; middle < 1U << (log2_size - 2 * kSideBits); ++middle) {
      block([&](Lane lane) { permute_squares(lane, shared.data(), v, log2_size, middle); });
    }
  }

  /// work(lane) for every lane of a thread block, all at once.
  template <class Work>
  void block(Work&& work) const {
    if (lanes_ == 1) return work(Lane{0, 1});
    std::barrier meeting(static_cast<std::ptrdiff_t>(lanes_));
    std::vector<std::jthread> threads;
    for (uint32_t id = 0; id < lanes_; ++id) {
      threads.emplace_back([&, id] { work(Lane{id, lanes_, &meeting}); });
    }
  }

  TableLayout layout_;
  uint32_t lanes_;
  Schedule schedule_;
  std::vector<F> tables_;
};

/// What the CPU's NTT answers.
template <class Host>
class Reference {
 public:
  using Vector = std::vector<Host>;

  Reference(uint32_t log2_size, const Host& omega, const Host& shift) {
    cpu::Arena counted;
    cpu::NttTables<Host>::lay_out(counted, log2_size);
    memory_ = std::make_unique<Block[]>(counted.used() / sizeof(Block));
    cpu::Arena arena(memory_.get());
    tables_ = cpu::NttTables<Host>::lay_out(arena, log2_size);
    tables_.fill(serial(), omega, shift, Host::one());
    buffer_.resize(cpu::Transformer<Host>::buffer_size(log2_size));
  }
  template <class Operation>
  Vector operator()(Vector v, Operation operation) {
    Host* const lane = buffer_.data();
    const cpu::Transformer<Host> transformer(serial(), {&lane, 1}, tables_);
    (transformer.*operation)(v.data());
    return v;
  }

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };
  static cpu::Parallel serial() {
    return {[](void*, uint64_t n, void (*fn)(void*, uint64_t), void* arg) {
              for (uint64_t i = 0; i < n; ++i) fn(arg, i);
            },
            nullptr};
  }
  std::unique_ptr<Block[]> memory_;
  cpu::NttTables<Host> tables_;
  Vector buffer_;
};

template <class P>
class DeviceNtt : public testing::Test {};
using ScalarFields = testing::Types<Bn254Fr, Bls12381Fr>;
TYPED_TEST_SUITE(DeviceNtt, ScalarFields);

template <class P, bool kFull>
void expect_transforms(const TableLayout& layout, uint32_t lanes = 1) {
  using Host = typename P::Host;
  SCOPED_TRACE("2^" + std::to_string(layout.log2_size) + ", fine roots 2^" + std::to_string(layout.log2_fine_roots));
  Samples<Host> samples(layout.log2_size);
  const Host omega = root_of_unity<Host>(layout.log2_size), shift = samples.random();
  Model<P, kFull> model(layout, omega, shift, lanes);
  Reference<Host> reference(layout.log2_size, omega, shift);
  std::vector<Host> v;
  for (uint32_t i = 0; i < 1U << layout.log2_size; ++i) v.push_back(samples.random());
  using Cpu = cpu::Transformer<Host>;
  EXPECT_TRUE(model.forward(v) == reference(v, &Cpu::forward));
  EXPECT_TRUE(model.inverse(v) == reference(v, &Cpu::inverse));
  EXPECT_TRUE(model.coset_forward(v) == reference(v, &Cpu::coset_forward));
  EXPECT_TRUE(model.coset_inverse(v) == reference(v, &Cpu::coset_inverse));
  EXPECT_TRUE(model.to_coset(v) == reference(v, &Cpu::to_coset));
}

TYPED_TEST(DeviceNtt, AgreesWithTheCpuInOneTable) {
  for (uint32_t log2_size = 0; log2_size <= 14; ++log2_size) {
    expect_transforms<TypeParam, true>(TableLayout::full(log2_size));
  }
}

TYPED_TEST(DeviceNtt, AgreesWithTheCpuInTwoTables) {
  for (uint32_t log2_size = 3; log2_size <= 14; ++log2_size) {
    expect_transforms<TypeParam, false>(TableLayout::least(log2_size));
  }
}

/// Lanes that share no memory between two meetings, as ThreadSanitizer sees too.
TYPED_TEST(DeviceNtt, LanesMayRunAtOnce) {
  for (const uint32_t log2_size : {1U, 3U, 7U, 8U, 11U, 12U}) {
    expect_transforms<TypeParam, true>(TableLayout::full(log2_size), 6);
  }
}

TYPED_TEST(DeviceNtt, AgreesWithTheDefinition) {
  using Host = typename TypeParam::Host;
  for (uint32_t log2_size = 0; log2_size <= 6; ++log2_size) {
    Samples<Host> samples(log2_size);
    const Host omega = root_of_unity<Host>(log2_size), shift = samples.random();
    Model<TypeParam, true> model(TableLayout::full(log2_size), omega, shift);
    std::vector<Host> v, values, coset;
    for (uint32_t i = 0; i < 1U << log2_size; ++i) v.push_back(samples.random());
    Host x = Host::one();
    const auto evaluate = [&](const Host& point) {
      Host sum = Host::zero();
      for (size_t i = v.size(); i-- > 0;) sum = sum * point + v[i];
      return sum;
    };
    for (size_t i = 0; i < v.size(); ++i, x *= omega) {
      values.push_back(evaluate(x));
      coset.push_back(evaluate(shift * x));
    }
    EXPECT_TRUE(model.forward(v) == values);
    EXPECT_TRUE(model.coset_forward(v) == coset);
    EXPECT_TRUE(model.inverse(values) == v);
    EXPECT_TRUE(model.coset_inverse(coset) == v);
    EXPECT_TRUE(model.to_coset(values) == coset);
  }
}

/// Every tile of every size's passes: places are met once, levels are met in order, and memory is touched in runs.
TEST(NttPasses, CoverEveryPlaceOnce) {
  for (uint32_t log2_size = 0; log2_size <= kMaxLog2Size; ++log2_size) {
    const Schedule schedule(log2_size);
    uint32_t level = 0;
    for (uint32_t i = 0; i < schedule.count; ++i) {
      const Pass& pass = schedule.passes[i];
      EXPECT_EQ(pass.level, level);
      EXPECT_LE(pass.log2_tile(), kLog2Tile);
      EXPECT_LE(pass.columns, pass.log2_stride());
      if (i + 1 < schedule.count) {
        EXPECT_GE(pass.columns, kLog2MinColumns);
      }
      level += pass.levels;
      if (log2_size > 16) continue;
      std::vector<bool> met(size_t{1} << log2_size);
      for (uint32_t tile = 0; tile < pass.tiles(); ++tile) {
        for (uint32_t place = 0; place < 1U << pass.log2_tile(); ++place) {
          const uint32_t at = pass.position(tile, place);
          ASSERT_LT(at, met.size());
          ASSERT_FALSE(met[at]);
          met[at] = true;
        }
      }
    }
    EXPECT_EQ(level, log2_size);
  }
}

/// Whatever the step between the places of eight neighbouring lanes, they meet eight different bank groups.
TEST(NttPasses, LanesMeetDifferentBanks) {
  const auto groups = [](auto&& place_of) {
    for (uint32_t start = 0; start < 256; start += 8) {
      std::set<uint32_t> banks;
      for (uint32_t lane = 0; lane < 8; ++lane) banks.insert(place_of(start + lane) % 8);
      EXPECT_EQ(banks.size(), 8U);
    }
  };
  const Pass lower{20, 10, 10, 0};
  for (uint32_t l = 0; l < 9; ++l) {
    SCOPED_TRACE(l);
    groups([&](uint32_t g) { return swizzle(lower.quad(l, g).first); });
    groups([&](uint32_t g) { return swizzle(lower.quad(l, g).first + 2 * lower.quad(l, g).step); });
    groups([&](uint32_t g) { return swizzle(lower.pair(l, g).first); });
  }
  groups([&](uint32_t unit) { return unit % 2 * ((1U << kLog2Tile) + 4) + swizzle(unit / 2); });
  std::set<uint32_t> all;
  for (uint32_t i = 0; i < 1024; ++i) all.insert(swizzle(i));
  EXPECT_EQ(all.size(), 1024U);
  EXPECT_EQ(*all.rbegin(), 1023U);
}

}  // namespace
}  // namespace cuzk::cuda::ntt
