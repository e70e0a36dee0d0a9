#pragma once

namespace cuzk::bench {

/// `cuzk-bench sweep`: every combination of plugins, policies, workers, memory and residency of the key gives the same
/// proofs. @return exit code
int sweep(int argc, const char* const* argv);

}  // namespace cuzk::bench
