// Strategies out of what is loaded: defaults, overrides, devices, and every way in which a wish cannot be met.
#include "fixture.hpp"

#include <array>
#include <gmock/gmock.h>

#include <cuzk/loader/compose.hpp>
#include <cuzk/runtime/device_queue.hpp>

namespace cuzk::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Compose : public LoaderTest {
 protected:
  Compose() { registry->load(std::filesystem::path(CUZK_OUR_PLUGINS) / "cuzk-plugin-interlocks.so"); }

  void have(std::initializer_list<const char*> names) {
    for (const char* name : names) ASSERT_TRUE(load("compose", name).ok()) << name;
  }
  Composition composed(const StrategyRequest& request = {}) { return compose(*registry, request); }
  std::pair<ErrorCode, std::string> refusal(const StrategyRequest& request = {}) {
    return error_of([&] { compose(*registry, request); });
  }
  static std::string roles(const Strategy& s) {
    return s.staging->info().full_name() + " " + s.ntt->info().full_name() + " " + s.msm->info().full_name() + " " +
           s.lock->info().full_name();
  }
};

TEST_F(Compose, APluginsDefaultStrategy) {
  have({"toy", "gpu"});
  const auto [toy, reason] = composed({.plugin = "toy", .workers = 3});
  EXPECT_EQ(roles(toy), "toy/mover toy/radix toy/toy-msm interlocks/single-lock");
  ASSERT_EQ(toy.devices.size(), 1u);
  EXPECT_EQ(toy.devices[0]->name(), "toy:0");
  EXPECT_EQ(toy.workers, 3u);
  EXPECT_EQ(reason, "plugin toy as asked; lock interlocks/single-lock");
  EXPECT_EQ(roles(composed({.plugin = "gpu"}).strategy), "gpu/mover gpu/radix gpu/gpu-msm gpu/own-lock");
}

TEST_F(Compose, StreamedBasesWhereAsked) {
  have({"toy"});
  EXPECT_FALSE(composed({.plugin = "toy"}).strategy.stream_bases);
  const auto [streamed, reason] = composed({.plugin = "toy", .stream_bases = true});
  EXPECT_TRUE(streamed.stream_bases);
  EXPECT_EQ(reason, "plugin toy as asked; lock interlocks/single-lock; bases streamed as asked");
}

TEST_F(Compose, WithoutAWishTheBestUsableAndWhyNotOthers) {
  have({"toy", "gpu-absent"});
  Composition best = composed();
  EXPECT_EQ(best.strategy.devices[0]->name(), "toy:0");
  EXPECT_THAT(best.reason, AllOf(HasSubstr("plugin toy, the best usable one"),
                                 HasSubstr("not usable: gpu-absent: no driver (native code 35)")));
  load("bad", "unresolved");
  EXPECT_THAT(composed().reason, HasSubstr("cuzk-plugin-unresolved.so: cannot be opened: "));
  have({"gpu"});
  best = composed();
  EXPECT_EQ(best.strategy.devices[0]->name(), "cuda:0");
  EXPECT_EQ(best.strategy.devices[0]->plugin(), "gpu");
  EXPECT_EQ(composed({.log2_size = 10}).strategy.devices[0]->name(), "cuda:0");
}

/// Several plugins bring the devices cuda:N: the one that was asked for gives device and components; without a wish,
/// the one whose staging leaves the CPU alone.
TEST_F(Compose, TwoPluginsOfOneDevice) {
  have({"gpu", "gpu-pinned"});
  for (const StrategyRequest& request : {StrategyRequest{}, StrategyRequest{.devices = {"cuda:0"}}}) {
    const Composition best = composed(request);
    EXPECT_EQ(roles(best.strategy),
              "gpu-pinned/mover gpu-pinned/radix gpu-pinned/gpu-pinned-msm interlocks/single-lock");
    EXPECT_EQ(best.strategy.devices[0]->plugin(), "gpu-pinned");
    EXPECT_THAT(best.reason, HasSubstr("plugin gpu-pinned, the best usable one"));
  }
  for (const std::string name : {"gpu", "gpu-pinned"}) {
    const Strategy asked = composed({.plugin = name, .devices = {"cuda:0"}}).strategy;
    EXPECT_EQ(asked.devices[0]->plugin(), name);
    EXPECT_EQ(asked.staging->info().full_name(), name + "/mover");
  }
  const Strategy mixed = composed({.plugin = "gpu", .staging = "gpu-pinned/mover"}).strategy;
  EXPECT_EQ(mixed.devices[0]->plugin(), "gpu");
  EXPECT_EQ(mixed.staging->info().full_name(), "gpu-pinned/mover");
}

