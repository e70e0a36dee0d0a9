#include "check_plugin.hpp"

#include "table.hpp"

#include <set>
#include <string_view>
#include <utility>

#include <cuzk/device.hpp>
#include <cuzk/error.hpp>

namespace cuzk {
namespace {

constexpr uint64_t kLongestText = 64 << 10;  ///< bytes

[[noreturn]] void bad(const std::string& where, const std::string& what) {
  throw Error(ErrorCode::unusable, where + ": " + what);
}

bool is_name(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !text.empty() && text.find_first_not_of(kLetters) == text.npos;
}

/// The text, where it can be one: what stands there is the plugin's word alone.
std::string require_text(const std::string& where, const char* what, cuzk_str s) {
  if (s.data == nullptr && s.size != 0) bad(where, std::string(what) + " is null, expected a text");
  if (s.size > kLongestText) {
    bad(where, std::string(what) + " has " + std::to_string(s.size) + " bytes, expected at most " +
                   std::to_string(kLongestText));
  }
  return text(s);
}

std::string require_name(const std::string& where, cuzk_str s) {
  std::string name = require_text(where, "name", s);
  if (!is_name(name)) bad(where, "name '" + one_line(name) + "', expected [a-z0-9-]+");
  return name;
}

bool is_assigned(uint32_t space_kind) {
  return space_kind <= CUZK_SPACE_CUDA || (space_kind >= CUZK_SPACE_VENDOR && space_kind <= CUZK_SPACE_VENDOR_LAST);
}

/// True for a set with a kind whose memory core cannot read itself.
bool leaves_host_memory(uint32_t space_kinds) {
  for (uint32_t kind = 0; kind < 32; ++kind) {
    if (((space_kinds >> kind) & 1u) != 0 && !host_addressable(kind)) return true;
  }
  return false;
}

void require_spaces(const std::string& where, uint32_t space_kinds) {
  if (space_kinds == 0) bad(where, "runs in no space: space_kinds is 0");
  for (uint32_t kind = 0; kind < 32; ++kind) {
    if (((space_kinds >> kind) & 1u) != 0 && !is_assigned(kind)) {
      bad(where, "runs in spaces of kind " + std::to_string(kind) + ", which is not assigned");
    }
  }
}

template <class Slot>
void require_slot(const std::string& where, const char* slot, Slot* function) {
  if (function == nullptr) bad(where, std::string("slot ") + slot + " is null, expected a function");
}

/// Slots that stand or fall together.
void require_together(const std::string& where, const char* slots, bool first, bool second) {
  if (first != second) bad(where, std::string("of the slots ") + slots + " only some are set");
}

void require_flags(const std::string& where, uint32_t flags, uint32_t known) {
  if ((flags & ~known) != 0) bad(where, "unknown flag bits " + std::to_string(flags & ~known));
}

void check_staging(const std::string& where, const cuzk_staging_api& api) {
  require_flags(where, api.flags, CUZK_STAGING_ADOPTS | CUZK_STAGING_PINNED);
  require_slot(where, "plan", api.plan);
  require_slot(where, "open", api.open);
  require_slot(where, "close", api.close);
  require_slot(where, "upload", api.upload);
  require_slot(where, "download", api.download);
}

void check_ntt(const std::string& where, const cuzk_ntt_api& api, uint32_t space_kinds) {
  require_slot(where, "plan", api.plan);
  require_slot(where, "open", api.open);
  require_slot(where, "close", api.close);
  require_slot(where, "transform", api.transform);
  require_together(where, "quotient_ab and quotient_c", api.quotient_ab != nullptr, api.quotient_c != nullptr);
  // Core builds the quotient on pointwise, which it can do itself only where it can read the memory.
  if (leaves_host_memory(space_kinds) && api.quotient_ab == nullptr) {
    require_slot(where, "pointwise", api.pointwise);
  }
}

void check_msm(const std::string& where, const cuzk_msm_api& api) {
  require_flags(where, api.flags, CUZK_MSM_SELECT | CUZK_MSM_FEED | CUZK_MSM_MANY);
  require_slot(where, "plan_job", api.plan_job);
  require_slot(where, "open", api.open);
  require_slot(where, "close", api.close);
  require_slot(where, "start", api.start);
  require_slot(where, "feed", api.feed);
  require_slot(where, "end", api.end);
  require_slot(where, "finish", api.finish);
  require_slot(where, "drop", api.drop);
  require_together(where, "plan_bases, load and unload", api.plan_bases != nullptr, api.load != nullptr);
  require_together(where, "plan_bases, load and unload", api.plan_bases != nullptr, api.unload != nullptr);
  require_together(where, "plan_multiples and multiples", api.plan_multiples != nullptr, api.multiples != nullptr);
}

void check_lock(const std::string& where, const cuzk_lock_api& api) {
  require_flags(where, api.flags, CUZK_LOCK_LATE_WORKSPACE);
  require_slot(where, "pick", api.pick);
  require_together(where, "open and close", api.open != nullptr, api.close != nullptr);
}

void check_device(const std::string& plugin, const void* table) {
  const auto api = read_table<cuzk_device_api>(table);
  const std::string name = require_name(plugin + ", device", api.name);
  const std::string where = plugin + ", device " + name;
  if (api.kind == CUZK_SPACE_HOST || !is_assigned(api.kind)) {
    bad(where, "is of kind " + std::to_string(api.kind) + ", expected " + std::to_string(CUZK_SPACE_MODEL) + ", " +
                   std::to_string(CUZK_SPACE_CUDA) + " or a vendor's, " + std::to_string(CUZK_SPACE_VENDOR) + " to " +
                   std::to_string(CUZK_SPACE_VENDOR_LAST));
  }
  require_slot(where, "count", api.count);
  require_slot(where, "info", api.info);
  require_slot(where, "alloc", api.alloc);
  require_slot(where, "free", api.free);
  require_slot(where, "copy", api.copy);
  require_together(where, "pin and unpin", api.pin != nullptr, api.unpin != nullptr);
  require_together(where, "fence_make, fence_wait and fence_free", api.fence_make != nullptr,
                   api.fence_wait != nullptr);
  require_together(where, "fence_make, fence_wait and fence_free", api.fence_make != nullptr,
                   api.fence_free != nullptr);
  if (!host_addressable(api.kind)) require_slot(where, "fence_make", api.fence_make);
}

}  // namespace

bool is_known_role(uint32_t role) { return role >= CUZK_ROLE_STAGING && role <= CUZK_ROLE_LOCK; }

std::vector<std::string> check_plugin(const cuzk_plugin& answered) {
  const auto plugin = read_table<cuzk_plugin>(&answered);
  if (plugin.abi != CUZK_ABI_VERSION) {
    bad("plugin", "chose ABI " + std::to_string(plugin.abi) + ", this program offered " +
                      std::to_string(CUZK_ABI_VERSION) + " to " + std::to_string(CUZK_ABI_VERSION));
  }
  const std::string name = require_name("plugin", plugin.name);
  require_text(name, "version", plugin.version);
  require_text(name, "license", plugin.license);
  require_text(name, "author", plugin.author);
  require_text(name, "built_for", plugin.built_for);
  if (plugin.component_count != 0 && plugin.components == nullptr) bad(name, "components is null");

  std::vector<std::string> skipped;
  std::set<std::pair<uint32_t, std::string>> names;
  for (uint32_t i = 0; i < plugin.component_count; ++i) {
    const std::string nth = name + ", component " + std::to_string(i);
    if (plugin.components[i] == nullptr) bad(nth, "is null");
    const auto component = read_table<cuzk_component>(plugin.components[i]);
    if (!is_known_role(component.role)) {
      skipped.push_back("component '" + one_line(require_text(nth, "name", component.name)) +
                        "' skipped: unknown role " + std::to_string(component.role));
      continue;
    }
    const std::string own_name = require_name(nth, component.name);
    require_text(nth, "summary", component.summary);
    const std::string where = name + "/" + own_name;
    if (!names.emplace(component.role, own_name).second) bad(where, "is there twice in one role");
    require_flags(where, component.flags, CUZK_COMPONENT_PROCESS_SERIAL);
    if (component.api == nullptr) bad(where, "api is null");
    if (component.role != CUZK_ROLE_LOCK) require_spaces(where, component.space_kinds);
    const bool on_cuda = component.role != CUZK_ROLE_LOCK && ((component.space_kinds >> CUZK_SPACE_CUDA) & 1u) != 0;
    if (on_cuda && plugin.cuda_major == 0) bad(where, "runs on CUDA, but the plugin's cuda_major is 0");
    switch (component.role) {
      case CUZK_ROLE_STAGING:
        check_staging(where, read_table<cuzk_staging_api>(component.api));
        break;
      case CUZK_ROLE_NTT:
        check_ntt(where, read_table<cuzk_ntt_api>(component.api), component.space_kinds);
        break;
      case CUZK_ROLE_MSM:
        check_msm(where, read_table<cuzk_msm_api>(component.api));
        break;
      default:
        check_lock(where, read_table<cuzk_lock_api>(component.api));
        break;
    }
  }
  if (plugin.device != nullptr) check_device(name, plugin.device);
  return skipped;
}

}  // namespace cuzk
