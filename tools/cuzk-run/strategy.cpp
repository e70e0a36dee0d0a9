#include "strategy.hpp"

#include "common/workload_key.hpp"

#include <algorithm>

#include <cuzk/format_bytes.hpp>
#include <cuzk/groth16/setup.hpp>

namespace cuzk::run {

void Composer::find_plugins() {
  if (found_) return;
  HostServices& services = registry_.services();
  registry_.scan(options_.plugin_path);
  for (const Verdict& verdict : registry_.verdicts()) {
    services.log(verdict.ok() ? LogLevel::debug : LogLevel::info, "plugins", to_line(verdict));
  }
  found_ = true;
}

Composition Composer::compose_for(Curve curve, uint32_t log2_domain) {
  const Span span(registry_.services(), "load plugins");
  find_plugins();
  StrategyRequest request = options_.request;
  request.curve = curve;
  request.log2_size = log2_domain;
  return compose(registry_, request);
}

Composition Composer::compose_for(const std::vector<const ProvingKey*>& keys) {
  uint32_t log2_domain = 0;
  for (const ProvingKey* const key : keys) log2_domain = std::max(log2_domain, key->shape.domain.log2_size);
  Composition composition = compose_for(keys.front()->shape.curve, log2_domain);
  registry_.services().log(LogLevel::info, "strategy", composition.reason);
  warn_of_experiment(registry_.services(), *composition.strategy.lock);
  return composition;
}

std::shared_ptr<const ProvingKey> make_key(HostServices& services, const Options& options, Composer& composer,
                                           const Workload& workload) {
  const auto& circuit = workload.circuit();
  const Composition composition = composer.compose_for(circuit->curve, domain_log2(*circuit));
  return tool::make_key(services, composition.strategy, workload, options.device_memory);
}

void warn_of_experiment(const HostServices& services, const LockComponent& lock) {
  if (!lock.books_late()) return;
  services.log(LogLevel::warn, "strategy", lock.info().full_name() + ": " + lock.info().summary);
}

void log_layout(const HostServices& services, const Layout& layout) {
  std::string savings;
  for (const std::string& saving : layout.savings) savings += (savings.empty() ? "" : ", ") + saving;
  services.log(LogLevel::info, "memory",
               format_bytes(layout.total()) + "; savings: " + (savings.empty() ? "none" : savings));
}

}  // namespace cuzk::run