TEST_F(Compose, VendorsDevices) {
  have({"toy", "npu", "host-msm"});
  const Strategy best = composed().strategy;  // before what is host-addressable, behind cuda
  EXPECT_EQ(best.devices[0]->name(), "npu:0");
  EXPECT_EQ(best.devices[0]->space().kind, uint32_t{CUZK_SPACE_VENDOR_LAST});
  EXPECT_FALSE(best.devices[0]->host_addressable());
  EXPECT_TRUE(runs_on(*best.msm, *best.devices[0]));
  EXPECT_FALSE(runs_on(*composed({.plugin = "npu", .msm = "host-msm-msm"}).strategy.msm, *best.devices[0]));
  EXPECT_THAT(refusal({.plugin = "npu", .msm = "toy-msm"}).second,
              HasSubstr("device npu:0: toy/toy-msm runs neither in the device's memory nor in the host's"));
  have({"gpu"});
  EXPECT_EQ(composed().strategy.devices[0]->name(), "cuda:0");
}

TEST_F(Compose, ACountThatThrowsIsAReason) {
  have({"count-escapes"});
  constexpr const char* kReason = "count-escapes: count let an exception out through the C boundary: out of count";
  EXPECT_THAT(refusal().second, HasSubstr(kReason));
  EXPECT_THAT(refusal({.plugin = "count-escapes"}).second, HasSubstr(kReason));
}

TEST_F(Compose, APolicyThatBooksLateIsKnownByIt) {
  have({"toy"});
  ASSERT_TRUE(load("good", "round-trip").ok());
  EXPECT_TRUE(composed({.plugin = "toy", .lock = "counted"}).strategy.lock->books_late());
}

TEST_F(Compose, AModelIsForHostAddressableDevices) {
  have({"toy", "gpu"});
  DeviceModel card;
  card.name = "a card";
  card.memory = uint64_t{8} << 30;
  const Composition played = composed({.plugin = "toy", .device_model = card});
  EXPECT_EQ(played.strategy.devices[0]->info().memory_total, card.memory);
  EXPECT_FALSE(played.strategy.devices[0]->synchronous());
  EXPECT_FALSE(played.strategy.staging->adopts());
  EXPECT_THAT(played.reason, HasSubstr("a card"));
  const auto [code, message] = refusal({.plugin = "gpu", .device_model = card});
  EXPECT_EQ(code, ErrorCode::usage);
  EXPECT_THAT(message, HasSubstr("cuda:0 has times of its own"));
}

TEST_F(Compose, ALostDeviceStaysLostForEverything) {
  have({"fragile"});
  static uint32_t next = 0;  // a device of its own for each repetition: lost is for the life of the process
  const std::string lost = "fragile:" + std::to_string(next++), other = "fragile:" + std::to_string(next++);
  const Strategy s = composed({.plugin = "fragile", .devices = {lost, other}}).strategy;
  Device& device = *s.devices[0];
  const auto staging = s.staging->open(device.space(), {}, {});
  DeviceQueue queue(services, lost, device.space(), s.lock->open(1), "policy", 1, 1);
  const Lease lease = queue.stage(queue.draw_ticket(0), 0);
  std::array<std::byte, 8> bytes{};
  cuzk_mem memory{bytes.data(), bytes.size(), device.space()};
  EXPECT_NO_THROW(staging->upload(lease, memory, bytes, false, {}, {}));

  const std::string end = "device " + lost + " is lost; the process must be restarted to use it again";
  const auto expect = [&](const std::string& begin, auto&& body) {
    EXPECT_EQ(error_of(body), std::pair(ErrorCode::unusable, begin + end));
  };
  expect("fragile/" + lost + ": copy: fell off the bus (native code 79); ", [&] { device.copy({}, {}, {}, {}); });
  expect("fragile/" + lost + ": alloc: ", [&] { device.alloc(1); });
  expect("fragile/" + lost + ": info: ", [&] { device.info(); });
  expect("fragile/mover: upload: ", [&] { staging->upload(lease, memory, bytes, false, {}, {}); });
  expect("fragile/radix: open: ", [&] { static_cast<void>(s.ntt->open(device.space(), {}, {}, {})); });
  expect("fragile/fragile-msm: open: ", [&] { static_cast<void>(s.msm->open(device.space())); });
  EXPECT_NO_THROW(s.devices[1]->info());
  EXPECT_NO_THROW(static_cast<void>(s.msm->open(s.devices[1]->space())));
}

