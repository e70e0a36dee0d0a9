#pragma once
/// How kernels use threads.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace cuzk::cpu {

/// parallel(n, body): body(i) once for every i < n, on as many threads as there are; returns when all are done. Bodies
/// must not throw. A view of whoever owns the threads, in the form of cuzk_host.parallel.
class Parallel {
 public:
  using Run = void(void* self, uint64_t n, void (*fn)(void* arg, uint64_t i), void* arg);

  Parallel(Run* run, void* self) : run_(run), self_(self) {}

  template <class Body>
  void operator()(uint64_t n, Body&& body) const {
    if (n == 1) return body(uint64_t{0});
    using Type = std::remove_reference_t<Body>;
    if (n > 1)
      run_(
          self_, n, [](void* arg, uint64_t i) { (*static_cast<Type*>(arg))(i); }, &body);
  }

 private:
  Run* run_;
  void* self_;
};

/// Runs task(lane, i) once for every i < tasks. Tasks with the same lane < lanes never overlap, so that a lane can own
/// scratch memory; a lane that is done takes the next task, so that tasks need not be equally long.
template <class Task>
void for_lanes(const Parallel& parallel, uint64_t lanes, uint64_t tasks, Task&& task) {
  std::atomic<uint64_t> next{0};
  parallel(std::min(lanes, tasks), [&](uint64_t lane) {
    for (uint64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) task(lane, i);
  });
}

/// Runs body(begin, end) over [0, count) in pieces of `grain`.
template <class Body>
void for_ranges(const Parallel& parallel, uint64_t count, uint64_t grain, Body&& body) {
  parallel((count + grain - 1) / grain, [&](uint64_t i) { body(i * grain, std::min(count, (i + 1) * grain)); });
}

}  // namespace cuzk::cpu
