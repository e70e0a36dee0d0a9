#include "sweep.hpp"

#include "common/command_line.hpp"
#include "common/values.hpp"
#include "measure.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include <cuzk/format_bytes.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/runtime/trace.hpp>

namespace cuzk::bench {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

constexpr const char* kText = R"(usage: cuzk-bench sweep --plugin NAME[,NAME...] --workload SPEC [options]

Proves all partitions in every combination of plugins, lock policies, workers, memory and residency of the key, with
fixed r and s: every proof must verify and have the bytes of the first combination's. A policy that is an experiment
may lose partitions to out_of_memory. For each strategy one byte less than the least that proves must be refused, with
both figures. Exit 1 where anything is otherwise.

)";

/// "1-4", "1,3"
std::vector<uint32_t> numbers_value(const std::string& option, const std::string& text) {
  std::vector<uint32_t> out;
  for (const std::string& item : tool::list_value(option, text)) {
    const size_t dash = item.find('-');
    const auto least = tool::number_value(option, item.substr(0, dash), 1, 256);
    const auto most = dash == item.npos ? least : tool::number_value(option, item.substr(dash + 1), least, 256);
    for (uint64_t i = least; i <= most; ++i) out.push_back(static_cast<uint32_t>(i));
  }
  return out;
}

template <class T>
void refuse_repeated(const std::string& option, std::vector<T> values) {
  std::sort(values.begin(), values.end());
  if (std::adjacent_find(values.begin(), values.end()) != values.end()) {
    tool::refuse_call("--" + option + ": found a value twice, expected each once");
  }
}

/// Error proof_failed: it is no folder and cannot be made one.
void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && std::filesystem::is_directory(path, error)) {
    require_writable(path + "/timeline.json");
    return;
  }
  throw Error(ErrorCode::proof_failed, path + ": found " + (error ? error.message() : "no folder") +
                                           ", expected a folder for timelines (--timelines)");
}

/// What is combined.
struct Axes {
  std::vector<std::string> plugins, locks{"none", "single-lock", "two-lock"};
  std::vector<bool> streamed{false, true};
  std::vector<uint32_t> workers{1, 2, 3, 4};
  std::vector<MemoryWish> memory;
  StrategyRequest base;  ///< what is the same in all

  explicit Axes(const tool::CommandLine& line) {
    if (!line.has("plugin")) tool::refuse_call("--plugin is missing");
    plugins = tool::list_value("plugin", line.text("plugin"));
    if (line.has("locks")) locks = tool::list_value("locks", line.text("locks"));
    if (line.has("workers")) workers = numbers_value("workers", line.text("workers"));
    const std::string wishes = line.has("memory") ? line.text("memory") : "ample,2.2fp,1.3fp,1.0fp";
    for (const std::string& wish : tool::list_value("memory", wishes)) memory.push_back(memory_value("memory", wish));
    if (line.has("bases")) {
      streamed.clear();
      for (const std::string& bases : tool::list_value("bases", line.text("bases"))) {
        streamed.push_back(tool::streamed_value("bases", bases));
      }
    }
    std::vector<std::string> wished;
    for (const MemoryWish& wish : memory) wished.push_back(wish.text);
    refuse_repeated("plugin", plugins);
    refuse_repeated("locks", locks);
    refuse_repeated("workers", workers);
    refuse_repeated("memory", wished);
    refuse_repeated("bases", streamed);
    if (line.has("device")) base.devices = {line.text("device")};
    if (line.has("model")) base.device_model = read_device_model(line.text("model"));
  }

  /// Each strategy once, whatever its memory.
  template <class Use>
  void each(Use&& use) const {
    for (const std::string& plugin : plugins) {
      for (const bool stream : streamed) {
        for (const std::string& lock : locks) {
          for (const uint32_t number : workers) {
            StrategyRequest request = base;
            request.plugin = plugin;
            request.lock = lock;
            request.workers = number;
            request.stream_bases = stream;
            use(SideRequest{
                plugin + ", " + lock + ", workers " + std::to_string(number) + (stream ? ", streamed" : ", resident"),
                request});
          }
        }
      }
    }
  }
};

class Sweep {
 public:
  Sweep(Subject& subject, const tool::CommandLine& line, const Axes& axes)
      : subject_(subject), axes_(axes), timelines_(line.text("timelines")), json_(line.text("json")) {
    how_.warm_up = 1;
    how_.seed = 100;
    if (line.has("jobs")) how_.jobs = static_cast<uint32_t>(tool::number_value("jobs", line.text("jobs"), 1, 10000));
  }

