#pragma once
/// The plugin itself: facts written once, from which come the table, the handshake and the note.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/abi/plugin_abi_layout.h>
#include <cuzk/abi/plugin_note.h>
#include <cuzk/sdk/component.hpp>

namespace cuzk::sdk {

/// The facts of a plugin; a constexpr object at namespace scope, handed to CUZK_PLUGIN.
struct Plugin {
  std::string_view name = {};     ///< [a-z0-9-]+, as in cuzk-plugin-NAME.so
  std::string_view version = {};  ///< the plugin's own
  std::string_view license = {};  ///< SPDX
  std::string_view author = {};
  std::string_view built_for = {};                         ///< "cpu", "cuda 13.0; sm_80 sm_90 ptx_120"
  std::span<const cuzk_component* const> components = {};  ///< the first of a role is the plugin's default for it
  const cuzk_device_api* device = nullptr;                 ///< null: brings no space of its own
  uint32_t cuda_major = 0;                                 ///< 0: no CUDA
  void (*shutdown)() = nullptr;                            ///< must not throw
};

namespace detail {

consteval cuzk_plugin table(const Plugin& plugin) {
  if (!is_name(plugin.name)) throw "a plugin's name is [a-z0-9-]+";
  for (const std::string_view text : {plugin.version, plugin.license, plugin.author, plugin.built_for}) {
    if (text.find('\n') != text.npos) throw "a plugin's facts are one line each";
  }
  return {.struct_size = sizeof(cuzk_plugin),
          .abi = CUZK_ABI_VERSION,
          .name = str(plugin.name),
          .version = str(plugin.version),
          .license = str(plugin.license),
          .author = str(plugin.author),
          .built_for = str(plugin.built_for),
          .component_count = static_cast<uint32_t>(plugin.components.size()),
          .cuda_major = plugin.cuda_major,
          .components = plugin.components.data(),
          .device = plugin.device,
          .shutdown = plugin.shutdown};
}

/// Writes the note's text through put(char); the same walk measures and fills.
template <class Put>
constexpr void write_note(const Plugin& plugin, Put put) {
  const auto text = [&](std::string_view part) {
    for (const char c : part) put(c);
  };
  const auto line = [&](std::string_view key, std::string_view value) {
    text(key);
    put('=');
    text(value);
    put('\n');
  };
  const auto words = [&](std::string_view key, uint32_t set, std::span<const std::string_view> names) {
    text(key);
    char before = '=';
    for (size_t i = 0; i < names.size(); ++i) {
      if (((set >> i) & 1u) == 0) continue;
      put(before);
      text(names[i]);
      before = ' ';
    }
    if (before == '=') put('=');
    put('\n');
  };
  constexpr std::array<std::string_view, 5> kRoles{"", "staging", "ntt", "msm", "lock"};
  constexpr std::array<std::string_view, 3> kCurves{"", "bn254", "bls12-381"};
  uint32_t roles = 0, curves = 0;
  for (const cuzk_component* component : plugin.components) {
    roles |= 1u << component->role;
    curves |= component->curves;
  }
  line("name", plugin.name);
  line("version", plugin.version);
  line("license", plugin.license);
  line("author", plugin.author);
  static_assert(CUZK_ABI_VERSION < 10);
  const char abi = static_cast<char>('0' + CUZK_ABI_VERSION);
  line("abi", std::string_view(&abi, 1));
  words("roles", roles, kRoles);
  words("curves", curves, kCurves);
  line("built_for", plugin.built_for);
}

template <size_t Size>
struct Note {
  uint32_t name_size = sizeof(CUZK_NOTE_NAME), size = Size, type = CUZK_NOTE_TYPE;
  char name[8] = CUZK_NOTE_NAME;
  char text[(Size + 3) / 4 * 4] = {};
};

template <const Plugin& P>
consteval auto note() {
  constexpr size_t kSize = [] {
    size_t size = 0;
    write_note(P, [&](char) { ++size; });
    return size;
  }();
  Note<kSize> note;
  size_t at = 0;
  write_note(P, [&](char c) { note.text[at++] = c; });
  return note;
}

inline int32_t answer(const cuzk_plugin& table, const cuzk_host* host, const cuzk_plugin** out, cuzk_status* status) {
  return guard(status, [&] {
    if (host == nullptr || out == nullptr) throw Error(CUZK_BAD_ARGUMENT, "no host table or no place for the answer");
    if (host->abi_min > CUZK_ABI_VERSION || host->abi_max < CUZK_ABI_VERSION) {
      const std::string ours = std::to_string(CUZK_ABI_VERSION);
      throw Error(CUZK_REFUSED, "plugin " + std::string(view(table.name)) + " speaks ABI " + ours + " to " + ours +
                                    ", the host offers " + std::to_string(host->abi_min) + " to " +
                                    std::to_string(host->abi_max));
    }
    if (host->struct_size < kLeastHost || host->log == nullptr) {
      throw Error(CUZK_REFUSED, "the host's table has " + std::to_string(host->struct_size) +
                                    " bytes, expected at least " + std::to_string(kLeastHost) + " and a log function");
    }
    host_table = read_table<cuzk_host>(host);
    *out = &table;
  });
}

}  // namespace detail
}  // namespace cuzk::sdk

/// Makes the file a plugin; once per plugin, at global scope, with the name of a constexpr sdk::Plugin:
///
///   namespace {
///   namespace sdk = cuzk::sdk;
///   constexpr cuzk_component kNtt = sdk::ntt_component<Radix>({.name = "radix", ...});
///   constexpr const cuzk_component* kComponents[] = {&kNtt};
///   constexpr sdk::Plugin kPlugin{.name = "mine", .version = "1.0.0", .license = "MIT", .author = "Me",
///                                 .built_for = "cpu", .components = kComponents};
///   }  // namespace
///   CUZK_PLUGIN(kPlugin);
#define CUZK_PLUGIN(facts)                                                                           \
  [[gnu::used, gnu::section(CUZK_NOTE_SECTION)]] alignas(4) static constexpr auto cuzk_plugin_note = \
      ::cuzk::sdk::detail::note<facts>();                                                            \
  extern "C" CUZK_EXPORT int32_t cuzk_plugin_query(const cuzk_host* host, const cuzk_plugin** out,   \
                                                   cuzk_status* status) {                            \
    static constexpr cuzk_plugin table = ::cuzk::sdk::detail::table(facts);                          \
    return ::cuzk::sdk::detail::answer(table, host, out, status);                                    \
  }                                                                                                  \
  static_assert(true)
