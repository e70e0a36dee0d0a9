#pragma once
#include "report.hpp"

namespace cuzk::cuda {

/// Spans have the length of the kernels and copies they measure, lie where the host saw them, and none is lost.
void check_spans(Report& report, TestHost& host);

}  // namespace cuzk::cuda
