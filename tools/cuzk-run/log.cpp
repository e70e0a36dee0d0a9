#include "log.hpp"

#include "common/escaped.hpp"
#include "progress.hpp"

#include <memory>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

namespace cuzk::run {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    default:
      return spdlog::level::err;
  }
}

class Sink final : public spdlog::sinks::base_sink<std::mutex> {
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    write_log_line({line.data(), line.size()});
  }
  void flush_() override {}
};

}  // namespace

HostServices::LogSink log_to_stderr(std::optional<LogLevel> least) {
  if (!least) return {};
  auto logger = std::make_shared<spdlog::logger>("cuzk", std::make_shared<Sink>());
  logger->set_level(spdlog_level(*least));
  logger->set_pattern("%l: %v");
  return [logger](LogLevel level, std::string_view component, std::string_view text) {
    logger->log(spdlog_level(level), "{}: {}", component, tool::escaped(text));
  };
}

}  // namespace cuzk::run
