#include "engine.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <gtest/gtest.h>
#include <string_view>

namespace {

constexpr const char* kUsage =
    "Usage: cuzk-conformance PLUGIN.so [--threads N] [--max-log2 K] [GoogleTest's options]\n"
    "Runs the conformance suite on every component of the plugin. --threads: CPU threads of the engine (default: all\n"
    "that may be used); --max-log2: the largest sizes are 2^K + 1 (default 12).\n";

/// The value of option argv[i], which is taken out of the list.
unsigned take_value(int& argc, char** argv, int i) {
  char* end = nullptr;
  const unsigned long value = i + 1 < argc ? std::strtoul(argv[i + 1], &end, 10) : 0;
  if (end == nullptr || *end != '\0' || end == argv[i + 1] || value > 24) {
    std::fprintf(stderr, "cuzk-conformance: %s: expected a number up to 24\n", argv[i]);
    std::exit(2);
  }
  for (int j = i; j + 2 <= argc; ++j) argv[j] = argv[j + 2];
  argc -= 2;
  return static_cast<unsigned>(value);
}

}  // namespace

int main(int argc, char** argv) {
  auto& options = cuzk::conformance::options();
  for (int i = 1; i < argc;) {
    const std::string_view word = argv[i];
    if (word == "--threads") {
      options.threads = take_value(argc, argv, i);
    } else if (word == "--max-log2") {
      options.max_log2 = take_value(argc, argv, i);
    } else if (word == "--help" || word == "-h") {
      std::fputs(kUsage, stdout);
      return 0;
    } else if (!word.starts_with("-") && options.plugin.empty()) {
      options.plugin = word;
      for (int j = i; j < argc; ++j) argv[j] = argv[j + 1];
      --argc;
    } else {
      ++i;
    }
  }
  if (options.plugin.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    static_cast<void>(cuzk::conformance::Engine(1));
    testing::InitGoogleTest(&argc, argv);  // lists the cases, which asks the plugin
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuzk-conformance: %s\n", error.what());
    return 4;
  }
  if (argc > 1) {
    std::fprintf(stderr, "cuzk-conformance: unknown argument '%s'\n%s", argv[1], kUsage);
    return 2;
  }
  return RUN_ALL_TESTS();
}
