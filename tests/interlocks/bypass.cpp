// Work on a device without a lease does not compile. Case 0 is the way that does; each other case is one way around.
#include <utility>

#include <cuzk/msm.hpp>
#include <cuzk/ntt.hpp>
#include <cuzk/runtime/device_queue.hpp>
#include <cuzk/staging.hpp>

namespace cuzk {

void work(Staging& staging, Ntt& ntt, Msm& msm, Msm::Job& job, DeviceQueue& queue, cuzk_mem memory, cuzk_vec vec) {
#if CASE == 0
  Lease lease = queue.stage(1, 0);
  const Lease narrowed = lease.with(memory, memory);
  staging.upload(narrowed, memory, {}, false, {}, {});
  ntt.transform(narrowed, vec, CUZK_FORWARD, {});
  msm.start(narrowed, vec, {}, {});
  job.end(narrowed, {});
#elif CASE == 1
  staging.upload(memory, {}, false, {}, {});
#elif CASE == 2
  staging.download({}, false, memory, {}, {});
#elif CASE == 3
  ntt.transform(vec, CUZK_FORWARD, {});
#elif CASE == 4
  msm.start(vec, {}, {});
#elif CASE == 5
  job.end({});
#elif CASE == 6
  const Lease made;
#elif CASE == 7
  const Lease made(Lease::Phase::compute, cuzk_space{CUZK_SPACE_CUDA, 0}, 0, cuzk_call{}, [](bool) {});
#elif CASE == 8
  Lease lease = queue.stage(1, 0);
  const Lease copied = lease;
#elif CASE == 9
  ntt.transform(cuzk_call{}, vec, CUZK_FORWARD, {});
#endif
  static_cast<void>(std::forward_as_tuple(staging, ntt, msm, job, queue, memory, vec));
}

}  // namespace cuzk
