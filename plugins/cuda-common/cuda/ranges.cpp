#include "ranges.hpp"

#include <nvtx3/nvToolsExt.h>

namespace cuzk::cuda {
namespace {

nvtxDomainHandle_t domain() noexcept {
  static const nvtxDomainHandle_t one =
      nvtxDomainCreateA("cuzk");  // by the first range, not when the library is loaded
  return one;
}

}  // namespace

Range::Range(const char* name) noexcept {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &attributes);
}

Range::~Range() { nvtxDomainRangePop(domain()); }

}  // namespace cuzk::cuda
