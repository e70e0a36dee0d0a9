/* The ELF note of a plugin: what it is, readable without loading it. An SHT_NOTE with name "cuzk", type 1 and as its
 * description UTF-8 lines "key=value\n", not NUL-terminated:
 *   name version license author   as in cuzk_plugin
 *   abi                           the version it was built with, decimal
 *   roles                         of "staging ntt msm lock", separated by a space
 *   curves                        of "bn254 bls12-381"
 *   built_for                     as in cuzk_plugin
 * Readers skip keys they do not know. A plugin without a note is loaded all the same. */
#ifndef CUZK_ABI_PLUGIN_NOTE_H
#define CUZK_ABI_PLUGIN_NOTE_H

#define CUZK_NOTE_SECTION ".note.cuzk"
#define CUZK_NOTE_NAME "cuzk"
enum { CUZK_NOTE_TYPE = 1 };

#endif
