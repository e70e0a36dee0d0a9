/* The cuzk plugin ABI. Pure C: compiles as C11 and as C++20. The rules behind it: docs/plugin-abi.md.
 *
 * Two kinds of struct, so that arrays and growth never meet:
 *   [V] value - frozen for ever, may stand in arrays, carries no size;
 *   [T] table - leads with struct_size, grows only at its end, crosses by pointer (arrays of them hold pointers).
 *
 * Every function that can fail returns a code and fills the caller's cuzk_status; nobody frees a status.
 * After an error return, outputs are untouched and nothing the call started still runs or touches memory handed to it.
 * Memory is handed in: a plan says how much, core allocates it under its ledger, the call uses it.
 * A null or absent slot of a table is "unimplemented". Sizes are bytes unless called count. Unknown flag bits are an
 * error. */
#ifndef CUZK_ABI_PLUGIN_ABI_H
#define CUZK_ABI_PLUGIN_ABI_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define CUZK_ABI_VERSION 1u
#define CUZK_NONE UINT32_MAX

/* ---- status ---- */
enum {
  CUZK_OK = 0,
  CUZK_BAD_ARGUMENT = 1,
  CUZK_UNIMPLEMENTED = 2,
  CUZK_REFUSED = 3,
  CUZK_OUT_OF_MEMORY = 4,
  CUZK_CANCELLED = 5,
  CUZK_DEVICE_ERROR = 6, /* this call failed, the next may succeed */
  CUZK_DEVICE_LOST = 7,  /* sticky: no further work on this device in this process */
  CUZK_INTERNAL = 8
};
typedef struct cuzk_status { /* [V] 512 bytes, the caller's; usable before any handshake */
  int32_t code;
  int32_t native;    /* CUresult, cudaError_t or errno; 0 if none */
  char message[504]; /* UTF-8, NUL-terminated, cut if longer */
} cuzk_status;

typedef struct cuzk_str { /* [V] UTF-8, static for the process, not NUL-terminated */
  const char* data;
  uint64_t size;
} cuzk_str;

/* ---- places and memory ---- */
/* Kinds of memory spaces. Below 32, so that a bit set names them; 3 to 15 are not assigned. */
enum {
  CUZK_SPACE_HOST = 0,    /* ordinary host memory; no device's */
  CUZK_SPACE_MODEL = 1,   /* host-addressable, counted like a device: "cpu:0" */
  CUZK_SPACE_CUDA = 2,    /* device memory of the primary context */
  CUZK_SPACE_VENDOR = 16, /* 16 to 31: vendors' own; not host-addressable */
  CUZK_SPACE_VENDOR_LAST = 31
};
typedef struct cuzk_space { /* [V] */
  uint32_t kind;
  int32_t index;
} cuzk_space;
typedef struct cuzk_mem { /* [V] borrowed for the call, or until its `done` fence. 256-byte aligned, except adopted
                             memory (cuzk_staging_api.upload), which lies where the host put it, at any alignment. */
  void* data;
  uint64_t bytes;
  cuzk_space space;
} cuzk_mem;
/* A fence is made by the device, owned by core, recorded by the callee. kind 0 (CUZK_SPACE_HOST): nothing to wait for,
 * nothing to record; the work is done when the call returns. kind CUZK_SPACE_CUDA: handle is a CUevent (= cudaEvent_t).
 * Core passes a fence as `after` only when its recording call has returned. The callee enqueues its waits before it
 * returns. Streams never cross. */
typedef struct cuzk_fence { /* [V] */
  void* handle;
  uint32_t kind;
  uint32_t reserved;
} cuzk_fence;

/* ---- elements: little-endian u64 limbs; Fp2 as c0, c1; affine x, y; infinity all zero ---- */
enum { CUZK_BN254 = 1, CUZK_BLS12_381 = 2 };
enum { CUZK_G1 = 1, CUZK_G2 = 2 };
enum { CUZK_MONTGOMERY = 0, CUZK_CANONICAL = 1 };
typedef struct cuzk_fr { /* [V] */
  uint64_t limb[4];
} cuzk_fr;
typedef struct cuzk_vec { /* [V] Fr vector of `count` elements. NTT operands are Montgomery; a witness is canonical:
                             both reach the MSM. */
  cuzk_mem mem;
  uint64_t count;
  uint32_t curve, form;
  cuzk_fence ready; /* wait for it before the first access */
} cuzk_vec;

