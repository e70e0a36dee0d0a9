#pragma once
#include <functional>
#include <memory>
#include <string>

#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/workload.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {

/// $CUZK_CACHE_DIR, else $XDG_CACHE_HOME/cuzk, else $HOME/.cache/cuzk; variables that are empty or no absolute path do
/// not count. Empty where none is left: nothing is kept.
std::string key_cache_folder();

using MakeKey = std::function<std::shared_ptr<const ProvingKey>(const Workload&)>;

/// The key of the workload's conventions and seed: from a file of the folder, where the workload's is there and whole,
/// else made, by `make` or, without one, by setup() on the CPU, and put there for the next time. Beside the key a .sum
/// file has a checksum over all bytes of the key and one of the circuit; a damaged or stale entry is made anew with one
/// warning in the log. A folder that cannot be written to costs a line of information, no error. Any number of
/// processes and threads may share a folder: files are replaced whole. folder: made if missing; empty: none.
std::shared_ptr<const ProvingKey> workload_key(const Workload&, HostServices&,
                                               const std::string& folder = key_cache_folder(),
                                               const MakeKey& make = {});

}  // namespace cuzk
