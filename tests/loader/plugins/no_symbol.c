/* A shared object without the entry symbol. */
__attribute__((visibility("default"))) int cuzk_something_else(void) { return 0; }
