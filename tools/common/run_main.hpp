#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace cuzk::tool {

/// The main function of a program. Gives the exit code of body; what body throws becomes one line on standard error,
/// "NAME: message" with control characters escaped, and the exit code of its kind. An answer that standard output did
/// not take is such an error.
int run_main(std::string_view name, const std::function<int()>& body);

/// Error proof_failed when standard output did not take all that was printed. but: what was done nevertheless.
void flush_output(const std::string& but = {});

}  // namespace cuzk::tool