  int run() {
    std::printf("%-44s %-6s %9s %8s  %s\n", "strategy", "memory", "s/proof", "kernels", "savings");
    axes_.each([&](SideRequest request) {
      for (const MemoryWish& memory : axes_.memory) {
        request.memory = memory;
        combination(request);
      }
      try {
        less_than_the_least(request);
      } catch (const Error& error) {
        wrong(request.text, error.what());
      }
    });
    const size_t combinations = rows_.size();
    std::string text = std::to_string(combinations) + " combinations, " + std::to_string(proofs_) + " proofs, ";
    text += wrong_ == 0 ? "verified and the same" : std::to_string(wrong_) + " WRONG";
    if (lost_ != 0) text += "; " + std::to_string(lost_) + " partitions lost by experiments";
    text += "; " + std::to_string(refused_) + " times less than the least refused";
    std::printf("%s\n", text.c_str());
    if (!json_.empty()) {
      const Json json{{"schema", "cuzk-bench-sweep/1"},
                      {"workload", to_string(subject_.spec())},
                      {"threads", subject_.services.cpu().threads()},
                      {"jobs", how_.jobs},
                      {"combinations", combinations},
                      {"proofs", proofs_},
                      {"wrong", wrong_},
                      {"lost", lost_},
                      {"refused", refused_},
                      {"rows", rows_}};
      OutputFiles file(std::span(&json_, 1));
      file.write(json_, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
      file.commit();
    }
    return wrong_ == 0 ? 0 : 1;
  }

 private:
  void wrong(const std::string& where, const std::string& what) {
    ++wrong_;
    std::printf("WRONG  %s: %s\n", where.c_str(), what.c_str());
    std::fflush(stdout);
  }

  void combination(const SideRequest& request) {
    const std::string where = request.text + ", " + request.memory.text;
    try {
      const Side side = compose_side(subject_.registry, request, subject_.key()->shape);
      const Pass pass = measure(subject_, side, how_);
      const bool experiment = side.composition.strategy.lock->books_late();
      if (!pass.layout) {
        const auto failed = std::find_if(pass.made.begin(), pass.made.end(), [](const Made& m) { return m.error; });
        throw Error(
            ErrorCode::proof_failed,
            "the key was not opened" + (failed == pass.made.end() ? "" : std::string(": ") + failed->error->what()));
      }
      uint64_t lost = 0;
      for (size_t i = 0; i < pass.made.size(); ++i) lost += judged(pass.made[i], i, experiment, where) ? 0 : 1;
      lost_ += lost;
      if (side.device_memory && pass.high_water > *side.device_memory) {
        wrong(where,
              format_exact_bytes(pass.high_water) + " held, more than " + format_exact_bytes(*side.device_memory));
      }
      if (!timelines_.empty()) write_timeline(request, pass);
      row(request, side, pass, lost);
    } catch (const Error& error) {
      wrong(where, error.what());
      Json json = named(request);
      json["error"] = error.what();
      rows_.push_back(std::move(json));
    }
  }

  static Json named(const SideRequest& request) {
    return {{"plugin", request.strategy.plugin},
            {"lock", request.strategy.lock},
            {"workers", request.strategy.workers},
            {"bases", request.strategy.stream_bases ? "streamed" : "resident"},
            {"memory", request.memory.text}};
  }

  /// False: lost, as an experiment may.
  bool judged(const Made& made, size_t index, bool experiment, const std::string& where) {
    const size_t partition = index % subject_.partitions();
    if (made.error) {
      if (experiment && made.error->code() == ErrorCode::out_of_memory) return false;
      wrong(where, made.error->what());
      return true;
    }
    if (!made.failures.empty()) wrong(where, "a second attempt after: " + made.failures.front());
    if (expected_.size() <= partition) expected_.resize(partition + 1);
    if (expected_[partition].empty()) expected_[partition] = made.proof;
    if (expected_[partition] != made.proof) {
      wrong(where, "partition " + std::to_string(partition) + ": another proof than the first combination's");
    } else {
      ++proofs_;
    }
    return true;
  }

  void row(const SideRequest& request, const Side& side, const Pass& pass, uint64_t lost) {
    std::string savings;
    const Layout& layout = *pass.layout;
    for (const std::string& saving : layout.savings) savings += (savings.empty() ? "" : ", ") + saving;
    if (lost != 0) savings += (savings.empty() ? "" : "; ") + std::to_string(lost) + " lost";
    std::printf("%-44s %-6s %9.4f %6.1f %%  %s\n", request.text.c_str(), request.memory.text.c_str(),
                pass.seconds_per_proof(), 100 * pass.device.kernel_busy(), savings.c_str());
    std::fflush(stdout);
    Json json = named(request);
    json["device_memory"] = side.device_memory ? Json(*side.device_memory) : Json();
    json["high_water"] = pass.high_water;
    json["key_bytes"] = layout.key;
    json["slots"] = layout.slots;
    json["savings"] = layout.savings;
    json["lost"] = lost;
    json["seconds_per_proof"] = pass.seconds_per_proof();
    json["kernel_busy"] = pass.device.kernel_busy();
    json["bytes_per_partition"] = pass.device.bytes_per_partition();
    rows_.push_back(std::move(json));
  }

  /// Of what proofs did; "cuda-prestage_two-lock_2_resident_1.3fp.json".
  void write_timeline(const SideRequest& request, const Pass& pass) const {
    const StrategyRequest& asked = request.strategy;
    const std::string path = timelines_ + "/" + asked.plugin + "_" + asked.lock + "_" + std::to_string(asked.workers) +
                             (asked.stream_bases ? "_streamed_" : "_resident_") + request.memory.text + ".json";
    OutputFiles file(std::span(&path, 1));
    file.write(path, chrome_trace(pass.events, pass.begin_ns));
    file.commit();
  }

  void less_than_the_least(const SideRequest& request) {
    const Strategy strategy = compose_side(subject_.registry, request, subject_.key()->shape).composition.strategy;
    const uint64_t least =
        least_footprint(strategy, *strategy.devices.front(), subject_.key()->shape, subject_.services.cpu().threads());
    Engine engine(subject_.services, strategy, least - 1);
    try {
      engine.prove(subject_.key(), WitnessSource([&] { return subject_.witness(0); }));
      wrong(request.text, "less than the least was enough");
    } catch (const Error& error) {
      const std::string message = error.what();
      const auto names = [&](uint64_t bytes) { return message.find(format_exact_bytes(bytes)) != message.npos; };
      if (error.code() == ErrorCode::out_of_memory && names(least) && names(least - 1)) {
        ++refused_;
      } else {
        wrong(request.text, "less than the least was refused otherwise: " + message);
      }
    }
    subject_.services.timeline().take();
  }

  Subject& subject_;
  const Axes& axes_;
  const std::string timelines_, json_;
  How how_;
  std::vector<std::string> expected_;  ///< proofs, by partition
  Json rows_ = Json::array();
  uint64_t proofs_ = 0, wrong_ = 0, lost_ = 0, refused_ = 0;
};

}  // namespace

