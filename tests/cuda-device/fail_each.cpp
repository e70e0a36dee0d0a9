/// cuzk-cuda-fail-each PLUGIN.so [SECONDS]: what becomes of proofs, and of keys made on the device, when one call of
/// the CUDA runtime fails. PLUGIN.so exports `cuzk_faults` (faults.hpp). For each kind of call and every k, as far as
/// SECONDS (default 50) allow, else the first 50, the last 50 (of keys and releases 15) and an even share between: the
/// k-th call while an engine opens and proves fails, and then the k-th while a key is made (rows `/key`); of releases
/// also those while all that closes; of polls, whose number varies, k = 1, 2, 4, 8, ... Then the proof or key is right
/// all the same or there is a cuzk::Error of the kind's code; no error is left for a later call to find; the next proof
/// of the same engine has the bytes that it had before, the next key those that the CPU makes; and the card's free
/// memory, the ledger's and the host pool's bytes are what they were. After that 60 proofs of two circuits in turn,
/// with the card's free memory after the last two as after the third and fourth. At the end a kernel traps: the proof
/// fails, and the next one at once, as those of a lost device; where there is a second device, that one proves. A line
/// for each of these. Exit code 0 if all is right, 1 if not, 2 after an error.

#include "subject.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace cuzk::testing {
namespace {

using Clock = std::chrono::steady_clock;
constexpr uint64_t kEnds = 50, kFewEnds = 15;  // calls at both ends, none of which is left out
constexpr double kMiB = 1 << 20;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

ErrorCode expected_code(Call kind) {
  return kind == Call::allocation || kind == Call::creation ? ErrorCode::out_of_memory : ErrorCode::device_failed;
}

struct Outcome {
  uint64_t tried = 0, typed = 0, succeeded = 0, not_reached = 0, wrong = 0;
  std::string first_wrong = {};

  void add_wrong(uint64_t k, const std::string& what) {
    if (wrong++ == 0) first_wrong = "k = " + std::to_string(k) + ": " + what;
  }
};

class FailEach {
 public:
  FailEach(PluginRegistry& registry, std::shared_ptr<Plugin> plugin, double seconds)
      : registry_(registry),
        plugin_(std::move(plugin)),
        faults_(faults_of(*plugin_)),
        seconds_(seconds),
        small_(registry, "porep:6"),
        other_(registry, "dense:8,curve=bn254") {}

  bool run() {
    std::printf("%-14s %6s %6s %6s %10s %11s %6s\n", "kind", "calls", "tried", "typed", "right", "not reached",
                "wrong");
    for (unsigned i = 0; i < 3; ++i) held_ = held_after_proof();
    bool good = true;
    std::vector<Scene> scenes;
    for (uint32_t kind = 0; kind < static_cast<uint32_t>(Call::count); ++kind) {
      for (const bool key : {false, true}) scenes.push_back({static_cast<Call>(kind), key});
    }
    for (size_t i = 0; i < scenes.size(); ++i) good &= fail_kind(scenes[i], scenes.size() - i);
    good &= many_proofs();
    good &= lose_device();
    return good;
  }

 private:
  Engine engine(const Subject& subject) {
    return Engine(registry_.services(), subject.strategy(registry_, plugin_->name()));
  }

  /// Bytes on the ledger of an engine that has proved.
  uint64_t held_after_proof() {
    Engine opened = engine(small_);
    if (!small_.proves(opened)) throw Error(ErrorCode::unverified, "a proof before any failure is wrong");
    return opened.devices().front().memory.held;
  }

  uint64_t free_memory() const { return plugin_->device(0)->info().memory_free; }
  uint64_t host_memory() const { return registry_.services().memory().held(); }

  /// What calls fail in: an engine of its own that opens and proves, or, of the same circuit, a key whose points the
  /// device makes.
  class Work {
   public:
    virtual ~Work() = default;
    virtual bool goes_well() = 0;  ///< does it; false: a wrong proof or key
    virtual bool holds_as_before() { return true; }
  };
  class Proving final : public Work {
   public:
    explicit Proving(FailEach& all) : all_(all), engine_(all.engine(all.small_)) {}
    bool goes_well() override { return all_.small_.proves(engine_); }
    bool holds_as_before() override { return engine_.devices().front().memory.held == all_.held_; }

