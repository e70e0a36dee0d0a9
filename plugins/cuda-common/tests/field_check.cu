/// cuzk-cuda-field-check: the device's fields against cuzk::arith on a GPU. A line for each field; exit code 0 if all
/// agree, 1 if not, 2 if there is no usable device. No arguments.

#include "../field/field.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <random>
#include <vector>

#include <cuzk/arith/fp2.hpp>

namespace cuzk::cuda {
namespace {

constexpr uint32_t kPairs = 1U << 20;
constexpr uint32_t kInversions = 1U << 12;
constexpr uint32_t kThreads = 128;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

/// What is computed of each pair; the order is the kernels'.
enum Operation { kMultiply, kSquare, kAdd, kSubtract, kNegate, kDouble, kCanonical, kOperations };
constexpr const char* kNames[kOperations] = {"multiply", "square", "add", "subtract", "negate", "double", "canonical"};

template <class F>
__global__ void ring_kernel(F* out, const F* x, const F* y, uint32_t count) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const F a = load(x + i), b = load(y + i);
  store(out + kMultiply * size_t{count} + i, a * b);
  store(out + kSquare * size_t{count} + i, a.square());
  store(out + kAdd * size_t{count} + i, a + b);
  store(out + kSubtract * size_t{count} + i, a - b);
  store(out + kNegate * size_t{count} + i, -a);
  store(out + kDouble * size_t{count} + i, a.doubled());
  if constexpr (requires { a.to_canonical(); }) store(out + kCanonical * size_t{count} + i, a.to_canonical());
}
template <class F>
__global__ void inverse_kernel(F* out, const F* x, uint32_t count) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) store(out + i, load(x + i).inverse());
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : bytes_(count * sizeof(T)) { check(cudaMalloc(&data_, bytes_), "cudaMalloc"); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* get() { return static_cast<T*>(data_); }
  void write(const void* from) { check(cudaMemcpy(data_, from, bytes_, cudaMemcpyHostToDevice), "cudaMemcpy"); }
  void read(void* to) { check(cudaMemcpy(to, data_, bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy"); }

 private:
  size_t bytes_;
  void* data_ = nullptr;
};

template <class Host>
Host random_element(std::mt19937_64& words) {
  for (;;) {
    typename Host::Limbs limbs;
    for (auto& limb : limbs) limb = words();
    limbs.back() &= UINT64_MAX >> (64 * Host::kLimbs - Host::kBits);
    if (Host::is_reduced(limbs)) return Host::from_raw(limbs);
  }
}

/// As stored: 0, 1, p - 1, R, R^2, every power of two, the modulus less each, and words of ones.
template <class Host>
std::vector<Host> edges() {
  std::vector<Host> r{Host::zero(), Host::one(), Host::from_raw(Host::Constants::kR2),
                      Host::from_raw(Host::Constants::kMinusOne), Host::from_raw(Host::Constants::kHalf)};
  const auto put = [&](const typename Host::Limbs& limbs) {
    if (Host::is_reduced(limbs)) r.push_back(Host::from_raw(limbs));
  };
  for (size_t bit = 0; bit < Host::kBits; ++bit) {
    typename Host::Limbs power{}, other{};
    power[bit / 64] = uint64_t{1} << (bit % 64);
    put(power);
    arith::limbs::sub(other, power, typename Host::Limbs{1});
    put(other);
    arith::limbs::sub(other, Host::modulus(), power);
    put(other);
  }
  for (size_t hole = 0; hole < 2 * Host::kLimbs; ++hole) {
    typename Host::Limbs ones;
    ones.fill(UINT64_MAX);
    ones.back() = Host::modulus().back() - 1;
    put(ones);
    ones[hole / 2] &= hole % 2 == 0 ? 0xffffffff00000000U : 0x00000000ffffffffU;
    put(ones);
  }
  return r;
}

/// Pairs: all pairs of edges as far as they fit into half of them, the rest random.
template <class Host, class Make>
void fill_pairs(std::vector<Host>& x, std::vector<Host>& y, const std::vector<Host>& special, Make&& make) {
  x.resize(kPairs);
  y.resize(kPairs);
  for (size_t i = 0; i < kPairs; ++i) {
    const bool edge = i < special.size() * special.size() && i < kPairs / 2;
    x[i] = edge ? special[i / special.size()] : make();
    y[i] = edge ? special[i % special.size()] : make();
  }
}

template <class F, class Host>
bool compare(const char* name, const std::vector<Host>& x, const std::vector<Host>& y) {
  static_assert(sizeof(F) == sizeof(Host));
  constexpr bool kPrime = requires(const Host& h) { h.to_canonical(); };
  DeviceArray<F> a(kPairs), b(kPairs), out(size_t{kOperations} * kPairs), inverses(kInversions);
  a.write(x.data());
  b.write(y.data());
  ring_kernel<F><<<kPairs / kThreads, kThreads>>>(out.get(), a.get(), b.get(), kPairs);
  check(cudaGetLastError(), "ring_kernel");
  inverse_kernel<F><<<kInversions / kThreads, kThreads>>>(inverses.get(), a.get() + kPairs - kInversions, kInversions);
  check(cudaGetLastError(), "inverse_kernel");
  std::vector<Host> found(size_t{kOperations} * kPairs), inverted(kInversions);
  out.read(found.data());
  inverses.read(inverted.data());

  uint64_t checked = 0, wrong[kOperations + 1] = {};
  const auto expect = [&](int operation, size_t i, const Host& value) {
    ++checked;
    if (std::memcmp(&found[operation * size_t{kPairs} + i], &value, sizeof(Host)) != 0) ++wrong[operation];
  };
  for (size_t i = 0; i < kPairs; ++i) {
    expect(kMultiply, i, x[i] * y[i]);
    expect(kSquare, i, x[i].square());
    expect(kAdd, i, x[i] + y[i]);
    expect(kSubtract, i, x[i] - y[i]);
    expect(kNegate, i, -x[i]);
    expect(kDouble, i, x[i].doubled());
    if constexpr (kPrime) expect(kCanonical, i, Host::from_raw(x[i].to_canonical()));
  }
  for (size_t i = 0; i < kInversions; ++i, ++checked) {
    if (!(inverted[i] == x[kPairs - kInversions + i].inverse())) ++wrong[kOperations];
  }
  uint64_t failures = 0;
  for (const uint64_t count : wrong) failures += count;
  std::printf("%-13s %s: %llu of %llu results wrong", name, failures == 0 ? "PASS" : "FAIL",
              static_cast<unsigned long long>(failures), static_cast<unsigned long long>(checked));
  for (int i = 0; i <= kOperations; ++i) {
    if (wrong[i] != 0) {
      std::printf(", %s %llu", i == kOperations ? "inverse" : kNames[i], static_cast<unsigned long long>(wrong[i]));
    }
  }
  std::printf("\n");
  return failures == 0;
}

template <class P>
bool check_prime(const char* name) {
  using Host = typename P::Host;
  std::mt19937_64 words(1);
  std::vector<Host> x, y;
  fill_pairs(x, y, edges<Host>(), [&] { return random_element<Host>(words); });
  x.back() = Host::zero();
  return compare<Fe<P>>(name, x, y);
}

template <class P>
bool check_quadratic(const char* name) {
  using Base = typename P::Host;
  using Host = arith::Fp2<Base>;
  std::mt19937_64 words(2);
  std::vector<Host> x, y, special;
  for (const Base& edge : edges<Base>()) {
    special.push_back({edge, -edge});
    special.push_back({edge, Base::zero()});
    special.push_back({Base::zero(), edge});
  }
  fill_pairs(x, y, special, [&] { return Host{random_element<Base>(words), random_element<Base>(words)}; });
  x.back() = Host::zero();
  return compare<Fe2<Fe<P>>>(name, x, y);
}

}  // namespace
}  // namespace cuzk::cuda

int main() {
  using namespace cuzk::cuda;
  bool good = check_prime<Bn254Fr>("BN254 Fr");
  good &= check_prime<Bn254Fp>("BN254 Fp");
  good &= check_prime<Bls12381Fr>("BLS12-381 Fr");
  good &= check_prime<Bls12381Fp>("BLS12-381 Fp");
  good &= check_quadratic<Bn254Fp>("BN254 Fp2");
  good &= check_quadratic<Bls12381Fp>("BLS12-381 Fp2");
  return good ? 0 : 1;
}