/* ---- planning: pure, cheap, touches no device, monotone in the limit ---- */
/* [T] filled by the device, or by a test for a card that is not there. Who asks sets struct_size; who fills writes no
 * more than that. */
typedef struct cuzk_device_info {
  uint32_t struct_size;
  cuzk_space space;
  uint32_t units, arch; /* SMs and 10 * major + minor; CPU: threads and 0 */
  uint64_t memory_total, memory_free;
  cuzk_str name;
} cuzk_device_info;
typedef struct cuzk_plan { /* [V] */
  uint64_t resident;       /* device bytes kept while the instance or the bases live; core allocates and passes them */
  uint64_t workspace;      /* device bytes for one call or job; core passes them */
  uint64_t unmanaged; /* device bytes the callee allocates itself within one call, upper bound; core only books them */
  uint64_t pinned;    /* host bytes for one call, page-locked where core could do that; core passes them */
  uint64_t minimum;   /* least resident + workspace + unmanaged with which this would work at all */
  uint64_t choice[4]; /* the callee's own (window, tables, ...); handed back unread */
} cuzk_plan;

typedef struct cuzk_call { /* [T] what every device-touching call gets */
  uint32_t struct_size, worker;
  uint64_t ticket; /* for host->span and host->cancelled */
  cuzk_mem workspace, pinned;
} cuzk_call;

/* ---- the host's side ---- */
enum { CUZK_LOG_DEBUG = 1, CUZK_LOG_INFO = 2, CUZK_LOG_WARN = 3, CUZK_LOG_ERROR = 4 };
enum { CUZK_SPAN_CPU = 0, CUZK_SPAN_H2D = 1, CUZK_SPAN_D2H = 2, CUZK_SPAN_KERNEL = 3 };
/* [T] valid for the life of the process; every function callable from any thread. ABI 1 always has the members up to
 * and including log. The others may be absent, and then mean: now_ns the monotonic clock, span nothing, cancelled
 * never, parallel one after the other in the caller's thread, threads 1. */
typedef struct cuzk_host {
  uint32_t struct_size, abi_min, abi_max, reserved;
  void* self;
  void (*log)(void* self, uint32_t level, cuzk_str component, cuzk_str text);
  uint64_t (*now_ns)(void* self); /* the engine's clock; simulated under a device model */
  void (*span)(void* self, uint64_t ticket, uint32_t kind, cuzk_str name, uint64_t t0_ns, uint64_t t1_ns,
               uint64_t bytes);
  uint32_t (*cancelled)(void* self, uint64_t ticket); /* poll between chunks; then return CUZK_CANCELLED */
  /* fn(arg, i) once for every i < n on the engine's CPU threads (--threads, quota, affinity), the caller's included;
   * returns when all are done. fn must not block and must not throw. May be nested. */
  void (*parallel)(void* self, uint64_t n, void (*fn)(void* arg, uint64_t i), void* arg);
  uint32_t (*threads)(void* self); /* how many threads parallel() uses at most, >= 1 */
} cuzk_host;

/* ---- device: one per space, not a role a user picks. Comes with the plugin that owns the space. ---- */
/* [T] alloc, free, pin, unpin, fence_make run only while opening, loading or closing */
typedef struct cuzk_device_api {
  uint32_t struct_size, kind;                    /* kind: CUZK_SPACE_* of its spaces, not CUZK_SPACE_HOST */
  cuzk_str name;                                 /* how users write it before the colon: "cpu", "cuda" */
  int32_t (*count)(uint32_t* out, cuzk_status*); /* starts the driver; why there is none stands in the status */
  int32_t (*info)(int32_t index, cuzk_device_info* out, cuzk_status*);
  int32_t (*alloc)(cuzk_space, uint64_t bytes, cuzk_mem* out, cuzk_status*);
  void (*free)(cuzk_mem);
  int32_t (*pin)(void* block, uint64_t bytes, cuzk_status*); /* whole page-aligned pool blocks of core; portable */
  void (*unpin)(void* block);
  /* The plain mover: host->device, device->host, device->device; tail of dst beyond src.bytes is zeroed. May be
   * synchronous. */
  int32_t (*copy)(cuzk_mem dst, cuzk_mem src, cuzk_fence after, cuzk_fence done, cuzk_status*);
  int32_t (*fence_make)(cuzk_space, cuzk_fence* out, cuzk_status*);
  int32_t (*fence_wait)(cuzk_fence, cuzk_status*); /* blocks this thread only */
  void (*fence_free)(cuzk_fence);
} cuzk_device_api;

