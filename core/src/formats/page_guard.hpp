#pragma once
#include <cstddef>
#include <span>

namespace cuzk::formats {

/// Watches one mapping of a file for pages that the system can no longer bring, because the file was shortened or its
/// disk failed. Such an access would end the process (SIGBUS). Instead it, and all later ones from that page to the
/// mapping's end, find zeros, and the guard is marked. Kernels read mapped points themselves, so that no exception
/// could be thrown where it happens: whoever reads a mapping asks marked() before it believes what it made from it.
///
/// The first guard installs the process's handler of SIGBUS; faults elsewhere go to the handler that was there before.
/// Any thread, also while other guards come and go. Must go before the mapping does.
class PageGuard {
 public:
  /// mapping: begins on a page. Throws std::bad_alloc.
  explicit PageGuard(std::span<const std::byte> mapping);
  ~PageGuard();
  PageGuard(const PageGuard&) = delete;
  PageGuard& operator=(const PageGuard&) = delete;

  bool marked() const noexcept;

  struct Range;

 private:
  Range* range_;
};

}  // namespace cuzk::formats
