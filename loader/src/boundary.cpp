#include "boundary.hpp"

#include <algorithm>
#include <string_view>

namespace cuzk {

std::string status_text(int32_t code, const cuzk_status& status) {
  constexpr std::string_view kNames[] = {"ok",        "bad argument", "unimplemented", "refused", "out of memory",
                                         "cancelled", "device error", "device lost",   "internal"};
  const auto end = std::find(status.message, status.message + sizeof status.message, '\0');
  std::string text = one_line(std::string_view(status.message, static_cast<size_t>(end - status.message)));
  const bool known = code >= 0 && static_cast<size_t>(code) < std::size(kNames);
  if (!known) {
    text = "unknown status " + std::to_string(code) + (text.empty() ? "" : ": " + text);
  } else if (text.empty()) {
    text = kNames[code];
  }
  if (status.native != 0) text += " (native code " + std::to_string(status.native) + ")";
  return text;
}

ErrorCode error_code(int32_t status_code) {
  switch (status_code) {
    case CUZK_OUT_OF_MEMORY:
      return ErrorCode::out_of_memory;
    case CUZK_CANCELLED:
      return ErrorCode::cancelled;
    case CUZK_DEVICE_ERROR:
      return ErrorCode::device_failed;
    case CUZK_DEVICE_LOST:
    case CUZK_REFUSED:
    case CUZK_UNIMPLEMENTED:
      return ErrorCode::unusable;
    default:
      return ErrorCode::internal;
  }
}

}  // namespace cuzk