/* ---- instances: core opens one per worker and device and uses it from one thread at a time. open() loads kernels,
 * makes streams and events, so that the steady state makes nothing. Bases are immutable after load and usable through
 * every instance of the same component on the same device at once. ---- */

/* ---- role staging: how bytes cross. Also carries streamed bases, so a strategy covers all traffic. ---- */
enum { CUZK_PATH_DIRECT = 0, CUZK_PATH_PINNED = 1, CUZK_PATH_RING = 2, CUZK_PATH_PAGEABLE = 3, CUZK_PATH_RESIDENT = 4 };
enum {
  CUZK_STAGING_ADOPTS = 1, /* host-addressable spaces only: upload() moves nothing, see there */
  /* moves what lies in page-locked memory without the CPU: core keeps the engine's vectors in such memory where the
   * device can lock pages, and each call says whether its memory lies there (src_pinned, dst_pinned). */
  CUZK_STAGING_PINNED = 2
};
typedef struct cuzk_staging_api { /* [T] */
  uint32_t struct_size, flags;
  int32_t (*plan)(const cuzk_device_info*, uint64_t largest_vector, uint64_t limit, cuzk_plan* out, cuzk_status*);
  /* pinned_ring: plan->pinned bytes of core's, until close(). With CUZK_STAGING_PINNED they are page-locked, or data is
   * NULL and bytes 0 where they could not be: what does not lie in page-locked memory is then moved as it lies. */
  int32_t (*open)(cuzk_space, const cuzk_plan*, cuzk_mem pinned_ring, void** out, cuzk_status*);
  void (*close)(void* self);
  /* src stays valid until `done`, an adopted src until its slot or chunk is given back. src_pinned: lies in one
   * page-locked block of core's pool. dst->bytes >= src_bytes; the tail is zeroed. *dst comes back as it was. *path:
   * what was really used.
   * Adoption: with
   * CUZK_STAGING_ADOPTS core books dst->bytes without allocating, passes dst->data = NULL and src_bytes == dst->bytes,
   * and the callee answers dst->data = (void*)src and CUZK_PATH_DIRECT. NTT operands, which are written, are then
   * aligned like any other memory; scalars and chunks, which are only read, may lie at any alignment. */
  int32_t (*upload)(void* self, const cuzk_call*, cuzk_mem* dst, const void* src, uint64_t src_bytes,
                    uint32_t src_pinned, cuzk_fence after, cuzk_fence done, uint32_t* path, cuzk_status*);
  int32_t (*download)(void* self, const cuzk_call*, void* dst, uint32_t dst_pinned, cuzk_mem src, cuzk_fence after,
                      cuzk_fence done, uint32_t* path, cuzk_status*);
} cuzk_staging_api;

/* ---- role ntt ---- */
enum {
  CUZK_H_MONOMIAL = 0,      /* bellman: coset inverse at the end, n - 1 coefficients */
  CUZK_H_COSET_LAGRANGE = 1 /* snarkjs: values on the shifted domain, n of them; 1/Z stands in the key */
};
typedef struct cuzk_domain { /* [V] from the proving key */
  uint32_t curve, log2_size, h_basis, reserved;
  /* root of unity, coset shift (g, or the 2n-th root), 1/Z on the coset (or 1); Montgomery */
  cuzk_fr omega, shift, z_inverse;
} cuzk_domain;
enum { CUZK_FORWARD = 0, CUZK_INVERSE = 1, CUZK_COSET_FORWARD = 2, CUZK_COSET_INVERSE = 3 };
enum { CUZK_MUL = 0 /* out = x * y */, CUZK_SUB_SCALE = 1 /* out = (x - y) * z_inverse */ };
/* Transforms are in place, natural order in and out: FORWARD out[k] = sum_i v[i] omega^(ik); INVERSE undoes it (1/n
 * included); COSET_FORWARD evaluates on shift * <omega>; COSET_INVERSE undoes that. */
