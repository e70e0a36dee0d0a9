#pragma once
#include <cstdint>

namespace cuzk::testing {

/// Kinds of calls of the CUDA runtime that can be made to fail, each with the error that a real one gives.
enum class Call : uint32_t {
  allocation,  ///< cudaMalloc, cudaHostRegister: out of memory
  creation,    ///< of streams and events: out of memory
  copy,        ///< cudaMemcpyAsync, cudaMemsetAsync: invalid value
  launch,      ///< of kernels: out of resources
  fence,       ///< recording an event, a stream's waiting for one: invalid resource handle
  wait,        ///< for a stream or an event: invalid resource handle
  question,    ///< attributes, priorities, free memory, occupancy, the current device: invalid value
  poll,        ///< asking an event whether it has come: invalid resource handle
  release,     ///< of memory, streams, events and page locks: is done, and says invalid value all the same
  count
};
inline constexpr const char* kCallNames[] = {"allocation", "creation", "copy", "launch", "fence",
                                             "wait",       "question", "poll", "release"};

/// Switches of a plugin whose calls can be made to fail, for the program that has loaded it; exported as the function
/// `cuzk_faults`, which returns them. A call that fails is not made (but a
/// release is: the runtime gives errors of earlier work to the calls that come after it), and its error is also the
/// calling thread's last error until that is asked for, as the runtime has it. Threads: any.
struct Faults {
  static constexpr const char* kEntry = "cuzk_faults";

  /// Counts calls of each kind from 0; the k-th of that kind from now on fails, once. k = 0: none.
  void (*arm)(Call kind, uint64_t k);
  uint64_t (*calls)(Call kind);  ///< since arm()
  bool (*failed)();              ///< the k-th call has come
  /// Errors that are still some thread's last error: nobody looked, and a later call could be blamed.
  int64_t (*left)();
  /// The k-th launch from now on starts a kernel that ends in a trap instead: the launch itself succeeds, the work on
  /// the device fails, and no work of this process runs there ever after.
  void (*arm_trap)(uint64_t k);
  /// Fails a real call (an allocation of 2^60 bytes) without asking for the last error. False if it succeeded.
  bool (*leave_last_error)();
  /// What the plugin's own runtime says an address is: 0 memory unknown to it, 1 page-locked, 2 on a device, 3 managed.
  int32_t (*memory_type)(const void* address);
};

}  // namespace cuzk::testing