TEST_F(Compose, NothingUsable) {
  EXPECT_EQ(refusal(), std::pair(ErrorCode::unusable,
                                 std::string("no usable plugin with a device, staging, ntt and msm: none is loaded")));
  have({"gpu-absent"});
  const auto [code, message] = refusal();
  EXPECT_EQ(code, ErrorCode::unusable);
  EXPECT_THAT(message, HasSubstr("gpu-absent: no driver"));
}

TEST_F(Compose, AnAskedForPluginOrDeviceIsNeverReplaced) {
  have({"toy", "gpu-absent"});
  const auto expect = [&](const StrategyRequest& request, const char* text) {
    const auto [code, message] = refusal(request);
    EXPECT_EQ(code, ErrorCode::unusable);
    EXPECT_THAT(message, HasSubstr(text));
  };
  expect({.plugin = "gpu-absent"}, "device cuda:0 is not there: gpu-absent: no driver (native code 35)");
  expect({.plugin = "nobody"}, "no plugin named 'nobody'; loaded: interlocks, toy, gpu-absent");
  expect({.devices = {"cuda:0"}}, "gpu-absent: no driver");
  expect({.plugin = "toy", .devices = {"toy:2"}}, "device toy:2 is not there: toy: has 2, counted from 0");
  expect({.plugin = "toy", .devices = {"tpu:0"}}, "no loaded plugin brings a device 'tpu'; there are toy (toy), cuda");
  expect({.plugin = "toy", .msm = "nobody/x"}, "no plugin named 'nobody'");
  expect({.plugin = "toy", .msm = "x"}, "no msm component 'x'; there are toy/toy-msm, gpu-absent/gpu-absent-msm");
  expect({.plugin = "toy", .msm = "toy/radix"}, "no msm component 'toy/radix'");
}

TEST_F(Compose, OverridesByFullAndByShortName) {
  have({"toy", "gpu"});
  EXPECT_EQ(roles(composed({.plugin = "toy", .lock = "none"}).strategy),
            "toy/mover toy/radix toy/toy-msm interlocks/none");
  const Composition both = composed({.plugin = "toy", .ntt = "toy/radix", .lock = "gpu/own-lock"});
  EXPECT_EQ(roles(both.strategy), "toy/mover toy/radix toy/toy-msm gpu/own-lock");
  EXPECT_EQ(both.reason, "plugin toy as asked; lock gpu/own-lock as asked");
  EXPECT_EQ(refusal({.plugin = "toy", .ntt = "radix"}),
            std::pair(ErrorCode::usage, std::string("ntt 'radix' is ambiguous: toy/radix, gpu/radix")));
}

TEST_F(Compose, ComponentsMustFitTheDevice) {
  have({"toy", "gpu", "gpu-old", "host-msm", "g1-msm", "toy-bls"});
  const auto expect = [&](const StrategyRequest& request, const char* text) {
    const auto [code, message] = refusal(request);
    EXPECT_EQ(code, ErrorCode::unusable);
    EXPECT_THAT(message, HasSubstr(text));
  };
  expect({.plugin = "toy", .msm = "gpu-msm"},
         "device toy:0: gpu/gpu-msm runs neither in the device's memory nor in the host's");
  expect({.plugin = "toy", .staging = "gpu/mover"}, "device toy:0: gpu/mover does not run in the device's memory");
  expect({.plugin = "gpu", .msm = "gpu-old-msm"},
         "gpu-old/gpu-old-msm is built with CUDA 12, the device's plugin gpu with CUDA 13");
  expect({.plugin = "toy", .msm = "g1-msm"}, "no msm component 'g1-msm'");
  expect({.plugin = "toy", .msm = "g1-msm-msm"}, "does not know the group G2");
  expect({.plugin = "toy", .log2_size = 11}, "toy/radix works up to 2^10, the key needs 2^11");
  expect({.plugin = "toy", .msm = "toy-bls-msm", .curve = Curve::bn254},
         "toy-bls/toy-bls-msm does not know the curve bn254");
  EXPECT_NO_THROW(composed({.plugin = "toy", .msm = "toy-bls-msm", .curve = Curve::bls12_381}));
  const Strategy mixed = composed({.plugin = "gpu", .msm = "host-msm-msm"}).strategy;
  EXPECT_TRUE(runs_on(*mixed.ntt, *mixed.devices[0]));
  EXPECT_FALSE(runs_on(*mixed.msm, *mixed.devices[0]));
}

