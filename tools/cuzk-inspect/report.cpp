#include "report.hpp"

#include "common/escaped.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include <cuzk/curve.hpp>
#include <cuzk/error.hpp>

namespace cuzk::inspect {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

constexpr int kNotUsable = exit_code(ErrorCode::unusable);

/// Columns as wide as their widest cell, empty ones left out; the last one is not padded.
void print_table(std::vector<Row> rows, std::ostream& out, std::string_view indent = "") {
  std::vector<size_t> widths;
  for (Row& row : rows) {
    for (std::string& cell : row) cell = tool::escaped(cell);
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    out << indent;
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      if (widths[i] != 0) out << row[i] << std::string(widths[i] - row[i].size() + 2, ' ');
    }
    out << row.back() << "\n";
  }
}

std::vector<std::string> bit_names(uint32_t set, const std::vector<std::pair<uint32_t, std::string_view>>& known) {
  std::vector<std::string> names;
  for (const auto& [bit, text] : known) {
    if (((set >> bit) & 1u) != 0) names.emplace_back(text);
  }
  return names;
}

std::vector<std::string> spaces(const ComponentInfo& info) {
  if (info.role == Role::lock) return {};
  return bit_names(info.space_kinds, {{CUZK_SPACE_HOST, "host"}, {CUZK_SPACE_MODEL, "cpu"}, {CUZK_SPACE_CUDA, "cuda"}});
}
std::vector<std::string> curves(const ComponentInfo& info) {
  return bit_names(info.curves, {{CUZK_BN254, name(Curve::bn254)}, {CUZK_BLS12_381, name(Curve::bls12_381)}});
}
std::vector<std::string> groups(const ComponentInfo& info) {
  return bit_names(info.groups, {{CUZK_G1, name(Group::g1)}, {CUZK_G2, name(Group::g2)}});
}

