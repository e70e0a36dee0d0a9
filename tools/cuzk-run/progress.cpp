#include "progress.hpp"

#include <cstdio>
#include <string>
#include <unistd.h>

namespace cuzk::run {
namespace {

constexpr std::chrono::milliseconds kInterval{250};
constexpr uint64_t kQuietNs = 1'000'000'000;
constexpr const char* kEraseLine = "\r\033[K";

/// Between the threads that log and the one that shows progress: whose line it is, and whether one stands there.
std::mutex terminal;
bool line_stands = false;

void erase_line() {
  if (line_stands) std::fputs(kEraseLine, stderr);
  line_stands = false;
}

}  // namespace

Progress::Progress(HostServices& services, size_t proofs)
    : services_(services), proofs_(proofs), start_ns_(services.now_ns()) {
  if (::isatty(STDERR_FILENO) != 1) return;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kInterval, [this] { return over_; })) show();
  });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
  const std::lock_guard lock(terminal);
  erase_line();
  std::fflush(stderr);
}

void Progress::show() {
  const uint64_t passed = services_.now_ns() - start_ns_;
  if (passed < kQuietNs) return;
  char time[32];
  std::snprintf(time, sizeof time, "%.1f s  ", static_cast<double>(passed) / 1e9);
  std::string line = time;
  if (proofs_ > 1) line += std::to_string(done_) + " of " + std::to_string(proofs_) + " proofs  ";
  std::string stages;
  for (const std::string& name : services_.timeline().running()) {
    if (stages.find(name) == std::string::npos) stages += (stages.empty() ? "" : ", ") + name;
  }
  const std::lock_guard lock(terminal);
  std::fputs((kEraseLine + line + stages).c_str(), stderr);
  std::fflush(stderr);
  line_stands = true;
}

void write_log_line(std::string_view line) {
  const std::lock_guard lock(terminal);
  erase_line();
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace cuzk::run
