#pragma once

namespace cuzk::bench {

/// `cuzk-bench ab`: two strategies on one workload, in alternating pairs. @return exit code
int ab(int argc, const char* const* argv);

}  // namespace cuzk::bench
