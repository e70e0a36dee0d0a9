#pragma once
#include <boost/program_options.hpp>

namespace cuzk::run {

/// All options with a line on each.
boost::program_options::options_description described();

}  // namespace cuzk::run
