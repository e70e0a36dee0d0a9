#include "ab.hpp"
#include "common/command_line.hpp"
#include "common/run_main.hpp"
#include "micro.hpp"

#include <iostream>
#include <string>
#include <string_view>

namespace {

constexpr const char* kProgram = "cuzk-bench";
constexpr const char* kUsage =
    "usage: cuzk-bench micro|ab [options]; micro --help and ab --help say which\n"
    "  micro  NTT and MSM of a strategy, over curves, groups and sizes\n"
    "  ab     whole proofs of two strategies, in alternating pairs\n";

int run(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "micro") return cuzk::bench::micro(argc - 1, argv + 1);
  if (command == "ab") return cuzk::bench::ab(argc - 1, argv + 1);
  if (command == "--help") {
    std::cout << kUsage;
    return 0;
  }
  cuzk::tool::refuse_call((command.empty() ? "found no command" : "found '" + std::string(command) + "'") +
                          ", expected micro or ab");
}

}  // namespace

int main(int argc, char** argv) {
  return cuzk::tool::run_main(kProgram, [&] { return run(argc, argv); });
}
