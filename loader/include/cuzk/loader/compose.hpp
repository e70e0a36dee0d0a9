#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cuzk/curve.hpp>
#include <cuzk/loader/plugin_registry.hpp>
#include <cuzk/runtime/device_model.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk {

/// What a user asked for. Empty names: the default.
struct StrategyRequest {
  std::string plugin = {};  ///< whose default strategy to start from; empty: the best usable
  std::string staging = {}, ntt = {}, msm = {}, lock = {};  ///< "plugin/name", or a name that is unique in its role
  std::vector<std::string> devices = {};         ///< "cpu:0"; "0" and "all" of the strategy's own; empty: "0"
  uint32_t workers = 1;                          ///< per device
  bool stream_bases = false;                     ///< keep none on the devices
  std::optional<Curve> curve = {};               ///< of the key, when known
  uint32_t log2_size = 0;                        ///< of the key's domain, when known
  std::optional<DeviceModel> device_model = {};  ///< the devices play this card (modelled())
};

struct Composition {
  Strategy strategy;
  std::string reason;  ///< one line: which plugin and why, what came from elsewhere, why others were not usable
};

/// Composes and checks a strategy. The default of a plugin is its first component of each role, its device 0, and its
/// own lock policy or interlocks/single-lock; roles it lacks come from the best usable plugin. "Best": devices are
/// there, cuda before others before cpu, then by name. Each component must run in the devices' space or, but for
/// staging, in host space, and know the curve, both groups and the size. Error unusable when something asked for cannot
/// be used, never another choice instead; usage for an ambiguous short name.
Composition compose(PluginRegistry&, const StrategyRequest&);

}  // namespace cuzk
