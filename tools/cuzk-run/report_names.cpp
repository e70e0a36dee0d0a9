#include "report.hpp"

#include <algorithm>

namespace cuzk::run {

std::string description(const Device& device) {
  if (device.lost()) return "lost";  // asked, it would only say so as an error
  const cuzk_str name = device.info().name;
  return {name.data == nullptr ? "" : name.data, name.size};
}

std::string lock_words(const LockComponent& lock) {
  return lock.info().full_name() + (lock.books_late() ? " (EXPERIMENT: proofs fail where memory is short)" : "");
}

Summary summary_of(const Report& report) {
  Summary summary{summarise(report.events), {}, 0, report.host_high_water};
  uint64_t begin_ns = UINT64_MAX, end_ns = 0;
  for (const Outcome& outcome : report.outcomes) {
    if (!outcome.result) continue;
    summary.latencies_ns.push_back(outcome.end_ns - outcome.begin_ns);
    begin_ns = std::min(begin_ns, outcome.begin_ns);
    end_ns = std::max(end_ns, outcome.end_ns);
  }
  if (end_ns != 0) summary.proving_ns = end_ns - begin_ns;
  return summary;
}

}  // namespace cuzk::run
