/* A plugin in plain C with one lock policy, bent by macros into what a loader must not accept.
 * PLUGIN_NAME, PLUGIN_ABI; BREAK_<what> for the rest. */
#include <stdio.h>
#include <string.h>

#include <cuzk/abi/plugin_abi.h>

#ifndef PLUGIN_NAME
#define PLUGIN_NAME "minimal"
#endif
#ifndef PLUGIN_ABI
#define PLUGIN_ABI CUZK_ABI_VERSION
#endif
#define STR(text) \
  { text, sizeof(text) - 1 }

#ifndef BREAK_NULL_SLOT
static uint32_t pick(void* self, const cuzk_lock_view* view) {
  (void)self;
  return view->count != 0 && view->tickets[0].state == CUZK_WAIT_STAGE ? 0 : CUZK_NONE;
}
#endif

static const cuzk_lock_api lock_api = {
    .struct_size = sizeof(cuzk_lock_api),
#ifdef BREAK_FLAGS
    .flags = 12,
#endif
    .stage_width = 1,
    .compute_width = 1,
#ifndef BREAK_NULL_SLOT
    .pick = pick,
#endif
};
static const cuzk_component lock = {.struct_size = sizeof(cuzk_component),
                                    .role = CUZK_ROLE_LOCK,
#ifdef BREAK_COMPONENT_NAME
                                    .name = STR("Two Words"),
#else
                                    .name = STR("first"),
#endif
                                    .summary = STR("the oldest ticket, always"),
                                    .api = &lock_api};
static const cuzk_component of_the_future = {.struct_size = sizeof(cuzk_component),
                                             .role = 77,
                                             .name = STR("oracle"),
                                             .summary = STR("unheard of"),
                                             .api = &lock_api};
static const cuzk_component on_cuda = {.struct_size = sizeof(cuzk_component),
                                       .role = CUZK_ROLE_NTT,
                                       .name = STR("radix"),
                                       .space_kinds = 1u << CUZK_SPACE_CUDA,
                                       .api = &lock_api};
static const cuzk_component* const components[] = {
    &lock,
#ifdef BREAK_TWICE
    &lock,
#endif
#ifdef BREAK_UNKNOWN_ROLE
    &of_the_future,
#endif
#ifdef BREAK_CUDA_MAJOR
    &on_cuda,
#endif
};
static const cuzk_plugin plugin = {
#ifdef BREAK_SHORT_TABLE
    .struct_size = offsetof(cuzk_plugin, components),
#else
    .struct_size = sizeof(cuzk_plugin),
#endif
    .abi = PLUGIN_ABI,
    .name = STR(PLUGIN_NAME),
#ifdef BREAK_LONG_TEXT
    .version = {"1", UINT64_MAX},
#else
    .version = STR("1"),
#endif
    .license = STR("MIT"),
#ifdef BREAK_NULL_TEXT
    .author = {NULL, 5},
#else
    .author = STR("tests"),
#endif
    .built_for = STR("cpu"),
    .component_count = sizeof components / sizeof components[0],
    .components = components,
};

int32_t cuzk_plugin_query(const cuzk_host* host, const cuzk_plugin** out, cuzk_status* status) {
  (void)plugin;
  (void)of_the_future;
  (void)on_cuda;
#if defined(BREAK_REFUSES)
  status->code = CUZK_REFUSED;
  snprintf(status->message, sizeof status->message, "speaks ABI 7 to 9,\nthe host offers %u to %u", host->abi_min,
           host->abi_max);
  (void)out;
  return CUZK_REFUSED;
#elif defined(BREAK_NO_TABLE)
  (void)host, (void)out, (void)status;
  return CUZK_OK;
#elif defined(BREAK_UNTERMINATED)
  (void)host, (void)out;
  memset(status->message, 'x', sizeof status->message);
  return 4711;
#else
  (void)host, (void)status;
  *out = &plugin;
  return CUZK_OK;
#endif
}
