#include "policies.hpp"

#include <cuzk/sdk/plugin.hpp>

namespace {

namespace sdk = cuzk::sdk;

constexpr cuzk_component kSingleLock = sdk::lock_component<cuzk::interlocks::SingleLock>(
    "single-lock", "one ticket on the device, from its stage to the end of its compute");
constexpr cuzk_component kNone =
    sdk::lock_component<cuzk::interlocks::None>("none", "no exclusion; one workspace a worker");
constexpr cuzk_component kTwoLock = sdk::lock_component<cuzk::interlocks::TwoLock>(
    "two-lock", "one ticket stages while another computes, as far ahead as there are slots");
constexpr cuzk_component kTwoLockNaive = sdk::lock_component<cuzk::interlocks::TwoLockNaive>(
    "two-lock-naive", "EXPERIMENT: two locks that know nothing of memory; proofs fail where memory is short");
constexpr const cuzk_component* kComponents[] = {&kSingleLock, &kTwoLock, &kNone, &kTwoLockNaive};

constexpr sdk::Plugin kPlugin{.name = "interlocks",
                              .version = "0.1.0",
                              .license = "Apache-2.0",
                              .author = "the cuzk authors",
                              .built_for = "cpu",
                              .components = kComponents};

}  // namespace

CUZK_PLUGIN(kPlugin);
