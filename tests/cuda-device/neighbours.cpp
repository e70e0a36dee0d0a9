/// cuzk-cuda-neighbours PLUGIN.so FAULTS.so: whether two plugins, each with a CUDA runtime of its own linked in, can
/// work on one device. FAULTS.so exports `cuzk_faults` (faults.hpp). Device memory, page-locked memory and events of
/// one are used by the other, in whole proofs that have the bytes of cpu-reference; then calls of one fail, and the
/// other goes on. A line for each of these. Exit code 0 if all is right, 1 if not, 2 after an error.

#include "subject.hpp"

#include <cstdio>
#include <functional>

namespace cuzk::testing {
namespace {

class Neighbours {
 public:
  Neighbours(PluginRegistry& registry, std::shared_ptr<Plugin> one, std::shared_ptr<Plugin> other)
      : registry_(registry),
        one_(std::move(one)),
        other_(std::move(other)),
        faults_(faults_of(*other_)),
        subjects_{{registry, "porep:8"}, {registry, "dense:10,curve=bn254"}} {}

  bool run() {
    const std::string a = one_->name(), b = other_->name();
    say("device memory of " + a + " as " + b + " sees it", [&] { return allocated(); });
    say("page-locked memory of " + a + " as " + b + " sees it", [&] { return pinned(); });
    for (const auto& [owner, guest] : {std::pair(a, b), std::pair(b, a)}) {
      const std::string with = ", memory and events of " + owner;
      say(guest + "'s NTT" + with, [&] { return proves(owner, guest + "/ntt", ""); });
      say(guest + "'s MSM" + with, [&] { return proves(owner, "", guest + "/pippenger"); });
      say(guest + "'s NTT and MSM" + with, [&] { return proves(owner, guest + "/ntt", guest + "/pippenger"); });
    }
    say("a launch that " + b + "'s NTT cannot do is its own", [&] { return blames(a, b); });
    say(a + " after that", [&] { return proves(a, "", ""); });
    say(b + " after that", [&] { return proves(b, "", ""); });
    say("an error that " + b + " did not ask for", [&] { return faults_.leave_last_error(); });
    say(a + " beside it", [&] { return proves(a, "", ""); });
    return good_;
  }

 private:
  struct Pinned {
    Device& device;
    HostPool& pool;
    std::span<std::byte> block;
    ~Pinned() {
      device.unpin(block);
      pool.give(block);
    }
  };

  void say(const std::string& what, const std::function<bool()>& body) {
    std::string verdict = "ok";
    try {
      if (!body()) verdict = "WRONG";
    } catch (const Error& error) {
      verdict = std::string("WRONG: ") + error.what();
    }
    good_ &= verdict == "ok";
    std::printf("%-72s %s\n", what.c_str(), verdict.c_str());
    std::fflush(stdout);
  }

  bool allocated() {
    Device& device = *one_->device(0);
    const cuzk_mem memory = device.alloc(4096);
    const int32_t type = memory_type(memory.data);
    device.free(memory);
    return type == 2;
  }
  int32_t memory_type(const void* address) const { return faults_.memory_type(address); }

  bool pinned() {
    HostPool& pool = registry_.services().memory();
    const auto block = pool.take(4 << 20, "a block to pin");
    if (memory_type(block.data()) != 0) return false;
    one_->device(0)->pin(block);
    const Pinned pinned{*one_->device(0), pool, block};
    return memory_type(block.data()) == 1;
  }

  bool proves(const std::string& plugin, const std::string& ntt, const std::string& msm) {
    for (const Subject& subject : subjects_) {
      Engine engine(registry_.services(), subject.strategy(registry_, plugin, ntt, msm));
      if (!subject.proves(engine) || !subject.proves(engine)) return false;
    }
    return true;
  }

  /// A launch of the guest's fails in a proof on the owner's device: the failed attempt names the guest, and the second
  /// one and the engine's next proof are right.
  bool blames(const std::string& owner, const std::string& guest) {
    const Subject& subject = subjects_[0];
    Engine engine(registry_.services(), subject.strategy(registry_, owner, guest + "/ntt"));
    if (!subject.proves(engine)) return false;
    faults_.arm(Call::launch, 1);
    const ProofResult result = subject.prove(engine);
    faults_.arm(Call::count, 0);
    return subject.right(result) && result.plainest && result.failures.size() == 1 &&
           result.failures[0].find(guest + "/ntt") != std::string::npos && subject.proves(engine);
  }

  PluginRegistry& registry_;
  std::shared_ptr<Plugin> one_, other_;
  const Faults& faults_;
  Subject subjects_[2];
  bool good_ = true;
};

}  // namespace
}  // namespace cuzk::testing

int main(int argc, char** argv) {
  using namespace cuzk;
  if (argc != 3) {
    std::fprintf(stderr, "Usage: cuzk-cuda-neighbours PLUGIN.so FAULTS.so\n");
    return 2;
  }
  try {
    HostServices services;
    PluginRegistry registry(services);
    const auto one = testing::load(registry, argv[1]), other = testing::load(registry, argv[2]);
    registry.scan();
    return testing::Neighbours(registry, one, other).run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuzk-cuda-neighbours: %s\n", error.what());
    return 2;
  }
}
