#pragma once
#include "check.hpp"
#include "spans.hpp"

#include <cuzk/abi/plugin_abi.h>

namespace cuzk::cuda {

/// Whether a move can be: dst is large enough, and neither place is null where bytes move. Error bad argument.
void require_move(const cuzk_mem& dst, const cuzk_mem& src);

/// A component's call that a move is made for: it cancels between pieces and gets a span.
struct MoveFor {
  const cuzk_call& call;
  Spans& spans;
};

/// Brings the src.bytes of src to the front of dst, between host memory of any kind and devices' in any direction, and
/// returns when they are there. Zeroes what lies behind them in dst. Waits for `after` first and records `done` last.
/// After an error nothing of it still runs. Under a DeviceGuard of the stream's device.
void move_and_clear(const Stream& stream, const cuzk_mem& dst, const cuzk_mem& src, cuzk_fence after, cuzk_fence done,
                    const MoveFor* made_for = nullptr);

}  // namespace cuzk::cuda
