#pragma once
#include <array>
#include <csignal>
#include <string>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk::run {

/// While it lives, SIGINT, SIGTERM and SIGHUP cancel all work of the services instead of ending the process where it
/// stands, so that the main flow cleans up. After any of them, a further SIGINT or SIGTERM ends the process at once and
/// nothing is cleaned up (not SIGHUP: the end of a session may send it twice; nor what comes within 50 ms of the first:
/// timeout(1) signals the process and then its group). A signal that the process was started to
/// ignore stays ignored. One at a time.
class Interrupts {
 public:
  explicit Interrupts(HostServices&);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Error cancelled, "interrupted by SIGINT", once a signal has come. but: what was done nevertheless.
  void check(const std::string& but = {}) const;

 private:
  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace cuzk::run
