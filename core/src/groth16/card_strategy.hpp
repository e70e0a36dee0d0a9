#pragma once
#include <memory>

#include <cuzk/runtime/device_model.hpp>
#include <cuzk/strategy.hpp>

namespace cuzk::groth16 {

/// A card and components for it that only plan, so that a layout can be made for hardware that is not there: nothing of
/// it can be opened (Error internal).
///   ntt   tables of two levels, 2^(ceil(k / 2) + 2) elements
///   msm   bases of as many bytes as their points; sorts digits of pieces of at most 2^22 points, 16 windows
Strategy card_strategy(const DeviceModel&, std::shared_ptr<const LockComponent>, uint32_t workers);

}  // namespace cuzk::groth16
