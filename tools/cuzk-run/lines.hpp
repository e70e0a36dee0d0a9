#pragma once
#include "common/escaped.hpp"

#include <ostream>
#include <string>

namespace cuzk::run {

/// Aligned lines of a label and a text.
class Lines {
 public:
  explicit Lines(std::ostream& out) : out_(out) {}
  void add(const std::string& label, const std::string& value) {
    out_ << label << std::string(label.size() < kWidth ? kWidth - label.size() : 1, ' ') << tool::escaped(value)
         << "\n";
  }

 private:
  static constexpr size_t kWidth = 19;
  std::ostream& out_;
};

}  // namespace cuzk::run