std::string joined(const std::vector<std::string>& words, std::string_view separator = " ") {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

/// A plugin like any other, though another one may have its name.
bool is_sound(const Verdict& verdict) { return verdict.stage >= LoadStage::name; }

Json to_json(const Verdict& verdict) {
  Json json{{"path", verdict.path.string()},
            {"ok", verdict.ok()},
            {"sound", is_sound(verdict)},
            {"stage", std::string(name(verdict.stage))}};
  if (!verdict.plugin.empty()) json["plugin"] = verdict.plugin;
  if (!verdict.ok()) json["reason"] = verdict.reason;
  if (!verdict.system_text.empty()) json["system_text"] = verdict.system_text;
  json["notes"] = verdict.notes;
  json["note"] = verdict.note;
  return json;
}

Json to_json(const ComponentInfo& info) {
  Json json{{"name", info.full_name()}, {"role", std::string(name(info.role))}, {"summary", info.summary}};
  if (info.role != Role::lock) json["spaces"] = spaces(info);
  if (info.curves != 0) json["curves"] = curves(info);
  if (info.groups != 0) json["groups"] = groups(info);
  if (info.max_log2_size != 0) json["max_log2_size"] = info.max_log2_size;
  return json;
}

Json to_json(const Plugin& plugin) {
  const Plugin::Facts& facts = plugin.facts();
  Json components = Json::array();
  for (const auto& component : plugin.components()) components.push_back(to_json(component->info()));
  Json json{{"name", facts.name},          {"version", facts.version},           {"license", facts.license},
            {"author", facts.author},      {"built_for", facts.built_for},       {"abi", facts.abi},
            {"path", facts.path.string()}, {"components", std::move(components)}};
  if (!plugin.device_name().empty()) json["device"] = plugin.device_name();
  return json;
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

/// "staging host; ntt radix-2; lock none single-lock"
std::string brings(const Plugin& plugin) {
  std::vector<std::string> roles;
  for (const Role role : {Role::staging, Role::ntt, Role::msm, Role::lock}) {
    std::string names;
    for (const auto& component : plugin.components()) {
      const ComponentInfo& info = component->info();
      if (info.role != role) continue;
      const bool experiment = role == Role::lock && (info.api_flags & CUZK_LOCK_LATE_WORKSPACE) != 0;
      names += " " + info.name + (experiment ? " (experiment)" : "");
    }
    if (!names.empty()) roles.push_back(std::string(name(role)) + names);
  }
  if (!plugin.device_name().empty()) roles.push_back("device " + plugin.device_name());
  return joined(roles, "; ");
}

}  // namespace

int list(const PluginRegistry& registry, bool json, std::ostream& out) {
  if (json) {
    Json plugins = Json::array(), verdicts = Json::array();
    for (const auto& plugin : registry.plugins()) plugins.push_back(to_json(*plugin));
    for (const Verdict& verdict : registry.verdicts()) verdicts.push_back(to_json(verdict));
    out << dump({{"plugins", std::move(plugins)}, {"verdicts", std::move(verdicts)}}) << "\n";
    return 0;
  }
  std::vector<Row> rows;
  for (const auto& plugin : registry.plugins()) {
    const Plugin::Facts& facts = plugin->facts();
    rows.push_back({facts.name, facts.version, brings(*plugin), facts.path.string()});
  }
  print_table(rows, out);
  for (const Verdict& verdict : registry.verdicts()) {
    if (!verdict.ok()) out << "not loaded: " << tool::escaped(to_line(verdict)) << "\n";
  }
  if (registry.verdicts().empty()) out << "no plugin found\n";
  return 0;
}

int show(const PluginRegistry& registry, const std::string& name_of_plugin, bool json, std::ostream& out) {
  const auto plugin = registry.require(name_of_plugin);
  const Plugin::DeviceCount* const devices = plugin->device_name().empty() ? nullptr : &plugin->device_count();
  if (json) {
    Json value = to_json(*plugin);
    if (devices != nullptr) value["device_count"] = devices->count;
    if (devices != nullptr && devices->count == 0) value["no_device_because"] = devices->reason;
    out << dump(value) << "\n";
    return 0;
  }
  const Plugin::Facts& facts = plugin->facts();
  std::vector<Row> rows{{"name", facts.name},           {"version", facts.version},
                        {"license", facts.license},     {"author", facts.author},
                        {"built for", facts.built_for}, {"abi", std::to_string(facts.abi)},
                        {"path", facts.path.string()}};
  if (devices != nullptr) {
    const std::string count = std::to_string(devices->count);
    rows.push_back({"device", plugin->device_name() + ", " +
                                  (devices->count == 0 ? "none: " + devices->reason : "numbers below " + count)});
  }
  print_table(rows, out);
  out << "components\n";
  rows.clear();
  for (const auto& component : plugin->components()) {
    const ComponentInfo& info = component->info();
    rows.push_back({std::string(name(info.role)), info.name, joined(spaces(info)), joined(curves(info)),
                    joined(groups(info)), info.max_log2_size == 0 ? "" : "2^" + std::to_string(info.max_log2_size),
                    info.summary});
  }
  print_table(rows, out, "  ");
  return 0;
}

int why(PluginRegistry& registry, const std::string& candidate, bool json, std::ostream& out) {
  std::error_code error;
  const bool is_path = candidate.find('/') != candidate.npos || candidate.ends_with(".so") ||
                       (registry.find(candidate) == nullptr && std::filesystem::exists(candidate, error));
  std::vector<Verdict> found;
  if (is_path) {
    const auto path = std::filesystem::absolute(candidate).lexically_normal();
    for (const Verdict& verdict : registry.verdicts()) {
      if (verdict.path == path) found.push_back(verdict);
    }
    if (found.empty()) found.push_back(registry.load(path));
  } else {
    const std::string file = "cuzk-plugin-" + candidate + ".so";
    for (const Verdict& verdict : registry.verdicts()) {
      if (verdict.plugin == candidate || verdict.path.filename() == file) found.push_back(verdict);
    }
    if (found.empty()) registry.require(candidate);  // throws, naming those that are there
  }
  Json verdicts = Json::array();
  for (const Verdict& verdict : found) {
    if (json) {
      verdicts.push_back(to_json(verdict));
      continue;
    }
    out << tool::escaped(to_line(verdict)) << "\n";
    if (is_sound(verdict) && !verdict.ok())
      out << "  the file itself is sound: it passed every check but that of its name\n";
    for (const std::string& note : verdict.notes) out << "  " << tool::escaped(note) << "\n";
  }
  if (json) out << dump(verdicts) << "\n";
  return std::any_of(found.begin(), found.end(), [](const Verdict& verdict) { return verdict.ok(); }) ? 0 : kNotUsable;
}

}  // namespace cuzk::inspect
