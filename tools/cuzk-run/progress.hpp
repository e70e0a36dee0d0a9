#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <thread>

#include <cuzk/runtime/host_services.hpp>

namespace cuzk::run {

/// While it lives, and once a second has passed, keeps one line on standard error with the time, the proofs done and
/// the stages that run. Silent where standard error is no terminal.
class Progress {
 public:
  Progress(HostServices&, size_t proofs);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void proof_done() { ++done_; }

 private:
  void show();

  HostServices& services_;
  const size_t proofs_;
  const uint64_t start_ns_;
  std::atomic<size_t> done_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

/// Writes a line to standard error, over the progress line where there is one.
void write_log_line(std::string_view line);

}  // namespace cuzk::run
