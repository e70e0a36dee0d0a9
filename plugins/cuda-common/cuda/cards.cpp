#include "cards.hpp"

#include "check.hpp"
#include "targets.hpp"

#include <cstdlib>

#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Both "no driver" and "too old" are cudaErrorInsufficientDriver; the version tells them apart.
std::string why_insufficient() {
  int version = 0;
  static_cast<void>(cudaDriverGetVersion(&version));
  if (version == 0) return "no NVIDIA driver: libcuda.so.1 was not found or does not start";
  return "the NVIDIA driver is too old: it is made for CUDA " + version_text(version) + ", expected at least " +
         version_text(CUDART_VERSION);
}

std::string why_no_card() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return "the NVIDIA driver finds no GPU" +
         (visible == nullptr ? "" : "; CUDA_VISIBLE_DEVICES is '" + std::string(visible) + "'");
}

uint32_t attribute(cudaDeviceAttr which, uint32_t index) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, static_cast<int>(index)), "cudaDeviceGetAttribute");
  return static_cast<uint32_t>(value);
}

}  // namespace

Card card(uint32_t index) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, static_cast<int>(index)), "cudaGetDeviceProperties");
  return {.name = properties.name,
          .arch = 10 * attribute(cudaDevAttrComputeCapabilityMajor, index) +
                  attribute(cudaDevAttrComputeCapabilityMinor, index),
          .units = attribute(cudaDevAttrMultiProcessorCount, index),
          .memory = properties.totalGlobalMem};
}

std::string mismatch(uint32_t index, const Card& card) {
  return "cuda:" + std::to_string(index) + " (" + card.name + ") is sm_" + std::to_string(card.arch) +
         "; the plugin is built for " + std::string(kBuiltFor);
}

uint32_t count_cards() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  const auto refuse = [&](const std::string& reason) {
    throw sdk::Error(CUZK_REFUSED, reason, static_cast<int32_t>(error));
  };
  if (error == cudaErrorInsufficientDriver) refuse(why_insufficient());
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) refuse(why_no_card());
  check(error, "cudaGetDeviceCount");
  std::string misfits;
  for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i) {
    const Card found = card(i);
    if (runs_on(kBuiltFor, found.arch)) return static_cast<uint32_t>(count);
    if (misfits.empty()) misfits = mismatch(i, found);
  }
  refuse("no kernels for the GPU: " + misfits);
  return 0;
}

}  // namespace cuzk::cuda
