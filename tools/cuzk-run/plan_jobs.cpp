#include "plan_jobs.hpp"

#include <filesystem>
#include <map>

namespace cuzk::run {
namespace {

std::string counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Keys and witnesses, as options and as leading words, which are taken out of `words`.
class Inputs {
 public:
  Inputs(const tool::CommandLine& line, std::vector<std::string>& words) : line_(line), words_(words) {
    const int ways = (line.has("key") ? 1 : 0) + (line.has("params") ? 1 : 0) + (line.has("workload") ? 1 : 0);
    if (ways > 1) tool::refuse_call("--key, --params and --workload do not go together");
    if (line.has("params") != line.has("pce"))
      tool::refuse_call("--params and --pce belong together; found one of them");
  }

  /// explain: the key alone.
  std::vector<KeyPlace> keys() {
    if (line_.has("workload")) return {workload()};
    if (line_.has("params")) return {params()};
    std::vector<KeyPlace> out;
    for (const std::string& file : line_.texts("key")) out.push_back(zkey(file));
    if (!out.empty()) return out;
    if (words_.empty()) return {KeyPlace{}};
    return {zkey(take_word())};
  }

  void jobs(Options& options) {
    if (line_.has("workload")) {
      if (line_.has("witness")) tool::refuse_call("--workload brings its own witnesses; found --witness");
      options.keys = {workload()};
      for (uint32_t i = 0; i < options.keys[0].workload->partitions; ++i) options.jobs.push_back({0, {}, i, {}, {}});
    } else if (line_.has("key")) {
      keys_in_order(options);
    } else {
      options.keys = keys();
      std::vector<std::string> witnesses = line_.texts("witness");
      if (options.keys[0].kind == KeyPlace::Kind::sample) {
        if (!witnesses.empty()) tool::refuse_call("found a witness, but no key for it");
        witnesses = {std::string()};
      } else if (witnesses.empty()) {
        if (words_.empty()) tool::refuse_call("found a key, but no witness for it");
        witnesses = {take_word()};
      }
      for (const std::string& witness : witnesses) options.jobs.push_back({0, witness, 0, {}, {}});
    }
  }

 private:
  static KeyPlace zkey(const std::string& file) { return {KeyPlace::Kind::zkey, file, {}, {}}; }
  KeyPlace params() const { return {KeyPlace::Kind::params, line_.text("params"), line_.text("pce"), {}}; }
  KeyPlace workload() const { return {KeyPlace::Kind::workload, {}, {}, parse_workload(line_.text("workload"))}; }
  std::string take_word() {
    std::string word = words_.front();
    words_.erase(words_.begin());
    return word;
  }

  void keys_in_order(Options& options) const {
    for (const auto& [option, value] : line_.in_order) {
      if (option == "key") {
        options.keys.push_back(zkey(value));
      } else if (option == "witness") {
        if (options.keys.empty())
          tool::refuse_call("--witness " + value + " stands before every --key; it belongs behind its own");
        options.jobs.push_back({options.keys.size() - 1, value, 0, {}, {}});
      }
    }
    std::vector<bool> used(options.keys.size());
    for (const JobPlan& job : options.jobs) used[job.key] = true;
    for (size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) tool::refuse_call("--key " + options.keys[i].file + " has no --witness behind it");
    }
  }

