#pragma once
#include "options.hpp"
#include "strategy.hpp"

#include <memory>
#include <string>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/witness.hpp>
#include <cuzk/groth16/workload.hpp>

namespace cuzk::run {

struct OpenKey {
  std::shared_ptr<const ProvingKey> key;
  std::shared_ptr<const Workload> workload;  ///< null: the key comes from files
};

/// A file beside the program, in the build tree and where it is installed. Error bad_input.
std::string sample_file(const std::string& file);

/// Opens or makes the key, in spans of their own; checks its subgroups where the options say so.
OpenKey open_key(HostServices&, const Options&, const KeyPlace&, Composer&);

/// Reads or makes the witness of a job, in a span of its own.
Witness open_witness(HostServices&, const OpenKey&, const JobPlan&);

}  // namespace cuzk::run
