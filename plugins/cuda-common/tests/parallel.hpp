#pragma once
#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace cuzk::cuda {

/// body(begin, end) on every CPU, over parts of [0, n) that begin at multiples of `step`; returns when all are done.
/// body must not throw.
template <class Body>
void parallel(uint64_t n, uint64_t step, const Body& body) {
  const uint64_t threads = std::max(1U, std::thread::hardware_concurrency());
  const uint64_t part = (n / threads / step + 1) * step;
  std::vector<std::thread> running;
  for (uint64_t begin = 0; begin < n; begin += part) {
    running.emplace_back([&body, begin, end = std::min(begin + part, n)] { body(begin, end); });
  }
  for (std::thread& thread : running) thread.join();
}

/// sum of of(i), i < n, on every CPU. T: += and zero().
template <class T, class Of>
T parallel_sum(uint64_t n, const Of& of) {
  constexpr uint64_t kStep = 1 << 8;
  std::vector<T> sums(n / kStep + 1, T::zero());
  parallel(n, kStep, [&](uint64_t begin, uint64_t end) {
    T sum = T::zero();
    for (uint64_t i = begin; i < end; ++i) sum += of(i);
    sums[begin / kStep] = sum;
  });
  T sum = T::zero();
  for (const T& part : sums) sum += part;
  return sum;
}

}  // namespace cuzk::cuda
