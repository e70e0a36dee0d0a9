#include "write_workload.hpp"

#include "common/run_main.hpp"
#include "folder.hpp"
#include "interrupts.hpp"
#include "log.hpp"
#include "progress.hpp"
#include "report.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <span>

#include <cuzk/error.hpp>
#include <cuzk/formats/iden3_writers.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/output_files.hpp>
#include <cuzk/formats/params.hpp>
#include <cuzk/formats/pce.hpp>
#include <cuzk/groth16/setup.hpp>

namespace cuzk::run {
namespace {

std::string witness_file(uint32_t partition, uint32_t partitions) {
  return partitions == 1 ? "witness.wtns" : "partition-" + std::to_string(partition) + ".wtns";
}

std::vector<std::string> files_of(const WorkloadSpec& spec) {
  std::vector<std::string> names{"circuit.r1cs", "circuit.zkey", "verification_key.json"};
  if (spec.curve == Curve::bls12_381) names.insert(names.end(), {"circuit.params", "circuit.pce"});
  for (uint32_t i = 0; i < spec.partitions; ++i) names.push_back(witness_file(i, spec.partitions));
  return names;
}

class Writer {
 public:
  Writer(HostServices& services, const Interrupts& interrupts, const std::filesystem::path& folder, OutputFiles& files)
      : services_(services), interrupts_(interrupts), folder_(folder), files_(files) {}

  void all(const Workload& workload) {
    const auto circuit = workload.circuit();
    const WorkloadSpec& spec = workload.spec();
    write("circuit.r1cs", [&](const ByteSink& sink) { write_r1cs(*circuit, sink); });
    for (uint32_t i = 0; i < spec.partitions; ++i) {
      write(witness_file(i, spec.partitions),
            [&](const ByteSink& sink) { write_wtns(workload.witness(i, services_.cpu(), services_.memory()), sink); });
    }
    {
      const auto key = make_key(circuit, Conventions::snarkjs, spec.seed);
      write("circuit.zkey", [&](const ByteSink& sink) { write_zkey(*key, *circuit, sink); });
      write("verification_key.json", [&](const ByteSink& sink) {
        const std::string text = verification_key_json(key->verifying_key);
        sink(std::as_bytes(std::span(text)));
      });
    }
    if (spec.curve != Curve::bls12_381) return;
    const auto key = make_key(circuit, Conventions::bellman, spec.seed);
    write("circuit.params", [&](const ByteSink& sink) { write_params(*key, sink); });
    write("circuit.pce", [&](const ByteSink& sink) { write_pce(*circuit, services_.cpu(), sink); });
  }

 private:
  std::shared_ptr<const ProvingKey> make_key(const std::shared_ptr<const Circuit>& circuit, Conventions conventions,
                                             uint64_t seed) const {
    const Span span(services_, "make key");
    auto key = setup(circuit, conventions, seed, services_.cpu());
    interrupts_.check();
    return key;
  }

  template <class Write>
  void write(const std::string& name, const Write& write_to) const {
    const Span span(services_, "write " + name);
    write_to(files_.sink((folder_ / name).string()));
    interrupts_.check();
  }

  HostServices& services_;
  const Interrupts& interrupts_;
  const std::filesystem::path folder_;
  OutputFiles& files_;
};

}  // namespace

int write_workload(const Options& options) {
  HostServices services(options.threads, log_to_stderr(options.log_level));
  const Interrupts interrupts(services);
  const std::filesystem::path folder = options.files.front();
  make_folder(folder.string());
  const Workload workload(*options.keys.front().workload);
  std::vector<std::string> paths;
  for (const std::string& name : files_of(workload.spec())) paths.push_back((folder / name).string());
  {
    const Progress progress(services, 0);
    OutputFiles files(paths);
    try {
      Writer(services, interrupts, folder, files).all(workload);
    } catch (const Error&) {
      interrupts.check();  // what was stopped says where; the user wants to know why
      throw;
    }
    files.commit();
  }
  print_written(to_string(workload.spec()), paths, options.json, std::cout);
  tool::flush_output("the files were written to " + folder.string());
  return 0;
}

}  // namespace cuzk::run
