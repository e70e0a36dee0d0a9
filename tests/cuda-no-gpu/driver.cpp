/// A driver that cannot be used: NO_GPU has none, TOO_OLD is older than the plugin's CUDA. It answers what the runtime
/// asks before it gives up, and "not supported" to the rest.

#include <cuda.h>
#include <string_view>
#include <utility>

#undef cuGetProcAddress  // the names below are those of the library

namespace {

#ifdef TOO_OLD
constexpr int kVersion = 11040;
#else
constexpr int kVersion = CUDA_VERSION;
#endif

CUresult unsupported() { return CUDA_ERROR_NOT_SUPPORTED; }

CUresult init(unsigned) {
#ifdef NO_GPU
  return CUDA_ERROR_NO_DEVICE;
#else
  return CUDA_SUCCESS;
#endif
}

CUresult version(int* out) {
  *out = kVersion;
  return CUDA_SUCCESS;
}

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned flags) { return init(flags); }
CUresult cuDriverGetVersion(int* out) { return version(out); }

CUresult cuGetProcAddress_v2(const char* symbol, void** out, int, cuuint64_t, CUdriverProcAddressQueryResult* result) {
  const std::pair<std::string_view, void*> known[] = {{"cuInit", address(init)},
                                                      {"cuDriverGetVersion", address(version)},
                                                      {"cuGetProcAddress", address(cuGetProcAddress_v2)}};
  *out = address(unsupported);
  for (const auto& [known_name, function] : known) {
    if (known_name == symbol) *out = function;
  }
  if (result != nullptr) *result = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char* symbol, void** out, int wanted, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, out, wanted, flags, nullptr);
}
}
