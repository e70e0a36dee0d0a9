/* Its note names an ABI of the future; its code must not even be opened: the constructor would end the process. */
#include <stdint.h>
#include <stdlib.h>

#include <cuzk/abi/plugin_note.h>

#define TEXT "name=noted\nabi=2\nnew_key=skipped\n"
__attribute__((used, section(CUZK_NOTE_SECTION), aligned(4))) static const struct {
  uint32_t name_size, size, type;
  char name[8], text[(sizeof TEXT + 3) / 4 * 4];
} note = {sizeof CUZK_NOTE_NAME, sizeof TEXT - 1, CUZK_NOTE_TYPE, CUZK_NOTE_NAME, TEXT};

__attribute__((constructor)) static void opened(void) { abort(); }
