#pragma once

namespace cuzk::bench {

/// `cuzk-bench endure`: a process that proves and proves holds no more memory, handles and threads at the end than
/// after a quarter. @return exit code
int endure(int argc, const char* const* argv);

/// `cuzk-bench hold`: takes the memory of a device away from other processes, until standard input ends. @return exit
/// code
int hold(int argc, const char* const* argv);

}  // namespace cuzk::bench
