#pragma once
#include <memory>
#include <string>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/component.hpp>
#include <cuzk/device.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {

/// C table -> core's class. `api` is the component's table, already checked; the library stays loaded for ever.
std::shared_ptr<const Component> adapt_staging(ComponentInfo info, const void* api);
std::shared_ptr<const Component> adapt_ntt(HostServices&, ComponentInfo info, const void* api);
std::shared_ptr<const Component> adapt_msm(ComponentInfo info, const void* api);
std::shared_ptr<const Component> adapt_lock(ComponentInfo info, const void* api);
std::shared_ptr<Device> adapt_device(std::string plugin, const cuzk_device_api& api, uint32_t index);

}  // namespace cuzk
