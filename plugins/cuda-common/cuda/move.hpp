#pragma once
#include "check.hpp"

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// Brings the src.bytes of src to the front of dst, between host memory of any kind and devices' in any direction, and
/// returns when they are there. Zeroes what lies behind them in dst. Waits for `after` first and records `done` last.
/// After an error nothing of it still runs. Under a DeviceGuard of the stream's device. For `call`, where given,
/// cancels between pieces.
void move_and_clear(const Stream& stream, cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done,
                    const cuzk_call* call = nullptr);

}  // namespace cuzk::cuda
