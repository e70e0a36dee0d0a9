#include "strategy.hpp"

#include <algorithm>

#include <cuzk/format_bytes.hpp>

namespace cuzk::run {

Composition compose_for(PluginRegistry& registry, const Options& options, const std::vector<const ProvingKey*>& keys) {
  HostServices& services = registry.services();
  const Span span(services, "load plugins");
  registry.scan(options.plugin_path);
  for (const Verdict& verdict : registry.verdicts()) {
    services.log(verdict.ok() ? LogLevel::debug : LogLevel::info, "plugins", to_line(verdict));
  }
  StrategyRequest request = options.request;
  request.curve = keys.front()->shape.curve;
  for (const ProvingKey* const key : keys) request.log2_size = std::max(request.log2_size, key->shape.domain.log2_size);
  Composition composition = compose(registry, request);
  services.log(LogLevel::info, "strategy", composition.reason);
  warn_of_experiment(services, *composition.strategy.lock);
  return composition;
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
