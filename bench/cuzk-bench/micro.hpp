#pragma once

namespace cuzk::bench {

/// `cuzk-bench micro`: NTT and MSM of a composed strategy, operands where they are used. @return exit code: 1 when an
/// MSM gave a wrong sum
int micro(int argc, const char* const* argv);

}  // namespace cuzk::bench