   private:
    FailEach& all_;
    Engine engine_;
  };
  class KeyMaking final : public Work {
   public:
    explicit KeyMaking(FailEach& all) : all_(all), strategy_(all.small_.strategy(all.registry_, all.plugin_->name())) {}
    bool goes_well() override {
      HostServices& services = all_.registry_.services();
      if (device_ == nullptr) device_ = all_.small_.multiples(services, strategy_);
      return all_.small_.makes_key(services, *device_);
    }

   private:
    FailEach& all_;
    const Strategy strategy_;
    std::unique_ptr<DeviceMultiples> device_;
  };
  struct Scene {
    Call kind;
    bool key;
    std::string name() const { return kCallNames[static_cast<size_t>(kind)] + std::string(key ? "/key" : ""); }
  };

  std::unique_ptr<Work> work(const Scene& scene) {
    if (scene.key) return std::make_unique<KeyMaking>(*this);
    return std::make_unique<Proving>(*this);
  }

  /// All calls while the work opens what it needs and is done once; closing is counted for releases alone.
  uint64_t count_calls(const Scene& scene) {
    auto once = work(scene);
    faults_.arm(Call::count, 0);
    if (!once->goes_well()) throw Error(ErrorCode::unverified, "a proof or key is wrong before any failure");
    if (scene.kind == Call::release) once.reset();
    return faults_.calls(scene.kind);
  }

  /// rows: how many scenes are left, this one among them.
  bool fail_kind(const Scene& scene, size_t rows) {
    const uint64_t calls = count_calls(scene);
    const double share = (seconds_ - seconds_since(begin_)) / static_cast<double>(rows);
    const uint64_t ends = scene.key || scene.kind == Call::release ? kFewEnds : kEnds;
    const Clock::time_point begin = Clock::now();
    Outcome outcome;
    uint64_t step = 1;
    for (uint64_t k = 1; k <= calls; k += step) {
      fail_one(scene, k, outcome);
      const double each = seconds_since(begin) / static_cast<double>(outcome.tried);
      const uint64_t last = calls > ends ? calls - ends : 0;
      step = 1;
      if (scene.kind == Call::poll) {  // how often a fence is asked is never the same: some from each time
        step = k;
      } else if (k >= ends && k < last) {  // so many that the time lasts to the end
        const double left = std::max(share - seconds_since(begin), each) / each;
        step = std::clamp<uint64_t>(static_cast<uint64_t>(static_cast<double>(calls - k) / left), 1, last - k);
      }
    }
    std::printf("%-14s %6llu %6llu %6llu %10llu %11llu %6llu  %s\n", scene.name().c_str(),
                static_cast<unsigned long long>(calls), static_cast<unsigned long long>(outcome.tried),
                static_cast<unsigned long long>(outcome.typed), static_cast<unsigned long long>(outcome.succeeded),
                static_cast<unsigned long long>(outcome.not_reached), static_cast<unsigned long long>(outcome.wrong),
                outcome.first_wrong.c_str());
    std::fflush(stdout);
    return outcome.wrong == 0 && ((scene.key && calls == 0) || outcome.typed + outcome.succeeded > 0);
  }

  /// The k-th call fails; what is wrong afterwards goes into the outcome. What the driver keeps for itself when it
  /// meets something for the first time is no leak: memory that is gone must be gone again after the same failure.
  void fail_one(const Scene& scene, uint64_t k, Outcome& outcome) {
    ++outcome.tried;
    uint64_t free_before = free_memory();
    const uint64_t host_before = host_memory();
    attempt(scene, k, outcome);
    if (free_memory() < free_before) {
      free_before = free_memory();
      Outcome again;
      attempt(scene, k, again);
      if (again.wrong != 0) outcome.add_wrong(k, again.first_wrong);
      if (const uint64_t now = free_memory(); now < free_before) {
        outcome.add_wrong(k, std::to_string(free_before) + " bytes were free on the card, then " + std::to_string(now));
      }
    }
    if (const uint64_t now = host_memory(); now > host_before) {
      outcome.add_wrong(k, std::to_string(host_before) + " bytes of the host pool, then " + std::to_string(now));
    }
  }

