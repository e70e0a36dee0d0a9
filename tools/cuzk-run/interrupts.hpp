#pragma once
#include <array>
#include <csignal>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk::run {

/// While it lives, SIGINT and SIGTERM cancel all work of the services instead of ending the process where it stands, so
/// that the main flow cleans up. A signal that the process was started to ignore stays ignored. One at a time.
class Interrupts {
 public:
  explicit Interrupts(HostServices&);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Error cancelled, "interrupted by SIGINT", once a signal has come.
  void check() const;

 private:
  static constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace cuzk::run
