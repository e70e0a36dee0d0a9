#pragma once
#include <cuzk/runtime/device_model.hpp>
#include <cuzk/runtime/host_services.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk {

/// The same strategy on cards that the model describes: its devices have the card's memory, nothing is adopted, and
/// every copy and kernel takes as long as the card would need, by the host services' clock. The components still do the
/// work, so that proofs are what they were, and bases stay on the card where they fit, whether or not the MSM component
/// could keep them; where they take longer than the card, time passes as it does. Copies and
/// kernels are asynchronous, with fences of their own, and stand in the timeline as the device's.
///
/// Error usage: a device that is not host-addressable, for it has times of its own. The services outlive the strategy.
Strategy modelled(Strategy, HostServices&, const DeviceModel&);

}  // namespace cuzk