int sweep(int argc, const char* const* argv) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("options");
  options.add_options()("plugin", text("LIST"), "plugins, cuda-baseline,cuda-prestage")(
      "locks", text("LIST"), "policies; default none,single-lock,two-lock")("workers", text("LIST"), "default 1-4")(
      "memory", text("LIST"),
      "of the device: ample, sizes, or footprints beside the key; default ample,2.2fp,1.3fp,1.0fp")(
      "bases", text("LIST"), "default resident,streamed")("device", text("NAME"), "cuda:0")(
      "model", text("FILE"), "let cpu:N play a card")("jobs", text("N"), "jobs of all partitions; default 1")(
      "timelines", text("DIR"), "write a Chrome trace of each combination here")(
      "json", text("FILE"), "also write all figures here (cuzk-bench-sweep/1)")("help", "this text");
  Subject::describe(options);
  const tool::CommandLine line = tool::read_command_line(argc, argv, options);
  if (line.has("help")) {
    std::cout << kText << options;
    return 0;
  }
  if (line.has("word")) tool::refuse_call("found '" + line.texts("word").front() + "', expected options alone");
  const Axes axes(line);
  require_writable(line.text("json"));
  if (line.has("timelines")) make_folder(line.text("timelines"));
  Subject subject(line);
  StrategyRequest where = axes.base;
  where.plugin = axes.plugins.front();
  subject.make(where);
  return Sweep(subject, line, axes).run();
}

}  // namespace cuzk::bench
