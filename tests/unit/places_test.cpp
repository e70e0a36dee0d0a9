// Seats on the devices of an engine: who waits for one device alone holds nobody up on another.
#include "groth16/places.hpp"

#include "fake_device.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

#include <cuzk/error.hpp>
#include <cuzk/groth16/proving_key.hpp>

namespace cuzk::groth16 {
namespace {

class PlacesTest : public ::testing::Test {
 protected:
  static Strategy two_devices() {
    Strategy strategy;
    for (int i = 0; i < 2; ++i) strategy.devices.push_back(std::make_shared<testing::FakeDevice>(0));
    return strategy;
  }
  /// Time enough for a thread to have come to wait.
  static void let_wait() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }
  /// Whoever waits longer than that is held up.
  uint64_t soon() const { return services_.now_ns() + 5'000'000'000; }

  HostServices services_{1};
  Places places_{services_, two_devices()};
  ProvingKey key_, other_;
};

/// The first device's partition never ends; one that failed waits to be alone there.
TEST_F(PlacesTest, ARetryHoldsNobodyUpOnAnotherDevice) {
  std::optional<Places::Turn> stuck(std::in_place, places_, Wish{&key_});
  Place& first = stuck->place();
  size_t retried_on = SIZE_MAX;
  std::thread retry([&] { retried_on = Places::Turn(places_, Wish{&key_, nullptr, true, &first}).place().index; });
  let_wait();
  for (uint32_t i = 0; i < 3 * Engine::kMostPassed; ++i) {
    const ProofJob job(soon());
    EXPECT_NO_THROW({
      const Places::Turn turn(places_, Wish{&key_, &job});
      EXPECT_NE(turn.place().index, first.index);
    }) << i;
  }
  stuck.reset();
  retry.join();
  EXPECT_EQ(retried_on, first.index);
}

TEST_F(PlacesTest, WhoWaitsForAnyDeviceHasTheFirstThatIsIdle) {
  std::optional<Places::Turn> one(std::in_place, places_, Wish{&key_}), two(std::in_place, places_, Wish{&key_});
  EXPECT_NE(one->place().index, two->place().index);
  size_t served_on = SIZE_MAX;
  std::thread waiting([&] { served_on = Places::Turn(places_, Wish{&other_}).place().index; });
  let_wait();
  const size_t expected = two->place().index;
  two.reset();
  waiting.join();
  EXPECT_EQ(served_on, expected);
}

TEST_F(PlacesTest, WhoWaitsIsToldThatEveryDeviceIsLost) {
  Places::Turn one(places_, Wish{&key_}), two(places_, Wish{&key_});
  EXPECT_TRUE(places_.lose(one.place()));
  EXPECT_FALSE(places_.lose(one.place()));
  EXPECT_TRUE(places_.has_one_for(Wish{&key_}));
  EXPECT_FALSE(places_.has_one_for(Wish{&key_, nullptr, false, &one.place()}));
  std::optional<ErrorCode> code;
  std::thread waiting([&] {
    try {
      const Places::Turn turn(places_, Wish{&key_});
    } catch (const Error& error) {
      code = error.code();
    }
  });
  let_wait();
  places_.lose(two.place());
  waiting.join();
  EXPECT_EQ(code, ErrorCode::unusable);
}

}  // namespace
}  // namespace cuzk::groth16