typedef struct cuzk_ntt_api { /* [T] */
  uint32_t struct_size, reserved;
  int32_t (*plan)(const cuzk_device_info*, const cuzk_domain*, uint64_t limit, cuzk_plan* out, cuzk_status*);
  int32_t (*open)(cuzk_space, const cuzk_domain*, const cuzk_plan*, cuzk_mem resident, void** out, cuzk_status*);
  void (*close)(void* self);
  int32_t (*transform)(void* self, const cuzk_call*, cuzk_vec v, uint32_t kind, cuzk_fence done, cuzk_status*);
  /* out may be x or y. Core uses it for c = a * b on the device; it supplies it itself in host-addressable spaces. */
  int32_t (*pointwise)(void* self, const cuzk_call*, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done,
                       cuzk_status*);
  /* The quotient in two halves, so that c may come late into b's memory: after b_free, b is dead. Null: built on the
   * above. quotient_ab: a <- coset(a) * coset(b). quotient_c: ab <- h from ab and the values c (which it destroys); the
   * H basis says what h is. */
  int32_t (*quotient_ab)(void* self, const cuzk_call*, cuzk_vec a, cuzk_vec b, cuzk_fence b_free, cuzk_status*);
  int32_t (*quotient_c)(void* self, const cuzk_call*, cuzk_vec ab, cuzk_vec c, cuzk_fence done, cuzk_status*);
} cuzk_ntt_api;

/* ---- role msm: one scalar vector, Q queries (h alone; l, a, b1, b2 together) ---- */
typedef struct cuzk_query { /* [V] base i meets the i-th selected scalar of [first, first + span) */
  void* bases;              /* from load(), or NULL: streamed through feed() */
  uint64_t count, first, span;
  /* bit per scalar of the range, u64 words LSB first, in the scalars' space; data NULL: all, count == span */
  cuzk_mem select;
  uint32_t curve, group;
  cuzk_plan plan; /* what plan_bases() answered for it */
} cuzk_query;
enum {
  CUZK_MSM_SELECT = 1, /* takes select; else core compacts on the host and runs the query as a job of its own */
  CUZK_MSM_FEED = 2,   /* keeps buckets between feeds; else core runs chunks as separate jobs and adds the points */
  CUZK_MSM_MANY = 4    /* takes Q > 1; else core runs one job per query */
};
typedef struct cuzk_msm_api { /* [T] */
  uint32_t struct_size, flags;
  /* Bases of one query: resident == 0 in the answer means streamed. limit counts resident bytes. Null slot: always
   * streamed. */
  int32_t (*plan_bases)(const cuzk_device_info*, const cuzk_query*, uint64_t limit, cuzk_plan* out, cuzk_status*);
  /* One job over these queries (each with its bases' plan): workspace, unmanaged, pinned. limit counts workspace +
   * unmanaged. */
  int32_t (*plan_job)(const cuzk_device_info*, uint32_t queries, const cuzk_query*, uint64_t limit, cuzk_plan* out,
                      cuzk_status*);
  int32_t (*open)(cuzk_space, void** out, cuzk_status*);
  void (*close)(void* self);
  /* Chunks of points arrive in `chunk` (already in the component's space); called first = 0 .. count in order. Under a
   * lease. */
  int32_t (*load)(void* self, const cuzk_call*, const cuzk_query*, cuzk_mem resident, cuzk_mem chunk, uint64_t first,
                  uint64_t count, cuzk_fence after, cuzk_fence chunk_free, void** bases, cuzk_status*);
  void (*unload)(void* self, void* bases);
  /* One job: start, feed* (streamed queries only, one query after the other, first = 0 .. count in order), end, finish,
   * drop. All but finish and drop under a lease. `queries` stays valid until drop. */
  int32_t (*start)(void* self, const cuzk_call*, cuzk_vec scalars, uint32_t queries, const cuzk_query*,
                   const cuzk_plan* plan, void** job, cuzk_status*);
  int32_t (*feed)(void* job, const cuzk_call*, uint32_t query, cuzk_mem chunk, uint64_t first, uint64_t count,
                  cuzk_fence after, cuzk_fence chunk_free, cuzk_status*);
  /* Enqueues the reduction and the copy back. */
  int32_t (*end)(void* job, const cuzk_call*, cuzk_fence done, cuzk_status*);
  /* After `done`: CPU only, no lease held, may run beside other calls of the instance. out[q]: the affine point of
   * query q. */
  int32_t (*finish)(void* job, void* const* out, cuzk_status*);
  void (*drop)(void* job); /* always once per job; waits until nothing of it runs; after `done` beside other calls */
  /* Many multiples of one point, for the set-up of keys: out[i] = scalars[i] * point, affine, infinity for 0. point:
   * one affine point of the group of prime order, in host memory, borrowed for the call. plan: as plan_multiples()
   * answered for at least scalars.count; limit counts workspace + unmanaged, resident is 0. Under a lease. Both or
   * neither; null slots: core makes them on the CPU. */
  int32_t (*plan_multiples)(const cuzk_device_info*, uint32_t curve, uint32_t group, uint64_t count, uint64_t limit,
                            cuzk_plan* out, cuzk_status*);
  int32_t (*multiples)(void* self, const cuzk_call*, uint32_t group, const void* point, cuzk_vec scalars,
                       const cuzk_plan* plan, cuzk_mem out, cuzk_fence done, cuzk_status*);
} cuzk_msm_api;

