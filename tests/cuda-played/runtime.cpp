/// A card that is played: as much of the CUDA runtime as copies, streams and events take, and the few functions of the
/// driver. "Device memory" is the host's. Each stream is a thread that does one thing after the other, as late as a
/// card would; times of events are those that the card would have had, so that they do not depend on how busy the CPU
/// is. Copies from and to memory that is not page-locked are over when the call returns, as the real ones.

#include "cuda-common/cuda/driver.hpp"
#include "cuda-common/tests/spin.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace {

constexpr uint64_t kBytesPerUs = 50'000;  ///< of copies
constexpr int kMostUrgent = -5;           ///< priority of streams; the least urgent is 0, and none comes first here
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t fail(cudaError_t error) { return last_error = error; }

uint64_t now_ns() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}
void sleep_until(uint64_t ns) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns)));
}

/// Blocks by their beginning.
class Blocks {
 public:
  bool add(const void* data, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    return blocks_.emplace(static_cast<const std::byte*>(data), bytes).second;
  }
  bool remove(const void* data) {
    const std::lock_guard lock(mutex_);
    return blocks_.erase(static_cast<const std::byte*>(data)) != 0;
  }
  bool hold(const void* data, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto* const first = static_cast<const std::byte*>(data);
    const auto next = blocks_.upper_bound(first);
    return next != blocks_.begin() && first + bytes <= std::prev(next)->first + std::prev(next)->second;
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, uint64_t> blocks_;
};

Blocks& allocated() {
  static Blocks& one = *new Blocks;
  return one;
}
Blocks& locked() {
  static Blocks& one = *new Blocks;
  return one;
}

}  // namespace

/// What an event stands for. Work that is enqueued shares it: an event may be destroyed before that has run.
struct EventState {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t recorded = 0, passed = 0;  ///< how often
  uint64_t at_ns = 0;                 ///< on the card

  uint64_t record() {
    const std::lock_guard lock(mutex);
    return ++recorded;
  }
  uint64_t last() {
    const std::lock_guard lock(mutex);
    return recorded;
  }
  bool reached() {
    const std::lock_guard lock(mutex);
    return passed == recorded;
  }
  uint64_t time() {
    const std::lock_guard lock(mutex);
    return at_ns;
  }
  void pass(uint64_t turn, uint64_t when_ns) {
    const std::lock_guard lock(mutex);
    passed = turn;
    at_ns = when_ns;
    changed.notify_all();
  }
  uint64_t wait(uint64_t turn) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return passed >= turn; });
    return at_ns;
  }
};

struct CUevent_st {
  const std::shared_ptr<EventState> state = std::make_shared<EventState>();
};

struct CUstream_st {
  /// Does its work at a time of the card; answers when that is over there.
  using Work = std::function<uint64_t(uint64_t begin_ns)>;

  CUstream_st() : thread([this] { run(); }) {}
  ~CUstream_st() {
    add({});
    thread.join();
  }
  void add(Work work) {
    const std::lock_guard lock(mutex);
    queue.emplace_back(std::move(work), now_ns());
    changed.notify_all();
  }
  void synchronize() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return queue.empty(); });
  }
  /// At once on a stream that is idle, so that comparing clocks does not depend on when a thread wakes up.
  void record(const std::shared_ptr<EventState>& state) {
    const uint64_t turn = state->record();
    std::unique_lock lock(mutex);
    if (queue.empty()) {
      state->pass(turn, std::max(time_ns, now_ns()));
      return;
    }
    lock.unlock();
    add([=](uint64_t begin_ns) {
      state->pass(turn, begin_ns);
      return begin_ns;
    });
  }
  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return !queue.empty(); });
      const auto [work, enqueued_ns] = queue.front();
      if (!work) return;
      lock.unlock();
      const uint64_t end_ns = work(std::max(time_ns, enqueued_ns));
      lock.lock();
      time_ns = end_ns;
      queue.pop_front();
      changed.notify_all();
    }
  }

  uint64_t time_ns = 0;  ///< of the card, when what was enqueued first is over
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<Work, uint64_t>> queue;
  std::thread thread;
};

namespace {

/// Work that takes so long; what it does can be seen at its end.
template <class Body>
CUstream_st::Work lasting(uint64_t ns, Body body) {
  return [=](uint64_t begin_ns) {
    sleep_until(begin_ns + ns);
    body();
    return begin_ns + ns;
  };
}

}  // namespace

namespace cuzk::cuda {

void spin_and_fill(cudaStream_t stream, uint64_t ns, void* data, uint64_t bytes, unsigned char value) {
  stream->add(lasting(ns, [=] { std::memset(data, value, bytes); }));
}

Driver::Driver() : device_get_{}, retain_{}, push_{}, pop_{}, pointer_attributes_{} {}
void Driver::push(uint32_t) {}
void Driver::pop() noexcept {}
uint32_t Driver::any_started() { return 0; }
bool Driver::page_locked(const void* data, uint64_t bytes) const { return bytes != 0 && locked().hold(data, bytes); }
Driver& driver() {
  static Driver one;
  return one;
}

}  // namespace cuzk::cuda

extern "C" {

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }
const char* cudaGetErrorString(cudaError_t) { return "an error of the played card"; }

cudaError_t cudaGetDeviceCount(int* out) {
  *out = 1;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* out) {
  *out = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int) {
  *out = {};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* out, cudaDeviceAttr, int) {
  *out = 1;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = *total = size_t{1} << 32;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

cudaError_t cudaMalloc(void** out, size_t bytes) {
  *out = std::aligned_alloc(256, (bytes / 256 + 1) * 256);
  return *out != nullptr && allocated().add(*out, bytes) ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* data) {
  if (data != nullptr && !allocated().remove(data)) return fail(cudaErrorInvalidValue);
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* data, size_t bytes, unsigned) {
  return locked().add(data, bytes) ? cudaSuccess : fail(cudaErrorHostMemoryAlreadyRegistered);
}
cudaError_t cudaHostUnregister(void* data) { return locked().remove(data) ? cudaSuccess : fail(cudaErrorInvalidValue); }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* most) {
  *least = 0;
  *most = kMostUrgent;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
  if (flags != cudaStreamNonBlocking || priority > 0 || priority < kMostUrgent) return fail(cudaErrorInvalidValue);
  *out = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream != nullptr) stream->synchronize();
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  stream->add([state = event->state, turn = event->state->last()](uint64_t begin_ns) {
    return std::max(begin_ns, state->wait(turn));
  });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned) {
  *out = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  stream->record(event->state);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return event->state->reached() ? cudaSuccess : fail(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  event->state->wait(event->state->last());
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
  const auto ns = static_cast<int64_t>(end->state->time() - begin->state->time());
  *ms = static_cast<float>(static_cast<double>(ns) / 1e6);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  const auto fast = [&](const void* data) { return allocated().hold(data, bytes) || locked().hold(data, bytes); };
  const bool later = fast(to) && fast(from);
  stream->add(lasting(1000 * bytes / kBytesPerUs, [=] { std::memcpy(to, from, bytes); }));
  if (!later) stream->synchronize();
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  stream->add(lasting(0, [=] { std::memset(to, value, bytes); }));
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
}
