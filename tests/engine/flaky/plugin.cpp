// A plugin with the kernels of cpu-reference and devices of its own, "flaky:0" to "flaky:9999", whose calls go wrong as
// FlakyControl says. The devices are a vendor's: not host-addressable, so that every byte crosses through staging.
#include "control.hpp"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <type_traits>

#include <cuzk/sdk/host.hpp>
#include <cuzk/sdk/plugin.hpp>

namespace {

namespace sdk = cuzk::sdk;

constexpr uint32_t kKind = CUZK_SPACE_VENDOR;
constexpr uint32_t kDevices = 10000;

cuzk::testing::FlakyControl control;

/// What the call before it goes through says; throws where it goes wrong.
void before(const cuzk_call* call) {
  const uint64_t number = ++control.calls;
  std::this_thread::sleep_for(std::chrono::milliseconds(control.sleep_ms));
  if (number < control.first || number > control.last) return;
  if (control.hang) {
    if (call == nullptr) return;  // no ticket to be cancelled
    ++control.hung;
    while (!sdk::host().cancelled(*call)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw sdk::Error(CUZK_CANCELLED, "hung until it was cancelled");
  }
  throw sdk::Error(control.answer, "injected at call " + std::to_string(number));
}

template <class Api>
Api inner{};  ///< of cpu-reference

const cuzk_call* call_among() { return nullptr; }
template <class First, class... Rest>
const cuzk_call* call_among(First first, Rest... rest) {
  if constexpr (std::is_same_v<First, const cuzk_call*>) {
    return first;
  } else {
    return call_among(rest...);
  }
}
template <class Last>
Last last_of(Last last) {
  return last;
}
template <class First, class... Rest>
auto last_of(First, Rest... rest) {
  return last_of(rest...);
}

/// The slot of cpu-reference's table behind before().
template <auto Member>
struct Slot;
template <class Api, class... Args, int32_t (*Api::*Member)(Args...)>
struct Slot<Member> {
  static int32_t call(Args... args) {
    const int32_t code = sdk::guard(last_of(args...), [&] { before(call_among(args...)); });
    return code == CUZK_OK ? (inner<Api>.*Member)(args...) : code;
  }
};

template <auto Member, class Api>
void wrap(Api& table) {
  table.*Member = Slot<Member>::call;
}

template <class Api>
Api wrapped(const void* api) {
  Api table{};
  inner<Api> = *static_cast<const Api*>(api);
  table = inner<Api>;
  if constexpr (std::is_same_v<Api, cuzk_staging_api>) {
    table.flags = 0;  // nothing to adopt
    wrap<&Api::open>(table);
    wrap<&Api::upload>(table);
    wrap<&Api::download>(table);
  } else if constexpr (std::is_same_v<Api, cuzk_ntt_api>) {
    wrap<&Api::open>(table);
    wrap<&Api::transform>(table);
    wrap<&Api::pointwise>(table);
    wrap<&Api::quotient_ab>(table);
    wrap<&Api::quotient_c>(table);
  } else {
    wrap<&Api::open>(table);
    wrap<&Api::start>(table);
    wrap<&Api::feed>(table);
    wrap<&Api::end>(table);
    wrap<&Api::finish>(table);
  }
  return table;
}

int32_t count(uint32_t* out, cuzk_status*) {
  *out = kDevices;
  return CUZK_OK;
}

int32_t info(int32_t index, cuzk_device_info* out, cuzk_status* status) {
  const int32_t code = inner<cuzk_device_api>.info(0, out, status);
  out->space = {kKind, index};
  return code;
}

int32_t alloc(cuzk_space space, uint64_t bytes, cuzk_mem* out, cuzk_status* status) {
  const int32_t code = Slot<&cuzk_device_api::alloc>::call(space, bytes, out, status);
  if (code == CUZK_OK) control.held += out->bytes;
  return code;
}

void release(cuzk_mem memory) {
  control.held -= memory.bytes;
  inner<cuzk_device_api>.free(memory);
}

/// Work is over when its call returns, so there is nothing to wait for; but waiting can fail.
int32_t fence_make(cuzk_space, cuzk_fence* out, cuzk_status* status) {
  return sdk::guard(status, [&] {
    before(nullptr);
    *out = {nullptr, kKind, 0};
  });
}

int32_t fence_wait(cuzk_fence, cuzk_status* status) {
  return sdk::guard(status, [] { before(nullptr); });
}

/// The tables, made from those of cpu-reference when the plugin is asked for.
struct Tables {
  cuzk_component staging, ntt, msm;
  const cuzk_component* components[3] = {&staging, &ntt, &msm};
  cuzk_staging_api staging_api;
  cuzk_ntt_api ntt_api;
  cuzk_msm_api msm_api;
  cuzk_device_api device;
  cuzk_plugin plugin;

  explicit Tables(const cuzk_plugin& reference) : plugin(reference) {
    for (uint32_t i = 0; i < reference.component_count; ++i) take(*reference.components[i]);
    inner<cuzk_device_api> = *reference.device;
    device = inner<cuzk_device_api>;
    device.kind = kKind;
    device.name = sdk::str("flaky");
    device.count = count;
    device.info = info;
    device.alloc = alloc;
    device.free = release;
    device.fence_make = fence_make;
    device.fence_wait = fence_wait;
    device.fence_free = [](cuzk_fence) {};
    plugin.name = sdk::str("flaky");
    plugin.components = components;
    plugin.component_count = 3;
    plugin.device = &device;
  }

 private:
  template <class Api>
  void put(const cuzk_component& from, cuzk_component& to, Api& api) {
    api = wrapped<Api>(from.api);
    to = from;
    to.space_kinds = uint32_t{1} << kKind;
    to.api = &api;
  }
  void take(const cuzk_component& from) {
    if (from.role == CUZK_ROLE_STAGING) put(from, staging, staging_api);
    if (from.role == CUZK_ROLE_NTT) put(from, ntt, ntt_api);
    if (from.role == CUZK_ROLE_MSM) put(from, msm, msm_api);
  }
};

void read_environment() {
  const auto number = [](const char* name) -> uint64_t {
    const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
  };
  control.first = number("CUZK_FLAKY_FIRST");
  control.last = number("CUZK_FLAKY_LAST");
  if (const uint64_t answer = number("CUZK_FLAKY_ANSWER")) control.answer = static_cast<int32_t>(answer);
  control.hang = number("CUZK_FLAKY_HANG") != 0;
  control.sleep_ms = number("CUZK_FLAKY_SLEEP_MS");
}

constexpr sdk::Plugin kFacts{
    .name = "flaky", .version = "1", .license = "Apache-2.0", .author = "tests", .built_for = "cpu", .components = {}};

}  // namespace

extern "C" CUZK_EXPORT cuzk::testing::FlakyControl* cuzk_flaky_control() { return &control; }

extern "C" CUZK_EXPORT int32_t cuzk_plugin_query(const cuzk_host* host, const cuzk_plugin** out, cuzk_status* status) {
  static constexpr cuzk_plugin kTable = sdk::detail::table(kFacts);
  if (const int32_t code = sdk::detail::answer(kTable, host, out, status); code != CUZK_OK) return code;
  return sdk::guard(status, [&] {
    void* const library = dlopen(CUZK_CPU_REFERENCE, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw sdk::Error(CUZK_REFUSED, dlerror());
    auto* const query = reinterpret_cast<cuzk_plugin_query_fn*>(dlsym(library, CUZK_PLUGIN_ENTRY));
    const cuzk_plugin* reference = nullptr;
    if (query == nullptr || query(host, &reference, status) != CUZK_OK) {
      throw sdk::Error(CUZK_REFUSED, "cpu-reference answers no");
    }
    static const Tables kTables(*reference);
    *out = &kTables.plugin;
    read_environment();
  });
}