/* ---- role lock: a decision, not a mutex. Core calls under its own lock, blocks nobody in here, and supplies waiting,
 * cancellation, tracing and bytes. The same function runs in the engine, the simulator and the model checker. ---- */
enum { CUZK_WAIT_STAGE = 0, CUZK_IN_STAGE = 1, CUZK_WAIT_COMPUTE = 2, CUZK_IN_COMPUTE = 3 };
enum { CUZK_TICKET_ALONE = 1 /* wants to be alone on the device */ };
typedef struct cuzk_ticket { /* [V] */
  uint64_t number, job, since_ns;
  uint32_t state, flags;
} cuzk_ticket;
typedef struct cuzk_lock_view { /* [T] all tickets of one device in ticket order */
  uint32_t struct_size, count;
  const cuzk_ticket* tickets;
  uint32_t slots_total, slots_free; /* a slot is held from the stage grant to the end of its own compute */
  uint32_t workers, reserved;
} cuzk_lock_view;
enum { CUZK_LOCK_LATE_WORKSPACE = 1 /* wants its workspace booked at compute entry; refused by hosts that do not */ };
typedef struct cuzk_lock_api { /* [T] */
  uint32_t struct_size, flags;
  /* most tickets in a phase at once; 0 = workers. Core makes compute_width workspaces. */
  uint32_t stage_width, compute_width;
  int32_t (*open)(uint32_t workers, void** out, cuzk_status*); /* null for a policy without state */
  void (*close)(void* self);
  /* Index of a waiting ticket to let into its next phase, or CUZK_NONE. Asked again until CUZK_NONE after every change.
   * A pick for stage without a free slot fails that ticket with CUZK_OUT_OF_MEMORY; NONE with nobody running and
   * somebody waiting is a stall, which core breaks by failing the oldest with an error that names the policy. */
  uint32_t (*pick)(void* self, const cuzk_lock_view*);
} cuzk_lock_api;

/* ---- the plugin ---- */
enum { CUZK_ROLE_STAGING = 1, CUZK_ROLE_NTT = 2, CUZK_ROLE_MSM = 3, CUZK_ROLE_LOCK = 4 };
enum { CUZK_COMPONENT_PROCESS_SERIAL = 1 /* wraps global state: core lets one call at a time into the component */ };
typedef struct cuzk_component { /* [T] static data */
  uint32_t struct_size, role;
  cuzk_str name, summary;
  uint32_t space_kinds;    /* bit k: runs in spaces of kind k (assigned kinds only); lock policies: not looked at */
  uint32_t curves, groups; /* bit sets: bit CUZK_BN254, bit CUZK_G1, ...; 0 where the role has none */
  uint32_t max_log2_size, flags;
  const void* api; /* cuzk_<role>_api */
} cuzk_component;
typedef struct cuzk_plugin { /* [T] static data; no GPU, thread, environment or log touched to answer */
  uint32_t struct_size, abi; /* the version chosen from [abi_min, abi_max] */
  cuzk_str name, version, license, author, built_for; /* built_for: "cuda 13.0; sm_80 sm_90 ptx_120", "cpu" */
  uint32_t component_count, cuda_major;               /* cuda_major 0: no CUDA */
  const cuzk_component* const* components;            /* the first of a role is the plugin's default for it */
  const cuzk_device_api* device;                      /* null: brings no space of its own */
  void (*shutdown)(void); /* may be null; called once, before main ends, in reverse order of loading */
} cuzk_plugin;

/* The one exported symbol. On refusal: CUZK_REFUSED and a message naming both version ranges. */
#define CUZK_PLUGIN_ENTRY "cuzk_plugin_query"
#if defined(_WIN32)
#define CUZK_EXPORT __declspec(dllexport)
#else
#define CUZK_EXPORT __attribute__((visibility("default")))
#endif
typedef int32_t cuzk_plugin_query_fn(const cuzk_host* host, const cuzk_plugin** out, cuzk_status* status);
CUZK_EXPORT cuzk_plugin_query_fn cuzk_plugin_query;

#ifdef __cplusplus
}
#endif
#endif
