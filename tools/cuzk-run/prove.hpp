#pragma once
#include "options.hpp"

namespace cuzk::run {

/// Makes all proofs and writes and reports them; returns the exit code, that of the first failure where there are
/// several proofs. The only proof of a run throws its error.
int prove(const Options&);

/// Composes and lays out, and reports that.
int explain(const Options&);

}  // namespace cuzk::run
