#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace cuzk {

/// Takes the bytes of a file in order. Throws to stop the writer.
using ByteSink = std::function<void(std::span<const std::byte>)>;

}  // namespace cuzk
