// An entry that lets an exception out, which no SDK plugin can.
#include <stdexcept>

#include <cuzk/abi/plugin_abi.h>

int32_t cuzk_plugin_query(const cuzk_host*, const cuzk_plugin**, cuzk_status*) {
  throw std::runtime_error("out of the entry");
}
