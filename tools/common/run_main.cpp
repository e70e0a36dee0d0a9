#include "common/run_main.hpp"

#include "common/escaped.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <unistd.h>

#include <cuzk/error.hpp>

namespace cuzk::tool {
namespace {

/// A standard stream that was closed must not become the next file that is opened, which would then be written over.
/// Held open for reading alone, it still fails every write.
void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF && ::open("/dev/null", O_RDONLY) < 0) return;
  }
}

}  // namespace

void flush_output(const std::string& but) {
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;  // what std::printf left there
  if (!std::cout.good() || !flushed || std::ferror(stdout) != 0) {
    throw Error(ErrorCode::proof_failed, "standard output could not be written" + (but.empty() ? "" : "; " + but));
  }
}

int run_main(std::string_view name, const std::function<int()>& body) {
  hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit fails and is reported like any other
  const auto say = [&](std::string_view message) { std::cerr << name << ": " << escaped(message) << "\n"; };
  try {
    const int code = body();
    flush_output();
    return code;
  } catch (const Error& error) {
    const bool usage = error.code() == ErrorCode::usage;
    say(error.what() + (usage ? "; see " + std::string(name) + " --help" : std::string()));
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    say("out of memory");
    return exit_code(ErrorCode::out_of_memory);
  } catch (const std::exception& error) {
    say(error.what());
    return exit_code(ErrorCode::internal);
  }
}

}  // namespace cuzk::tool
