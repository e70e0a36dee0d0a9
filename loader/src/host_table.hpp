#pragma once
#include <cuzk/abi/plugin_abi.h>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {

/// The one cuzk_host of the process, in static storage: plugins keep its address.
const cuzk_host& host_table();
/// Whom the table's functions serve. Error internal: somebody else is served already.
void serve(HostServices& services);
/// Late calls of a plugin then find nobody: the log is dropped, the clock and parallel still work.
void stop_serving() noexcept;

}  // namespace cuzk
