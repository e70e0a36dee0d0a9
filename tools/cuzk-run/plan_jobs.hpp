#pragma once
#include "common/command_line.hpp"
#include "options.hpp"

namespace cuzk::run {

/// What the files of the command line ask for: fills in keys, jobs, files, format, out_dir and r1cs. The action is set
/// already. Error usage: too many or too few, options that do not go together, two proofs of one name.
void plan_jobs(const tool::CommandLine&, Options&);

}  // namespace cuzk::run