TEST_F(Compose, APluginThatLacksRolesGetsTheRestFromTheBest) {
  have({"toy", "gpu", "host-msm", "toy-bls"});
  // An MSM over host memory fits beside both; on equal terms the faster device goes first.
  const Composition host = composed({.plugin = "host-msm"});
  EXPECT_EQ(roles(host.strategy), "gpu/mover gpu/radix host-msm/host-msm-msm gpu/own-lock");
  EXPECT_THAT(host.reason, HasSubstr("plugin host-msm as asked; the rest from gpu, the best usable one"));
  // Staging and NTT in the model's memory fit its device alone.
  const Composition bls = composed({.plugin = "toy-bls"});
  EXPECT_EQ(bls.strategy.devices[0]->name(), "toy:0");
  EXPECT_EQ(roles(bls.strategy), "toy-bls/mover toy-bls/radix toy-bls/toy-bls-msm interlocks/single-lock");
  EXPECT_EQ(composed({.plugin = "host-msm", .devices = {"toy:1"}}).strategy.devices[0]->name(), "toy:1");
}

TEST_F(Compose, SeveralDevices) {
  have({"toy"});
  const Strategy two = composed({.plugin = "toy", .devices = {"toy:1", "toy:0"}}).strategy;
  ASSERT_EQ(two.devices.size(), 2u);
  EXPECT_EQ(two.devices[0]->name() + " " + two.devices[1]->name(), "toy:1 toy:0");
  const auto names = [&](const StrategyRequest& request) {
    std::string text;
    for (const auto& device : composed(request).strategy.devices) text += device->name() + " ";
    return text;
  };
  EXPECT_EQ(names({.plugin = "toy", .devices = {"all"}}), "toy:0 toy:1 ");
  EXPECT_EQ(names({.devices = {"all"}}), "toy:0 toy:1 ");
  EXPECT_EQ(names({.devices = {"1", "0"}}), "toy:1 toy:0 ");
  EXPECT_EQ(names({.devices = {"toy:1", "0"}}), "toy:1 toy:0 ");
  EXPECT_EQ(refusal({.devices = {"1", "all"}}),
            std::pair(ErrorCode::usage, std::string("device toy:1 is given twice")));
  EXPECT_EQ(refusal({.devices = {"0", "2"}}).first, ErrorCode::unusable);
  for (const char* malformed : {"toy", "toy:", ":1", "toy:x", "toy:-1", "toy:1x", "01", "toy:all", ""}) {
    const auto [code, message] = refusal({.devices = {malformed}});
    EXPECT_EQ(code, ErrorCode::usage);
    EXPECT_THAT(message, HasSubstr("expected a name and a number as in cpu:0, a number alone, or all"));
  }
  EXPECT_EQ(refusal({.devices = {"toy:0", "toy:0"}}),
            std::pair(ErrorCode::usage, std::string("device toy:0 is given twice")));
  EXPECT_EQ(refusal({.workers = 0}).first, ErrorCode::usage);
}

TEST_F(Compose, WithoutInterlocksALockMustBeNamedByAPlugin) {
  registry = nullptr;
  registry = std::make_unique<PluginRegistry>(services);
  have({"toy"});
  EXPECT_THAT(refusal({.plugin = "toy"}).second, HasSubstr("no plugin named 'interlocks'"));
}

}  // namespace
}  // namespace cuzk::test
