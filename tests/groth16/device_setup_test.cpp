/// Keys whose points a device made.

#include "chain.hpp"
#include "fakes.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/groth16/device_multiples.hpp>
#include <cuzk/groth16/prover.hpp>
#include <cuzk/groth16/setup.hpp>

namespace cuzk::testing {
namespace {

constexpr uint64_t kPlenty = uint64_t{1} << 30;

FakeOptions device_options(bool adopt) {
  FakeOptions options;
  options.device_kind = adopt ? CUZK_SPACE_MODEL : CUZK_SPACE_CUDA;
  options.adopt = adopt;
  options.multiples = true;
  return options;
}

template <class Point>
std::string bytes_of(const Point& point) {
  return {reinterpret_cast<const char*>(&point), sizeof point};
}

/// Everything that setup makes of points, as bytes.
std::vector<std::string> points_of(const ProvingKey& key) {
  std::vector<std::string> all;
  for (const KeyQuery& query : key.queries) {
    const auto id = static_cast<QueryId>(all.size());
    const size_t bytes = query.points->count() * point_bytes(key.shape.curve, group_of(id));
    all.emplace_back(reinterpret_cast<const char*>(query.points->direct()), bytes);
  }
  std::visit(
      [&](const auto& vk) {
        all.push_back(bytes_of(vk.alpha1) + bytes_of(vk.beta2) + bytes_of(vk.gamma2) + bytes_of(vk.delta2));
        for (const auto& point : vk.ic) all.push_back(bytes_of(point));
      },
      key.verifying_key);
  return all;
}

/// The least with which it works, found by trying.
uint64_t least_memory(HostServices& services, const Strategy& strategy, Curve curve) {
  uint64_t low = 0, high = kPlenty;  // low fails
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    try {
      const DeviceMultiples tried(services, strategy, curve, 1000, middle);
      high = middle;
    } catch (const Error&) {
      low = middle;
    }
  }
  return high;
}

TEST(DeviceSetup, MakesTheBytesOfTheCpu) {
  HostServices services(3);
  for (const bool adopt : {true, false}) {
    FakeEngine engine(device_options(adopt));
    ASSERT_TRUE(DeviceMultiples::offered(engine.strategy));
    for (const Curve curve : {Curve::bn254, Curve::bls12_381}) {
      const Conventions conventions = adopt ? Conventions::snarkjs : Conventions::bellman;
      const auto circuit = chain_circuit(curve, 100, 2);
      const auto expected = setup(circuit, conventions, 5, services.cpu());
      for (const uint64_t memory : {kPlenty, least_memory(services, engine.strategy, curve)}) {
        DeviceMultiples device(services, engine.strategy, curve, 256, memory);
        EXPECT_EQ(device.chunk(), memory == kPlenty ? 256U : DeviceMultiples::kLeastChunk);
        EXPECT_EQ(device.where(), engine.device->name() + " by fake/msm");
        const uint64_t before = engine.faults->calls();
        const auto key = setup(circuit, conventions, 5, services.cpu(), &device);
        EXPECT_GT(engine.faults->calls(), before);  // it was not the CPU
        EXPECT_EQ(points_of(*key), points_of(*expected));
      }
      EXPECT_EQ(engine.device->used(), 0U);
    }
    EXPECT_EQ(engine.device->overruns(), 0U);
    EXPECT_EQ(engine.device->fences(), 0U);
  }
}

TEST(DeviceSetup, SaysWhatLittleMemoryLacks) {
  HostServices services(1);
  FakeEngine engine(device_options(false));
  const uint64_t least = least_memory(services, engine.strategy, Curve::bn254);
  try {
    const DeviceMultiples device(services, engine.strategy, Curve::bn254, 1000, least - 256);
    FAIL() << "opened with less than it takes";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_EQ(std::string(error.what()), "cuda:0: 64 multiples at a time take 11.0 KiB, 10.8 KiB are left");
  }
  EXPECT_EQ(engine.device->used(), 0U);
}

TEST(DeviceSetup, IsNotOfferedWithoutMultiplesOrOnTheHost) {
  FakeOptions options = device_options(false);
  options.multiples = false;
  EXPECT_FALSE(DeviceMultiples::offered(FakeEngine(options).strategy));
  options.multiples = options.msm_on_host = true;
  EXPECT_FALSE(DeviceMultiples::offered(FakeEngine(options).strategy));
}

/// Whatever fails leaves no memory and no claim behind, and is no key.
TEST(DeviceSetup, AnyFailureIsTheCallersAndLeavesNothing) {
  HostServices services(1);
  FakeEngine engine(device_options(false));
  const auto circuit = chain_circuit(Curve::bn254, 20, 1);
  const auto make = [&] {
    DeviceMultiples device(services, engine.strategy, Curve::bn254, 64);
    return setup(circuit, Conventions::snarkjs, 5, services.cpu(), &device);
  };
  engine.faults->restart();
  make();
  const uint64_t calls = engine.faults->calls();
  ASSERT_GT(calls, 20U);
  for (uint64_t call = 1; call <= calls; ++call) {
    engine.faults->restart();
    engine.faults->fail_at(call);
    try {
      make();
      ADD_FAILURE() << "call " << call << " failed unnoticed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device_failed) << error.what();
    }
    engine.faults->fail_at(0);
    ASSERT_EQ(engine.device->used(), 0U) << call;
    ASSERT_EQ(engine.device->fences(), 0U) << call;
  }
  EXPECT_NO_THROW(make());
}

TEST(DeviceSetup, StopsWhenItIsCancelled) {
  HostServices services(1);
  FakeEngine engine(device_options(false));
  DeviceMultiples device(services, engine.strategy, Curve::bn254, 64);
  engine.faults->restart();
  engine.faults->run_at(10, [&] { services.cancel_all(); });
  try {
    setup(chain_circuit(Curve::bn254, 1000, 1), Conventions::snarkjs, 5, services.cpu(), &device);
    FAIL() << "made a key";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled) << error.what();
  }
  EXPECT_LT(engine.faults->calls(), 20U);
}

}  // namespace
}  // namespace cuzk::testing
