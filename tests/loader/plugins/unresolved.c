/* Calls a function that nobody has. With lazy binding it would load, and end the process at the first call. */
#include <cuzk/abi/plugin_abi.h>

extern int32_t cuzk_test_nobody_has_this(void);

int32_t cuzk_plugin_query(const cuzk_host* host, const cuzk_plugin** out, cuzk_status* status) {
  (void)host, (void)out, (void)status;
  return CUZK_OK;
}
CUZK_EXPORT int32_t cuzk_test_caller(void);
int32_t cuzk_test_caller(void) { return cuzk_test_nobody_has_this(); }
