// Spans that a plugin reports belong to the device that its thread's call works on.
#include "boundary.hpp"
#include "fixture.hpp"
#include "host_table.hpp"

#include <map>
#include <string>

#include <cuzk/sdk/plugin.hpp>

namespace cuzk::test {
namespace {

using Spans = LoaderTest;

TEST_F(Spans, BelongToTheDeviceOfTheCall) {
  const Boundary boundary("somebody", false);
  DeviceHealth* const outer = device_health({CUZK_SPACE_MODEL, 77}, "toy:77");
  DeviceHealth* const inner = device_health({CUZK_SPACE_MODEL, 78}, "toy:78");
  const auto report = [](const char* name) {
    host_table().span(nullptr, 5, CUZK_SPAN_KERNEL, sdk::str(name), 10, 30, 7);
    return int32_t{CUZK_OK};
  };
  boundary.call("outer", outer, [&](cuzk_status*) {
    boundary.call("inner", inner, [&](cuzk_status*) { return report("deep"); });
    return report("shallow");
  });
  EXPECT_THROW(boundary.call("fails", outer, [](cuzk_status*) { return int32_t{CUZK_DEVICE_ERROR}; }), Error);
  boundary.call("nowhere", [&](cuzk_status*) { return report("host"); });
  boundary.release([&] { static_cast<void>(report("closing")); }, inner);
  boundary.release([&] { static_cast<void>(report("released")); });
  std::map<std::string, std::string> devices;
  for (const Event& event : services.timeline().take()) {
    if (event.ticket != 5) continue;
    devices[event.name] = event.device;
    EXPECT_EQ(event.kind, uint32_t{CUZK_SPAN_KERNEL});
    EXPECT_EQ(event.bytes, 7u);
  }
  EXPECT_EQ(devices,
            (std::map<std::string, std::string>{
                {"deep", "toy:78"}, {"shallow", "toy:77"}, {"host", ""}, {"closing", "toy:78"}, {"released", ""}}));
}

}  // namespace
}  // namespace cuzk::test
