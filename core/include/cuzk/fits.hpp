#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <cuzk/component.hpp>
#include <cuzk/curve.hpp>

namespace cuzk {

/// Whether a component can take part in proofs on a device of this kind (CUZK_SPACE_*): it runs there or, but for
/// staging, in host space, and knows the curve, both groups and the size as far as its role has them.
/// @param curve of the key; empty: not known yet
/// @param log2_size of the key's domain for ntt, of its longest query for msm; 0: not known yet
/// @return "", or why not in one line that begins with the component's name
std::string misfit(const ComponentInfo&, uint32_t device_kind, std::optional<Curve> curve, uint32_t log2_size);

}  // namespace cuzk
