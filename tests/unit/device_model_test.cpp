#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/runtime/clock.hpp>
#include <cuzk/runtime/device_model.hpp>

namespace cuzk {
namespace {

nlohmann::json card() {
  return {{"schema", "cuzk-device-model/1"},
          {"name", "a card"},
          {"memory", 1 << 30},
          {"latency_ns", 10},
          {"bytes_per_second",
           {{"pinned", 4'000'000'000}, {"pageable_up", 1'000'000'000}, {"pageable_down", 2'000'000'000}}},
          {"per_second",
           {{"butterflies", 1'000'000'000},
            {"products", 500'000'000},
            {"small_points", 100'000'000},
            {"bn254", {{"g1", 10'000'000}, {"g2", 5'000'000}}},
            {"bls12_381", {{"g1", 4'000'000}, {"g2", 2'000'000}}}}},
          {"host", {{"rows_per_second", 1'000'000}, {"finish_ns", 7}}}};
}

class ModelFile : public ::testing::Test {
 protected:
  ~ModelFile() override { std::filesystem::remove(path_); }
  DeviceModel read(const std::string& text) const {
    std::ofstream(path_) << text;
    return read_device_model(path_);
  }
  /// The message of the refusal, without the file's name.
  std::string refusal(const nlohmann::json& json) const {
    try {
      read(json.dump());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path_ + ": ")) << message;
      return message.substr(std::min(message.size(), path_.size() + 2));
    }
    return "accepted";
  }

 private:
  const std::string path_ = ::testing::TempDir() + "cuzk-model-" + std::to_string(::getpid()) + ".json";
};

TEST_F(ModelFile, TimesAreFunctionsOfSizes) {
  const DeviceModel model = read(card().dump());
  EXPECT_EQ(model.name, "a card");
  EXPECT_EQ(model.memory, uint64_t{1} << 30);
  EXPECT_EQ(model.copy_ns(1000, DeviceModel::Way::up, false), 10 + 1000);
  EXPECT_EQ(model.copy_ns(1000, DeviceModel::Way::down, false), 10 + 500);
  EXPECT_EQ(model.copy_ns(1000, DeviceModel::Way::up, true), 10 + 250);
  EXPECT_EQ(model.copy_ns(1000, DeviceModel::Way::down, true), 10 + 250);
  EXPECT_EQ(model.transform_ns(10), 10 + 512 * 10);
  EXPECT_EQ(model.product_ns(1000), 10 + 2000);
  EXPECT_EQ(model.msm_ns(Curve::bn254, Group::g1, 1000), 10 + 100'000);
  EXPECT_EQ(model.msm_ns(Curve::bn254, Group::g2, 1000), 10 + 200'000);
  EXPECT_EQ(model.msm_ns(Curve::bls12_381, Group::g1, 1000), 10 + 250'000);
  EXPECT_EQ(model.msm_ns(Curve::bls12_381, Group::g2, 1000), 10 + 500'000);
  EXPECT_EQ(model.msm_ns(Curve::bls12_381, Group::g1, 1000, 0.5), 10 + 125'000 + 5'000);
  EXPECT_EQ(model.prepare_ns(1000), 1'000'000u);
  EXPECT_EQ(model.finish_ns, 7u);
}

TEST_F(ModelFile, ThoseThatShipAreRead) {
  for (const char* name : {"card-16gib.json", "card-139gib.json"}) {
    EXPECT_GT(read_device_model(std::string(CUZK_TEST_VECTORS "/../../samples/device-models/") + name).memory,
              uint64_t{15} << 30);
  }
}

TEST_F(ModelFile, EveryRefusalNamesTheField) {
  nlohmann::json json = card();
  json["schema"] = "cuzk-device-model/2";
  EXPECT_EQ(refusal(json), "schema: found \"cuzk-device-model/2\", expected cuzk-device-model/1");
  json = card();
  json["memory"] = 0;
  EXPECT_EQ(refusal(json), "memory: found 0, expected 1 to 9007199254740992");
  json = card();
  json["bytes_per_second"].erase("pinned");
  EXPECT_EQ(refusal(json), "bytes_per_second: pinned is missing");
  json = card();
  json["per_second"]["bn254"]["g2"] = "fast";
  EXPECT_EQ(refusal(json), "per_second.bn254.g2: expected a non-negative integer");
  json = card();
  json["per_second"] = 3;
  EXPECT_EQ(refusal(json), "per_second: found number, expected an object");
  json = card();
  json["bytes_per_second"]["pinned"] = 999'999;
  EXPECT_EQ(refusal(json), "bytes_per_second.pinned: found 999999, expected 1000000 to 9007199254740992");
  json = card();
  json["latency_ns"] = 1'000'000'001;
  EXPECT_EQ(refusal(json), "latency_ns: found 1000000001, expected 0 to 1000000000");
  json = card();
  json["host"]["finish_ns"] = 1'000'000'000'001;
  EXPECT_EQ(refusal(json), "host.finish_ns: found 1000000000001, expected 0 to 1000000000000");
  json = card();
  json["latency_ns"] = -1;
  EXPECT_EQ(refusal(json), "latency_ns: expected a non-negative integer");
  for (const std::string name : {"schema", "name", "memory", "latency_ns", "bytes_per_second", "per_second", "host"}) {
    json = card();
    json.erase(name);
    EXPECT_EQ(refusal(json), name + " is missing");
  }
  for (const std::string name : {"bytes_per_second", "per_second", "host"}) {
    json = card();
    json[name]["g3"] = 1;
    EXPECT_EQ(refusal(json), name + ": found \"g3\", which has no meaning here");
  }
  json = card();
  json["memroy"] = 1;
  EXPECT_EQ(refusal(json), "found \"memroy\", which has no meaning here");
  json = card();
  json["per_second"]["bn254"]["g3"] = 1;
  EXPECT_EQ(refusal(json), "per_second.bn254: found \"g3\", which has no meaning here");
  EXPECT_THROW(read("[]"), Error);
  EXPECT_THROW(read("{"), Error);
  EXPECT_THROW(read_device_model("/absent/model.json"), Error);
}

TEST(ModelEngines, OneThingAtATimeEachBesideTheOthers) {
  ModelEngines engines;
  const auto interval = [](const ModelEngines::Interval& i) { return std::pair(i.begin_ns, i.end_ns); };
  EXPECT_EQ(interval(engines.run(ModelEngines::up, 100, 50)), std::pair(uint64_t{100}, uint64_t{150}));
  EXPECT_EQ(interval(engines.run(ModelEngines::up, 120, 50)), std::pair(uint64_t{150}, uint64_t{200}));
  EXPECT_EQ(interval(engines.run(ModelEngines::kernels, 120, 50)), std::pair(uint64_t{120}, uint64_t{170}));
  EXPECT_EQ(interval(engines.run(ModelEngines::down, 300, 5)), std::pair(uint64_t{300}, uint64_t{305}));
  EXPECT_EQ(interval(engines.run(ModelEngines::up, 500, 50, 560)), std::pair(uint64_t{500}, uint64_t{560}));
  EXPECT_EQ(interval(engines.run(ModelEngines::up, 500, 1)), std::pair(uint64_t{560}, uint64_t{561}));
}

TEST(Clocks, TheSimulatedOneMovesOnlyForwardAndByItself) {
  SimulatedClock clock;
  EXPECT_EQ(clock.now_ns(), 0u);
  clock.sleep_until(3'600'000'000'000);
  clock.sleep_until(5);
  EXPECT_EQ(clock.now_ns(), 3'600'000'000'000u);
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&clock, t] { clock.sleep_until(4'000'000'000'000 + t); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clock.now_ns(), 4'000'000'000'003u);
}

TEST(Clocks, TheSystemsOneSleepsLongEnough) {
  const auto clock = steady_clock();
  const uint64_t until = clock->now_ns() + 3'000'000;
  clock->sleep_until(until);
  EXPECT_GE(clock->now_ns(), until);
  clock->sleep_until(0);
}

}  // namespace
}  // namespace cuzk
