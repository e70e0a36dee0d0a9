#include "components.hpp"

#ifndef CUZK_PLUGIN_NAME  // tests build variants under other names
#define CUZK_PLUGIN_NAME "cuda-baseline"
#endif

namespace {

constexpr const cuzk_component* kComponents[] = {&cuzk::cuda::kSync, &cuzk::cuda::kNtt, &cuzk::cuda::kMsm};
constexpr auto kPlugin = cuzk::cuda::plugin_of(CUZK_PLUGIN_NAME, kComponents);

}  // namespace

CUZK_PLUGIN(kPlugin);
