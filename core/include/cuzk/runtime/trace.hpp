#pragma once
#include <cstdint>
#include <span>
#include <string>

#include <cuzk/runtime/timeline.hpp>

namespace cuzk {

/// The events as a Chrome trace, which Perfetto and chrome://tracing open: a process for the CPU and one for each
/// device, in them a track for each worker and, of devices, for each worker's uploads, downloads and kernels. Events of
/// one track that overlap without one holding the other get further tracks of its name.
/// docs/schema/cuzk-timeline-1.json. start_ns: the time that becomes 0.
std::string chrome_trace(std::span<const Event> events, uint64_t start_ns);

}  // namespace cuzk
