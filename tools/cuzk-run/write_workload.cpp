#include "write_workload.hpp"

#include "common/run_main.hpp"
#include "folder.hpp"
#include "interrupts.hpp"
#include "log.hpp"
#include "progress.hpp"
#include "report.hpp"

#include <filesystem>
#include <functional>
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

/// A file of the folder and who writes it.
struct Item {
  std::string path;
  std::function<void(const ByteSink&)> write;
};

std::string witness_name(uint32_t partition, uint32_t partitions) {
  return partitions == 1 ? "witness.wtns" : "partition-" + std::to_string(partition) + ".wtns";
}

/// The files in the order in which they are written; keys are made when their turn comes.
std::vector<Item> items_of(HostServices& services, const Workload& workload, const std::filesystem::path& folder) {
  const auto circuit = workload.circuit();
  const uint64_t seed = workload.spec().seed;
  std::vector<Item> items;
  const auto add = [&](const std::string& name, std::function<void(const ByteSink&)> write) {
    items.push_back({(folder / name).string(), std::move(write)});
  };
  add("circuit.r1cs", [circuit](const ByteSink& sink) { write_r1cs(*circuit, sink); });
  for (uint32_t i = 0; i < workload.spec().partitions; ++i) {
    add(witness_name(i, workload.spec().partitions), [&services, &workload, i](const ByteSink& sink) {
      write_wtns(workload.witness(i, services.cpu(), services.memory()), sink);
    });
  }
  const auto setup_for = [&services, circuit, seed](Conventions conventions) {
    return setup(circuit, conventions, seed, services.cpu());
  };
  const auto made = std::make_shared<std::shared_ptr<const ProvingKey>>();  // for the two files of one key
  const auto snarkjs_key = [=]() -> const ProvingKey& {
    if (!*made) *made = setup_for(Conventions::snarkjs);
    return **made;
  };
  add("circuit.zkey", [=](const ByteSink& sink) { write_zkey(snarkjs_key(), *circuit, sink); });
  add("verification_key.json", [=](const ByteSink& sink) {
    const std::string text = verification_key_json(snarkjs_key().verifying_key);
    sink(std::as_bytes(std::span(text)));
    made->reset();
  });
  if (circuit->curve == Curve::bls12_381) {
    add("circuit.params", [=](const ByteSink& sink) { write_params(*setup_for(Conventions::bellman), sink); });
    add("circuit.pce", [circuit, &services](const ByteSink& sink) { write_pce(*circuit, services.cpu(), sink); });
  }
  return items;
}

}  // namespace

int write_workload(const Options& options) {
  HostServices services(options.threads, log_to_stderr(options.log_level));
  const Interrupts interrupts(services);
  const Progress progress(services, 0);
  const std::filesystem::path folder = options.files.front();
  make_folder(folder.string());
  const Workload workload(*options.keys.front().workload);
  const std::vector<Item> items = items_of(services, workload, folder);
  std::vector<std::string> paths;
  for (const Item& item : items) paths.push_back(item.path);
  OutputFiles files(paths);
  for (const Item& item : items) {
    const Span span(services, "write " + item.path);
    item.write(files.sink(item.path));
    interrupts.check();
  }
  files.commit();
  print_written(to_string(workload.spec()), paths, options.json, std::cout);
  tool::flush_output("the files were written to " + folder.string());
  return 0;
}

}  // namespace cuzk::run
