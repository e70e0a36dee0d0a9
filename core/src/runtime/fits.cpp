#include <cuzk/fits.hpp>

namespace cuzk {
namespace {

constexpr bool has(uint32_t set, uint32_t bit) { return ((set >> bit) & 1u) != 0; }

}  // namespace

std::string misfit(const ComponentInfo& info, uint32_t device_kind, std::optional<Curve> curve, uint32_t log2_size) {
  const std::string who = info.full_name();
  if (info.role == Role::lock) return {};
  const bool may_stay_in_host = info.role != Role::staging;
  if (!info.runs_in(device_kind) && !(may_stay_in_host && info.runs_in(CUZK_SPACE_HOST))) {
    return who + (may_stay_in_host ? " runs neither in the device's memory nor in the host's"
                                   : " does not run in the device's memory");
  }
  if (info.role == Role::staging) return {};
  if (curve && !has(info.curves, static_cast<uint32_t>(*curve))) {
    return who + " does not know the curve " + std::string(name(*curve));
  }
  if (info.role == Role::msm) {
    for (const Group group : {Group::g1, Group::g2}) {
      if (has(info.groups, static_cast<uint32_t>(group))) continue;
      return who + " does not know the group " + std::string(name(group)) + ", and a proof needs both";
    }
  }
  if (info.max_log2_size != 0 && log2_size > info.max_log2_size) {
    return who + " works up to 2^" + std::to_string(info.max_log2_size) + ", the key needs 2^" +
           std::to_string(log2_size);
  }
  return {};
}

}  // namespace cuzk
