#pragma once
#include "options.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/groth16/prover.hpp>
#include <cuzk/loader/compose.hpp>

namespace cuzk::run {

/// What a run of cuzk-run has to tell.
struct Report {
  const Options& options;
  const ProvingKey& key;
  const Composition& composition;
  const Layout& layout;
  Ledger::Figures memory;
  uint32_t threads;
  // of a proof; not for --explain
  std::optional<ProofResult> result;
  std::vector<Event> events;
  uint64_t total_ns = 0;
  std::vector<std::string> written;
  uint64_t least_footprint = 0;  ///< bytes; of --explain
};

/// A short aligned summary for people or, with --json, the schema "cuzk-run/1". Never a witness value.
void print(const Report&, std::ostream&);

/// The word on a proof of others, in the same two forms.
void print_verdict(bool holds, bool json, std::ostream&);

}  // namespace cuzk::run
