#include "progress.hpp"

#include "common/escaped.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cuzk::run {
namespace {

constexpr std::chrono::milliseconds kInterval{250};
constexpr uint64_t kQuietNs = 1'000'000'000;
constexpr const char* kEraseLine = "\r\033[K";

/// Between the threads that log and the one that shows progress: whose line it is, and whether one stands there.
std::mutex terminal;
bool line_stands = false;

/// Of the terminal; a longer line would stand on two rows, of which only one could be erased.
size_t columns() {
  struct winsize size {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

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
  std::set<std::string> shown;
  for (const std::string& name : services_.timeline().running()) {
    if (shown.insert(name).second) line += (shown.size() == 1 ? "" : ", ") + tool::escaped(name);
  }
  line.resize(std::min(line.size(), columns() - 1));
  const std::lock_guard lock(terminal);
  std::fputs((kEraseLine + line).c_str(), stderr);
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
