/* A driver that cannot be used: NO_GPU has none, TOO_OLD is older than the plugin's CUDA, OLD_CARD has one card that is
 * older than every build. It answers what the runtime asks before it gives up, and "not supported" to the rest. */
#include <cuda.h>
#include <string.h>

static CUresult unsupported(void) { return CUDA_ERROR_NOT_SUPPORTED; }

#ifdef TOO_OLD
enum { kVersion = 11040 };
#else
enum { kVersion = CUDA_VERSION };
#endif

CUresult cuInit(unsigned flags) {
  (void)flags;
#ifdef NO_GPU
  return CUDA_ERROR_NO_DEVICE;
#else
  return CUDA_SUCCESS;
#endif
}

CUresult cuDriverGetVersion(int* version) {
  *version = kVersion;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  (void)device;
  strncpy(name, "Test Card", (size_t)size);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  (void)device;
  *bytes = (size_t)1 << 30;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  (void)device;
  memset(uuid, 1, sizeof *uuid);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetLuid(char* luid, unsigned* mask, CUdevice device) {
  (void)device;
  memset(luid, 0, 8);
  *mask = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  (void)device;
  *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 7 : 0;
  return CUDA_SUCCESS;
}

CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  (void)table;
  (void)id;
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress_v2(const char* name, void** found, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* result);

CUresult cuGetProcAddress(const char* name, void** found, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, found, version, flags, NULL);
}

CUresult cuGetProcAddress_v2(const char* name, void** found, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* result) {
  static const struct {
    const char* name;
    void* function;
  } known[] = {
      {"cuInit", (void*)cuInit},
      {"cuDriverGetVersion", (void*)cuDriverGetVersion},
      {"cuDeviceGetCount", (void*)cuDeviceGetCount},
      {"cuDeviceGet", (void*)cuDeviceGet},
      {"cuDeviceGetName", (void*)cuDeviceGetName},
      {"cuDeviceTotalMem", (void*)cuDeviceTotalMem_v2},
      {"cuDeviceGetUuid", (void*)cuDeviceGetUuid_v2},
      {"cuDeviceGetLuid", (void*)cuDeviceGetLuid},
      {"cuDeviceGetAttribute", (void*)cuDeviceGetAttribute},
      {"cuGetExportTable", (void*)cuGetExportTable},
      {"cuGetProcAddress", (void*)cuGetProcAddress_v2},
  };
  (void)version;
  (void)flags;
  *found = (void*)unsupported;
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (strcmp(name, known[i].name) == 0) *found = known[i].function;
  }
  if (result != NULL) *result = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}
