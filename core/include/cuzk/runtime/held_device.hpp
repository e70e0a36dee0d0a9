#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <cuzk/runtime/host_services.hpp>
#include <cuzk/runtime/ledger.hpp>

namespace cuzk {

/// A device in the hands of one owner: the claim of its memory space and the one ledger of its memory, which all
/// provers that the owner opens on it share. The owner sees to it that one of them at a time has tickets. Threads: any.
struct HeldDevice {
  /// limit: `--device-memory`. Error unusable: somebody else of the process has the device.
  HeldDevice(HostServices& services, std::shared_ptr<Device> held, std::optional<uint64_t> limit = {})
      : device(std::move(held)),
        claim(services.spaces().take(device->space(), device->name())),
        ledger(device, limit) {}

  const std::shared_ptr<Device> device;
  const SpaceClaims::Claim claim;
  Ledger ledger;
};

}  // namespace cuzk