  /// Work that meets the failure, and then does not: the same once more, or, where closing was to fail, another.
  void attempt(const Scene& scene, uint64_t k, Outcome& outcome) {
    try {
      auto tried = work(scene);
      faults_.arm(scene.kind, k);
      try {
        const bool good = tried->goes_well();
        if (scene.kind == Call::release) tried.reset();
        const bool failed = faults_.failed();
        faults_.arm(Call::count, 0);
        if (!good) {
          outcome.add_wrong(k, "a wrong proof or key");
        } else {
          ++(failed ? outcome.succeeded : outcome.not_reached);
        }
      } catch (const Error& error) {
        faults_.arm(Call::count, 0);
        if (error.code() == expected_code(scene.kind)) {
          ++outcome.typed;
        } else {
          outcome.add_wrong(k, "error of code " + std::to_string(static_cast<int>(error.code())) + ": " + error.what());
        }
      }
      if (faults_.left() != 0) outcome.add_wrong(k, "an error is left for a later call to find");
      if (tried == nullptr) tried = work(scene);
      if (!tried->goes_well()) outcome.add_wrong(k, "the next proof or key is wrong");
      if (!tried->holds_as_before()) outcome.add_wrong(k, "other bytes held than before any failure");
    } catch (const Error& error) {
      faults_.arm(Call::count, 0);
      outcome.add_wrong(k, std::string("what came next failed: ") + error.what());
    }
  }

  bool many_proofs() {
    constexpr unsigned kProofs = 60;
    Engine opened = engine(other_);
    std::vector<uint64_t> free;
    for (unsigned i = 0; i < kProofs; ++i) {
      if (!(i % 2 == 0 ? small_ : other_).proves(opened)) {
        std::printf("proof %u of %u is wrong\n", i + 1, kProofs);
        return false;
      }
      free.push_back(free_memory());
    }
    const bool good = free[kProofs - 2] >= free[2] && free[kProofs - 1] >= free[3];
    std::printf(
        "%u proofs of two circuits in turn: %.1f and %.1f MiB free on the card after proofs 3 and 4, %.1f and "
        "%.1f after the last two: %s\n",
        kProofs, static_cast<double>(free[2]) / kMiB, static_cast<double>(free[3]) / kMiB,
        static_cast<double>(free[kProofs - 2]) / kMiB, static_cast<double>(free[kProofs - 1]) / kMiB,
        good ? "ok" : "WRONG");
    return good;
  }

  /// The code of the error that a proof ends with, if it does.
  std::optional<ErrorCode> code_of_proof(Engine& opened, std::string& text) {
    try {
      static_cast<void>(small_.proves(opened));
      text = "no error";
      return std::nullopt;
    } catch (const Error& error) {
      text = error.what();
      return error.code();
    }
  }

  bool lose_device() {
    Engine opened = engine(small_);
    if (!small_.proves(opened)) return false;
    std::string trapped, later;
    faults_.arm_trap(1);
    const bool lost = code_of_proof(opened, trapped) == ErrorCode::unusable && faults_.failed();
    const Clock::time_point begin = Clock::now();
    const bool refused = code_of_proof(opened, later) == ErrorCode::unusable;
    const double seconds = seconds_since(begin);
    const bool good = lost && refused && seconds < 1;
    std::printf("a kernel that traps: %s\nthe next proof, after %.0f ms: %s\nlost device: %s\n", trapped.c_str(),
                1e3 * seconds, later.c_str(), good ? "ok" : "WRONG");
    return good && (plugin_->device_count().count < 2 || other_device_goes_on());
  }

  bool other_device_goes_on() {
    Engine opened(registry_.services(), small_.strategy(registry_, plugin_->name(), {}, {}, 1));
    const bool good = small_.proves(opened);
    std::printf("a proof on %s: %s\n", opened.devices().front().device->name().c_str(), good ? "ok" : "WRONG");
    return good;
  }

  const Clock::time_point begin_ = Clock::now();
  PluginRegistry& registry_;
  std::shared_ptr<Plugin> plugin_;
  const Faults& faults_;
  double seconds_;
  Subject small_, other_;
  uint64_t held_ = 0;
};

}  // namespace
}  // namespace cuzk::testing

int main(int argc, char** argv) {
  using namespace cuzk;
  const double seconds = argc == 3 ? std::atof(argv[2]) : 50;
  if (argc < 2 || argc > 3 || !(seconds > 0)) {
    std::fprintf(stderr, "Usage: cuzk-cuda-fail-each PLUGIN.so [SECONDS]\n");
    return 2;
  }
  try {
    HostServices services;
    PluginRegistry registry(services);
    const auto plugin = testing::load(registry, argv[1]);
    registry.scan();
    return testing::FailEach(registry, plugin, seconds).run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuzk-cuda-fail-each: %s\n", error.what());
    return 2;
  }
}
