#include "staging_bench.hpp"

#include "../cuda/device.hpp"
#include "../staging/pinned_async.hpp"
#include "host_bytes.hpp"
#include "memory.hpp"
#include "test_host.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace cuzk::cuda {
namespace {

constexpr unsigned kRuns = 5;

template <class Body>
double gigabytes_per_second(uint64_t bytes, Body&& body) {
  std::vector<double> seconds;
  body();
  for (unsigned i = 0; i < kRuns; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return static_cast<double>(bytes) / seconds[kRuns / 2] / 1e9;
}

Speed plain(uint64_t bytes, const HostBytes& host, const Block& block) {
  const DeviceGuard guard(kSpace);
  const Stream stream(kSpace);
  void* const device = block.mem().data;
  const auto copy = [&](void* to, const void* from, cudaMemcpyKind kind) {
    return gigabytes_per_second(bytes, [&] {
      check(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
      stream.synchronize();
    });
  };
  return {"cudaMemcpyAsync", 0, copy(device, host.data(), cudaMemcpyHostToDevice),
          copy(host.data(), device, cudaMemcpyDeviceToHost)};
}

Speed staged(const char* path, unsigned threads, uint64_t bytes, const HostBytes& host, const HostBytes* ring,
             const Block& block) {
  const TestHost services(threads);
  const cuzk_plan plan = PinnedAsyncStaging::plan(device_info(), bytes, UINT64_MAX);
  const cuzk_mem memory = ring == nullptr ? cuzk_mem{} : cuzk_mem{ring->data(), plan.pinned, {CUZK_SPACE_HOST, 0}};
  PinnedAsyncStaging staging(kSpace, plan, memory);
  const cuzk_fence done = CudaDevice::make_fence(kSpace);
  cuzk_mem device = block.mem();
  const cuzk_call call = call_with({});
  const double up = gigabytes_per_second(bytes, [&] {
    staging.upload(call, device, host.data(), bytes, false, {}, done);
    CudaDevice::wait(done);
  });
  const double down = gigabytes_per_second(bytes, [&] {
    staging.download(call, host.data(), false, device, {}, done);
    CudaDevice::wait(done);
  });
  CudaDevice::free_fence(done);
  return {path, threads, up, down};
}

}  // namespace

std::vector<Speed> measure_staging(uint64_t bytes) {
  const Block block(bytes);
  const HostBytes pinned(bytes, true), ordinary(bytes);
  const HostBytes ring(PinnedAsyncStaging::plan(device_info(), bytes, UINT64_MAX).pinned, true);
  std::vector<Speed> out{plain(bytes, pinned, block), staged("pinned", 1, bytes, pinned, nullptr, block)};
  const unsigned most = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned threads = 1; threads < most; threads *= 2) {
    out.push_back(staged("ring", threads, bytes, ordinary, &ring, block));
  }
  out.push_back(staged("ring", most, bytes, ordinary, &ring, block));
  out.push_back(staged("pageable", 1, bytes, ordinary, nullptr, block));
  return out;
}

}  // namespace cuzk::cuda
