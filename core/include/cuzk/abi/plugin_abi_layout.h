/* Size and offset of everything that crosses the plugin boundary (64-bit, little-endian). A change that breaks one of
 * these breaks plugins that are already built: values [V] never change, tables [T] only get lines at their end. */
#ifndef CUZK_ABI_PLUGIN_ABI_LAYOUT_H
#define CUZK_ABI_PLUGIN_ABI_LAYOUT_H
#include <assert.h>
#include <stddef.h>

#include <cuzk/abi/plugin_abi.h>

#define CUZK_SLOT(type, member, offset) \
  static_assert(offsetof(type, member) == (offset), #type "." #member " has moved")
#define CUZK_SIZE(type, size) static_assert(sizeof(type) == (size), #type " has changed its size")

CUZK_SLOT(cuzk_status, code, 0);
CUZK_SLOT(cuzk_status, native, 4);
CUZK_SLOT(cuzk_status, message, 8);
CUZK_SIZE(cuzk_status, 512);

CUZK_SLOT(cuzk_str, data, 0);
CUZK_SLOT(cuzk_str, size, 8);
CUZK_SIZE(cuzk_str, 16);

CUZK_SLOT(cuzk_space, kind, 0);
CUZK_SLOT(cuzk_space, index, 4);
CUZK_SIZE(cuzk_space, 8);

CUZK_SLOT(cuzk_mem, data, 0);
CUZK_SLOT(cuzk_mem, bytes, 8);
CUZK_SLOT(cuzk_mem, space, 16);
CUZK_SIZE(cuzk_mem, 24);

CUZK_SLOT(cuzk_fence, handle, 0);
CUZK_SLOT(cuzk_fence, kind, 8);
CUZK_SLOT(cuzk_fence, reserved, 12);
CUZK_SIZE(cuzk_fence, 16);

CUZK_SLOT(cuzk_fr, limb, 0);
CUZK_SIZE(cuzk_fr, 32);

CUZK_SLOT(cuzk_vec, mem, 0);
CUZK_SLOT(cuzk_vec, count, 24);
CUZK_SLOT(cuzk_vec, curve, 32);
CUZK_SLOT(cuzk_vec, form, 36);
CUZK_SLOT(cuzk_vec, ready, 40);
CUZK_SIZE(cuzk_vec, 56);

CUZK_SLOT(cuzk_device_info, struct_size, 0);
CUZK_SLOT(cuzk_device_info, space, 4);
CUZK_SLOT(cuzk_device_info, units, 12);
CUZK_SLOT(cuzk_device_info, arch, 16);
CUZK_SLOT(cuzk_device_info, memory_total, 24);
CUZK_SLOT(cuzk_device_info, memory_free, 32);
CUZK_SLOT(cuzk_device_info, name, 40);
CUZK_SIZE(cuzk_device_info, 56);

CUZK_SLOT(cuzk_plan, resident, 0);
CUZK_SLOT(cuzk_plan, workspace, 8);
CUZK_SLOT(cuzk_plan, unmanaged, 16);
CUZK_SLOT(cuzk_plan, pinned, 24);
CUZK_SLOT(cuzk_plan, minimum, 32);
CUZK_SLOT(cuzk_plan, choice, 40);
CUZK_SIZE(cuzk_plan, 72);

CUZK_SLOT(cuzk_call, struct_size, 0);
CUZK_SLOT(cuzk_call, worker, 4);
CUZK_SLOT(cuzk_call, ticket, 8);
CUZK_SLOT(cuzk_call, workspace, 16);
CUZK_SLOT(cuzk_call, pinned, 40);
CUZK_SIZE(cuzk_call, 64);

CUZK_SLOT(cuzk_host, struct_size, 0);
CUZK_SLOT(cuzk_host, abi_min, 4);
CUZK_SLOT(cuzk_host, abi_max, 8);
CUZK_SLOT(cuzk_host, reserved, 12);
CUZK_SLOT(cuzk_host, self, 16);
CUZK_SLOT(cuzk_host, log, 24);
CUZK_SLOT(cuzk_host, now_ns, 32);
CUZK_SLOT(cuzk_host, span, 40);
CUZK_SLOT(cuzk_host, cancelled, 48);
CUZK_SLOT(cuzk_host, parallel, 56);
CUZK_SLOT(cuzk_host, threads, 64);
CUZK_SIZE(cuzk_host, 72);

CUZK_SLOT(cuzk_device_api, struct_size, 0);
CUZK_SLOT(cuzk_device_api, kind, 4);
CUZK_SLOT(cuzk_device_api, name, 8);
CUZK_SLOT(cuzk_device_api, count, 24);
CUZK_SLOT(cuzk_device_api, info, 32);
CUZK_SLOT(cuzk_device_api, alloc, 40);
CUZK_SLOT(cuzk_device_api, free, 48);
CUZK_SLOT(cuzk_device_api, pin, 56);
CUZK_SLOT(cuzk_device_api, unpin, 64);
CUZK_SLOT(cuzk_device_api, copy, 72);
CUZK_SLOT(cuzk_device_api, fence_make, 80);
CUZK_SLOT(cuzk_device_api, fence_wait, 88);
CUZK_SLOT(cuzk_device_api, fence_free, 96);
CUZK_SIZE(cuzk_device_api, 104);

CUZK_SLOT(cuzk_staging_api, struct_size, 0);
CUZK_SLOT(cuzk_staging_api, flags, 4);
CUZK_SLOT(cuzk_staging_api, plan, 8);
CUZK_SLOT(cuzk_staging_api, open, 16);
CUZK_SLOT(cuzk_staging_api, close, 24);
CUZK_SLOT(cuzk_staging_api, upload, 32);
CUZK_SLOT(cuzk_staging_api, download, 40);
CUZK_SIZE(cuzk_staging_api, 48);

CUZK_SLOT(cuzk_domain, curve, 0);
CUZK_SLOT(cuzk_domain, log2_size, 4);
CUZK_SLOT(cuzk_domain, h_basis, 8);
CUZK_SLOT(cuzk_domain, reserved, 12);
CUZK_SLOT(cuzk_domain, omega, 16);
CUZK_SLOT(cuzk_domain, shift, 48);
CUZK_SLOT(cuzk_domain, z_inverse, 80);
CUZK_SIZE(cuzk_domain, 112);

CUZK_SLOT(cuzk_ntt_api, struct_size, 0);
CUZK_SLOT(cuzk_ntt_api, reserved, 4);
CUZK_SLOT(cuzk_ntt_api, plan, 8);
CUZK_SLOT(cuzk_ntt_api, open, 16);
CUZK_SLOT(cuzk_ntt_api, close, 24);
CUZK_SLOT(cuzk_ntt_api, transform, 32);
CUZK_SLOT(cuzk_ntt_api, pointwise, 40);
CUZK_SLOT(cuzk_ntt_api, quotient_ab, 48);
CUZK_SLOT(cuzk_ntt_api, quotient_c, 56);
CUZK_SIZE(cuzk_ntt_api, 64);

CUZK_SLOT(cuzk_query, bases, 0);
CUZK_SLOT(cuzk_query, count, 8);
CUZK_SLOT(cuzk_query, first, 16);
CUZK_SLOT(cuzk_query, span, 24);
CUZK_SLOT(cuzk_query, select, 32);
CUZK_SLOT(cuzk_query, curve, 56);
CUZK_SLOT(cuzk_query, group, 60);
CUZK_SLOT(cuzk_query, plan, 64);
CUZK_SIZE(cuzk_query, 136);

CUZK_SLOT(cuzk_msm_api, struct_size, 0);
CUZK_SLOT(cuzk_msm_api, flags, 4);
CUZK_SLOT(cuzk_msm_api, plan_bases, 8);
CUZK_SLOT(cuzk_msm_api, plan_job, 16);
CUZK_SLOT(cuzk_msm_api, open, 24);
CUZK_SLOT(cuzk_msm_api, close, 32);
CUZK_SLOT(cuzk_msm_api, load, 40);
CUZK_SLOT(cuzk_msm_api, unload, 48);
CUZK_SLOT(cuzk_msm_api, start, 56);
CUZK_SLOT(cuzk_msm_api, feed, 64);
CUZK_SLOT(cuzk_msm_api, end, 72);
CUZK_SLOT(cuzk_msm_api, finish, 80);
CUZK_SLOT(cuzk_msm_api, drop, 88);
CUZK_SLOT(cuzk_msm_api, plan_multiples, 96);
CUZK_SLOT(cuzk_msm_api, multiples, 104);
CUZK_SIZE(cuzk_msm_api, 112);

CUZK_SLOT(cuzk_ticket, number, 0);
CUZK_SLOT(cuzk_ticket, job, 8);
CUZK_SLOT(cuzk_ticket, since_ns, 16);
CUZK_SLOT(cuzk_ticket, state, 24);
CUZK_SLOT(cuzk_ticket, flags, 28);
CUZK_SIZE(cuzk_ticket, 32);

CUZK_SLOT(cuzk_lock_view, struct_size, 0);
CUZK_SLOT(cuzk_lock_view, count, 4);
CUZK_SLOT(cuzk_lock_view, tickets, 8);
CUZK_SLOT(cuzk_lock_view, slots_total, 16);
CUZK_SLOT(cuzk_lock_view, slots_free, 20);
CUZK_SLOT(cuzk_lock_view, workers, 24);
CUZK_SLOT(cuzk_lock_view, reserved, 28);
CUZK_SIZE(cuzk_lock_view, 32);

CUZK_SLOT(cuzk_lock_api, struct_size, 0);
CUZK_SLOT(cuzk_lock_api, flags, 4);
CUZK_SLOT(cuzk_lock_api, stage_width, 8);
CUZK_SLOT(cuzk_lock_api, compute_width, 12);
CUZK_SLOT(cuzk_lock_api, open, 16);
CUZK_SLOT(cuzk_lock_api, close, 24);
CUZK_SLOT(cuzk_lock_api, pick, 32);
CUZK_SIZE(cuzk_lock_api, 40);

CUZK_SLOT(cuzk_component, struct_size, 0);
CUZK_SLOT(cuzk_component, role, 4);
CUZK_SLOT(cuzk_component, name, 8);
CUZK_SLOT(cuzk_component, summary, 24);
CUZK_SLOT(cuzk_component, space_kinds, 40);
CUZK_SLOT(cuzk_component, curves, 44);
CUZK_SLOT(cuzk_component, groups, 48);
CUZK_SLOT(cuzk_component, max_log2_size, 52);
CUZK_SLOT(cuzk_component, flags, 56);
CUZK_SLOT(cuzk_component, api, 64);
CUZK_SIZE(cuzk_component, 72);

CUZK_SLOT(cuzk_plugin, struct_size, 0);
CUZK_SLOT(cuzk_plugin, abi, 4);
CUZK_SLOT(cuzk_plugin, name, 8);
CUZK_SLOT(cuzk_plugin, version, 24);
CUZK_SLOT(cuzk_plugin, license, 40);
CUZK_SLOT(cuzk_plugin, author, 56);
CUZK_SLOT(cuzk_plugin, built_for, 72);
CUZK_SLOT(cuzk_plugin, component_count, 88);
CUZK_SLOT(cuzk_plugin, cuda_major, 92);
CUZK_SLOT(cuzk_plugin, components, 96);
CUZK_SLOT(cuzk_plugin, device, 104);
CUZK_SLOT(cuzk_plugin, shutdown, 112);
CUZK_SIZE(cuzk_plugin, 120);

#undef CUZK_SLOT
#undef CUZK_SIZE
#endif
