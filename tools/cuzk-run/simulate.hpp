#pragma once
#include "options.hpp"

namespace cuzk::run {

/// Plays the partitions of a porep workload on the modelled card, proving none, and prints what they took. Returns the
/// exit code: that of out of memory where the lock policy lost partitions.
int simulate(const Options&);

}  // namespace cuzk::run
