#pragma once
#include <chrono>

namespace cuzk {

/// How often whoever waits looks whether its work was cancelled.
inline constexpr std::chrono::milliseconds kCancelPoll{50};

}  // namespace cuzk
