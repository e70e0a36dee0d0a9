#include "ab.hpp"

#include "common/command_line.hpp"
#include "common/values.hpp"

#include <charconv>
#include <cstdio>
#include <iostream>
#include <set>
#include <utility>

#include <cuzk/formats/output_files.hpp>

namespace cuzk::bench {
namespace {

namespace po = boost::program_options;

constexpr const char* kText =
    R"(usage: cuzk-bench ab --a SIDE --b SIDE [--name TEXT] [--judge seconds|device] [--at-most R] ... --workload SPEC

Compares whole verified proofs of two strategies. Each --a begins a comparison, of which the next --b, --name, --judge
and --at-most are; all are made one after the other on one key and the same witnesses.

A pair is A then B, in the next pair B then A. For each measurement the strategy is opened anew and warmed up, untimed;
then all partitions of all jobs are handed in together, and the clock runs until the last proof is verified.
The ratio is b / a, the geometric mean over the pairs; its 95 % confidence interval is that of Student's t over the
logarithms of the pairs' ratios. B is faster or slower where the interval lies below or above 1.

)";

double ratio_value(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0 && value < 1000)) {
    tool::refuse_call("--at-most: found '" + text + "', expected a ratio as in 0.75");
  }
  return value;
}

/// What was asked for, of a comparison.
struct Asked {
  std::optional<SideRequest> a, b;
  std::string name;
  bool device_time = false;
  std::optional<double> at_most;
  std::set<std::string> given;  ///< options beside --a and --b
};

std::vector<Asked> comparisons_of(const tool::CommandLine& line, uint32_t pairs) {
  std::vector<Asked> out;
  for (const auto& [option, value] : line.in_order) {
    if (option == "a") {
      out.push_back({parse_side(option, value), {}, {}, false, {}, {}});
    } else if (option == "b" || option == "name" || option == "judge" || option == "at-most") {
      if (out.empty()) tool::refuse_call("--" + option + " stands before the first --a");
      Asked& asked = out.back();
      if (option != "b" && !asked.given.insert(option).second) {
        tool::refuse_call("found --" + option + " " + value + ", expected one --" + option + " of a comparison");
      }
      if (option == "b") {
        if (asked.b) tool::refuse_call("found --b " + value + ", which has no --a");
        asked.b = parse_side(option, value);
      } else if (option == "name") {
        asked.name = value;
      } else if (option == "at-most") {
        asked.at_most = ratio_value(value);
        if (pairs < 2) tool::refuse_call("--at-most needs the interval of at least 2 pairs");
      } else if (value == "seconds" || value == "device") {
        asked.device_time = value == "device";
      } else {
        tool::refuse_call("--judge: found '" + value + "', expected seconds or device");
      }
    }
  }
  if (out.empty()) tool::refuse_call("--a is missing");
  for (const Asked& asked : out) {
    if (!asked.b) tool::refuse_call("--a " + asked.a->text + " has no --b");
  }
  return out;
}

void write(const std::string& path, const AbRun& run) {
  if (path.empty()) return;
  OutputFiles file(std::span(&path, 1));
  file.write(path, ab_json(run));
  file.commit();
}

}  // namespace

void Measured::add(Pass pass) {
  const DeviceSummary& device = pass.device;
  seconds.push_back(pass.seconds_per_proof());
  device_ns.push_back(static_cast<double>(device.held_ns_per_partition()));
  kernel_busy.push_back(device.kernel_busy());
  lock_held.push_back(device.lock_held());
  bytes_per_second.push_back(device.bytes_per_second());
  last = std::move(pass);
  last.events.clear();
}

Ratio Comparison::ratio(bool of_device_time) const {
  const auto of = [&](const Measured& side) { return of_device_time ? side.device_ns : side.seconds; };
  return paired_ratio(of(sides[0]), of(sides[1]));
}

bool Comparison::holds() const { return !at_most || ratio(device_time).interval->high <= *at_most; }

int ab(int argc, const char* const* argv) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto texts = [](const char* name) { return po::value<std::vector<std::string>>()->value_name(name); };
  po::options_description options("options");
  options.add_options()("a", texts("SIDE"), kSideForm)("b", texts("SIDE"), "what is compared with it")(
      "name", texts("TEXT"), "of the comparison, in what is written")(
      "judge", texts("WHAT"),
      "seconds a proof (the default), or device: device time a partition, in which some ticket holds a lease")(
      "at-most", texts("R"), "exit 1 unless the upper end of the interval of b / a is at most R")(
      "pairs", text("N"), "of each comparison; default 15")("jobs", text("N"), "jobs of all partitions; default 1")(
      "json", text("FILE"), "also write all figures here (cuzk-bench-ab/2), after each comparison")("help",
                                                                                                    "this text");
  Subject::describe(options);
  const tool::CommandLine line = tool::read_command_line(argc, argv, options);
  if (line.has("help")) {
    std::cout << kText << options;
    return 0;
  }
  if (line.has("word")) tool::refuse_call("found '" + line.texts("word").front() + "', expected options alone");
  const auto number = [&](const char* option, uint64_t otherwise) {
    return static_cast<uint32_t>(line.has(option) ? tool::number_value(option, line.text(option), 1, 10000)
                                                  : otherwise);
  };
  const uint32_t pairs = number("pairs", 15);
  const How how{.jobs = number("jobs", 1)};
  const std::vector<Asked> asked = comparisons_of(line, pairs);
  const std::string json = line.text("json");
  require_writable(json);

  Subject subject(line);
  subject.make(asked.front().a->strategy);
  AbRun run{to_string(subject.spec()),
            subject.services.cpu().threads(),
            how.jobs,
            pairs,
            subject.partitions(),
            subject.circuit_seconds(),
            subject.key_seconds(),
            subject.witness_seconds(),
            {}};
  std::vector<Comparison> comparisons;
  for (const Asked& one : asked) {  // all that cannot be composed is refused before anything is measured
    Comparison comparison{one.name, one.device_time, one.at_most, {}};
    comparison.sides[0].side = compose_side(subject.registry, *one.a, subject.key()->shape);
    comparison.sides[1].side = compose_side(subject.registry, *one.b, subject.key()->shape);
    comparisons.push_back(std::move(comparison));
  }
  bool hold = true;
  for (Comparison& comparison : comparisons) {
    for (uint32_t pair = 0; pair < pairs; ++pair) {
      for (uint32_t i = 0; i < 2; ++i) {
        Measured& side = comparison.sides[(pair + i) % 2];
        Pass pass = measure(subject, side.side, how);
        require_all_made(side.side, pass);
        std::fprintf(stderr, "cuzk-bench: pair %u, %s: %.4g s a proof\n", pair + 1, side.side.text.c_str(),
                     pass.seconds_per_proof());
        side.add(std::move(pass));
      }
    }
    print_comparison(comparison);
    hold = hold && comparison.holds();
    run.comparisons.push_back(comparison);
    write(json, run);
  }
  return hold ? 0 : 1;
}

}  // namespace cuzk::bench