  const tool::CommandLine& line_;
  std::vector<std::string>& words_;
};

ProofFormat format_of(const tool::CommandLine& line) {
  if (!line.has("proof-format")) return ProofFormat::snarkjs;
  const std::string text = line.text("proof-format");
  if (text == "bellman") return ProofFormat::bellman;
  if (text != "snarkjs") tool::refuse_call("--proof-format: found '" + text + "', expected snarkjs or bellman");
  return ProofFormat::snarkjs;
}

/// What a witness's outputs are called: "w" for "dir/w.wtns".
std::string name_of(const JobPlan& job, const Options& options) {
  if (options.keys[job.key].workload) return "partition-" + std::to_string(job.partition);
  return std::filesystem::path(job.witness).stem().string();
}

void name_in_folder(Options& options) {
  const std::filesystem::path folder = options.out_dir;
  std::map<std::string, std::string> taken;  // name -> witness
  for (JobPlan& job : options.jobs) {
    const std::string name = name_of(job, options);
    const auto [at, is_new] = taken.emplace(name, job.witness);
    if (!is_new) {
      tool::refuse_call("the proofs of " + at->second + " and " + job.witness + " would both be " + name +
                        ".proof.json; witnesses of one call need names of their own");
    }
    job.proof = (folder / (name + (options.format == ProofFormat::bellman ? ".proof.bin" : ".proof.json"))).string();
    job.publics = (folder / (name + ".public.json")).string();
  }
}

void name_outputs(const tool::CommandLine& line, const std::vector<std::string>& words, Options& options) {
  options.out_dir = line.text("out-dir");
  const bool bellman = options.format == ProofFormat::bellman;
  if (!options.out_dir.empty()) {
    if (!words.empty())
      tool::refuse_call("found " + counted(words.size(), "output") +
                        " beside --out-dir, which names them all; each witness needs a --witness of its own");
    if (options.keys[0].kind == KeyPlace::Kind::sample) tool::refuse_call("--out-dir has no meaning for the sample");
    return name_in_folder(options);
  }
  const bool may_be_none = options.keys[0].kind == KeyPlace::Kind::sample || options.keys[0].workload;
  if (words.empty() && may_be_none) return;
  const std::string expected =
      bellman ? "a file for the proof and, if wanted, one for the public signals" : "proof.json and public.json";
  if (options.jobs.size() > 1) {
    tool::refuse_call("found " + std::to_string(options.jobs.size()) + " witnesses to prove and " +
                      counted(words.size(), "output") + ", expected --out-dir");
  }
  if (words.size() != 2 && (!bellman || words.size() != 1)) {
    tool::refuse_call("found " + counted(words.size(), "output") + ", expected " + expected + ", or --out-dir");
  }
  options.jobs[0].proof = words[0];
  if (words.size() == 2) options.jobs[0].publics = words[1];
}

/// Options that could do nothing for these proofs.
void refuse_without_use(const tool::CommandLine& line, const Options& options) {
  if (line.has("proof-format") && options.jobs[0].proof.empty()) {
    tool::refuse_call("--proof-format has no meaning without an output");
  }
  if (!line.has("r1cs")) return;
  if (options.keys[0].workload) tool::refuse_call("--r1cs has no meaning with --workload, which has its constraints");
  if (options.keys.size() > 1)
    tool::refuse_call("--r1cs belongs to one key; found " + counted(options.keys.size(), "key"));
  if (line.has("no-verify")) tool::refuse_call("--r1cs has no meaning with --no-verify");
}

void expect_words(const std::vector<std::string>& words, size_t count, const std::string& what) {
  if (words.size() != count) tool::refuse_call("found " + counted(words.size(), "file") + ", " + what);
}

}  // namespace

std::vector<std::string> JobPlan::outputs() const {
  std::vector<std::string> out;
  if (!proof.empty()) out.push_back(proof);
  if (!publics.empty()) out.push_back(publics);
  return out;
}

void plan_jobs(const tool::CommandLine& line, Options& options) {
  std::vector<std::string> words = line.texts("word");
  options.format = format_of(line);
  options.r1cs = line.text("r1cs");
  switch (options.action) {
    case Action::verify:
      expect_words(words, 3, "--verify expects verification_key.json public.json proof.json");
      options.files = words;
      break;
    case Action::check_witness:
      expect_words(words, 2, "--check-witness expects circuit.r1cs (or a PCE) witness.wtns");
      options.files = words;
      break;
    case Action::calldata:
      expect_words(words, 2, "--calldata expects public.json proof.json");
      options.files = words;
      break;
    case Action::write_workload:
      if (!line.has("workload")) tool::refuse_call("--write writes the files of a --workload; found none");
      expect_words(words, 0, "--write expects a folder and no other file");
      options.keys = Inputs(line, words).keys();
      options.files = {line.text("write")};
      break;
    case Action::simulate:
      if (!line.has("workload") || !line.has("device-model")) {
        tool::refuse_call("--simulate plays a --workload on a --device-model; it needs both");
      }
      expect_words(words, 0, "--simulate expects no file");
      options.keys = Inputs(line, words).keys();
      break;
    case Action::explain:
      options.keys = Inputs(line, words).keys();
      if (options.keys.size() != 1)
        tool::refuse_call("found " + counted(options.keys.size(), "key") + ", --explain expects one");
      expect_words(words, 0, "--explain expects a key, or nothing for the sample");
      break;
    default:
      Inputs(line, words).jobs(options);
      name_outputs(line, words, options);
      refuse_without_use(line, options);
  }
}

}  // namespace cuzk::run
