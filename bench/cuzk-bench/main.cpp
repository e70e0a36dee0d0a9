#include "ab.hpp"
#include "common/command_line.hpp"
#include "common/run_main.hpp"
#include "endure.hpp"
#include "micro.hpp"
#include "sweep.hpp"

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

namespace {

constexpr const char* kProgram = "cuzk-bench";

struct Command {
  const char* name;
  const char* what;
  int (*run)(int, const char* const*);
};
constexpr Command kCommands[] = {
    {"micro", "NTT and MSM of a strategy, over curves, groups and sizes", cuzk::bench::micro},
    {"ab", "whole proofs of two strategies, in alternating pairs, with confidence intervals", cuzk::bench::ab},
    {"sweep", "every combination of plugins, policies, workers and memory gives the same proofs", cuzk::bench::sweep},
    {"endure", "many proofs in one process: what it holds does not grow", cuzk::bench::endure},
    {"hold", "takes the memory of a device away from other processes", cuzk::bench::hold},
};

std::string names() {
  std::string text;
  for (const Command& command : kCommands) text.append(text.empty() ? "" : ", ").append(command.name);
  return text;
}

int run(int argc, char** argv) {
  const std::string_view asked = argc > 1 ? argv[1] : "";
  for (const Command& command : kCommands) {
    if (asked == command.name) return command.run(argc - 1, argv + 1);
  }
  if (asked != "--help") {
    cuzk::tool::refuse_call((asked.empty() ? "found no command" : "found '" + std::string(asked) + "'") +
                            ", expected one of " + names());
  }
  std::cout << "usage: cuzk-bench COMMAND [options]; COMMAND --help says which\n";
  for (const Command& command : kCommands) std::printf("  %-7s %s\n", command.name, command.what);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cuzk::tool::run_main(kProgram, [&] { return run(argc, argv); });
}
