#pragma once
#include <cstdint>
#include <optional>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk::formats {

/// The stages of opening a key, one after the other, as spans of the services' timeline. services: null for none.
class OpenSpans {
 public:
  OpenSpans(HostServices* services, const char* first) : services_(services) { next(first); }

  /// Ends the stage and begins another.
  void next(const char* name) {
    span_.reset();
    if (services_ != nullptr) span_.emplace(*services_, name);
  }
  void add_bytes(uint64_t bytes) {
    if (span_) span_->add_bytes(bytes);
  }

 private:
  HostServices* services_;
  std::optional<Span> span_;
};

}  // namespace cuzk::formats
