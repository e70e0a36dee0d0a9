#pragma once
#include <optional>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk::run {

/// Lines on standard error from this level up; nothing: no log.
HostServices::LogSink log_to_stderr(std::optional<LogLevel> least);

}  // namespace cuzk::run
