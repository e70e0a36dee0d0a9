#include "endure.hpp"

#include "common/command_line.hpp"
#include "common/values.hpp"
#include "measure.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cuzk/format_bytes.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/runtime/job_queue.hpp>
#include <cuzk/runtime/ledger.hpp>

namespace cuzk::bench {
namespace {

namespace po = boost::program_options;

/// What the process has.
struct Held {
  uint64_t resident = 0, handles = 0, threads = 0;
  uint64_t device_free = 0;  ///< on the device, for every process; 0: the device is the host's memory

  static Held now(const Device& device) {
    Held held;
    uint64_t size = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> size >> pages;
    held.resident = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    held.handles = entries("/proc/self/fd");
    held.threads = entries("/proc/self/task");
    if (!device.host_addressable()) held.device_free = device.info().memory_free;
    return held;
  }

 private:
  static uint64_t entries(const char* folder) {
    const std::filesystem::directory_iterator listing(folder);
    return static_cast<uint64_t>(std::distance(begin(listing), end(listing)));
  }
};

nlohmann::ordered_json to_json(const Held& held) {
  return {{"resident", held.resident},
          {"handles", held.handles},
          {"threads", held.threads},
          {"device_free", held.device_free}};
}

void print(const char* when, const Held& held) {
  std::printf("%-16s %s of the host, %llu handles, %llu threads", when, format_bytes(held.resident).c_str(),
              static_cast<unsigned long long>(held.handles), static_cast<unsigned long long>(held.threads));
  if (held.device_free != 0) std::printf(", %s free on the device", format_exact_bytes(held.device_free).c_str());
  std::printf("\n");
}

/// All proofs with one engine, some at a time.
uint64_t prove(Subject& subject, Engine& engine, uint64_t count) {
  JobQueue queue(engine.most_in_flight());
  std::vector<std::future<void>> done;
  for (uint64_t i = 0; i < count; ++i) {
    done.push_back(queue.submit([&, i](uint64_t) {
      const ProofResult result =
          engine.prove(subject.key(), WitnessSource([&] { return subject.witness(i % subject.partitions()); }));
      if (!result.failures.empty())
        throw Error(ErrorCode::proof_failed, "a second attempt after: " + result.failures[0]);
    }));
  }
  for (auto& one : done) one.get();
  subject.services.timeline().take();
  return count;
}

}  // namespace

int endure(int argc, const char* const* argv) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("options");
  options.add_options()("side", text("SIDE"), kSideForm)("proofs", text("N"), "in one process; default 200")(
      "json", text("FILE"), "also write the figures here (cuzk-bench-endure/1)")("help", "this text");
  Subject::describe(options);
  const tool::CommandLine line = tool::read_command_line(argc, argv, options);
  if (line.has("help")) {
    std::cout
        << "usage: cuzk-bench endure --side SIDE --workload SPEC [options]\n\n"
           "Proves in one process and compares what it holds after a quarter of the proofs and after all: no more\n"
           "of the device, no more handles and threads, at most 16 MiB more of the host. Exit 1 otherwise.\n\n"
        << options;
    return 0;
  }
  if (line.has("word")) tool::refuse_call("found '" + line.texts("word").front() + "', expected options alone");
  if (!line.has("side")) tool::refuse_call("--side is missing");
  const uint64_t proofs = line.has("proofs") ? tool::number_value("proofs", line.text("proofs"), 4, 1'000'000) : 200;
  const SideRequest request = parse_side("side", line.text("side"));
  require_writable(line.text("json"));
  Subject subject(line);
  subject.make(request.strategy);
  const Side side = compose_side(subject.registry, request, subject.key()->shape);
  const Device& device = *side.composition.strategy.devices.front();
  Engine engine(subject.services, side.composition.strategy, side.device_memory);
  uint64_t made = prove(subject, engine, proofs / 4);
  const Held before = Held::now(device);
  while (made < proofs) made += prove(subject, engine, std::min(proofs - made, std::max<uint64_t>(proofs / 4, 1)));
  const Held after = Held::now(device);

  print("after a quarter", before);
  print("after all", after);
  constexpr uint64_t kSlack = uint64_t{16} << 20;
  const bool grew = after.resident > before.resident + kSlack || after.handles > before.handles ||
                    after.threads > before.threads || after.device_free < before.device_free;
  std::printf("%llu proofs, verified; %s\n", static_cast<unsigned long long>(made), grew ? "GROWN" : "nothing grew");
  if (line.has("json")) {
    const std::string path = line.text("json");
    const nlohmann::ordered_json json{{"schema", "cuzk-bench-endure/1"},
                                      {"workload", to_string(subject.spec())},
                                      {"side", side.text},
                                      {"proofs", made},
                                      {"before", to_json(before)},
                                      {"after", to_json(after)},
                                      {"grew", grew}};
    OutputFiles file(std::span(&path, 1));
    file.write(path, json.dump(1) + "\n");
    file.commit();
  }
  return grew ? 1 : 0;
}

int hold(int argc, const char* const* argv) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("options");
  options.add_options()("plugin", text("NAME"), "whose device")("device", text("NAME"), "cuda:0; default: its first")(
      "leave", text("SIZE"), "for others to use, as they count it")(
      "plugin-path", po::value<std::vector<std::string>>()->value_name("DIR"),
      "folder or file searched for plugins first")("help", "this text");
  const tool::CommandLine line = tool::read_command_line(argc, argv, options);
  if (line.has("help")) {
    std::cout << "usage: cuzk-bench hold --plugin NAME --leave SIZE\n\n"
                 "Takes the memory of a device away from other processes, until standard input ends.\n\n"
              << options;
    return 0;
  }
  if (line.has("word")) tool::refuse_call("found '" + line.texts("word").front() + "', expected options alone");
  if (!line.has("leave")) tool::refuse_call("--leave is missing");
  const uint64_t leave = tool::size_value("leave", line.text("leave"));
  HostServices services;
  PluginRegistry registry(services);
  registry.scan(tool::plugin_path(line));
  StrategyRequest request;
  request.plugin = line.text("plugin");
  if (line.has("device")) request.devices = {line.text("device")};
  const auto device = compose(registry, request).strategy.devices.front();
  Ledger ledger(device);
  const uint64_t available = ledger.available();
  if (available <= leave) {
    throw Error(ErrorCode::out_of_memory, device->name() + ": " + format_exact_bytes(available) +
                                              " available, no more than are to be left (--leave)");
  }
  const Ledger::Region held = ledger.take(available - leave, "what is held");
  std::cout << "holding " << format_exact_bytes(held.memory().bytes) << " of " << device->name() << ", "
            << format_exact_bytes(ledger.available()) << " left" << std::endl;
  for (std::string ignored; std::getline(std::cin, ignored);) {
  }
  return 0;
}

}  // namespace cuzk::bench
