// The ELF note: the same facts as the table, read without loading, from any bytes.
#include "fixture.hpp"

#include <random>

#include <cuzk/formats/mapped_file.hpp>

namespace cuzk::test {
namespace {

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  const MappedFile file(path.string());
  return {file.bytes().begin(), file.bytes().end()};
}

using Note = LoaderTest;

TEST_F(Note, SaysWhatTheTableSays) {
  registry->load(plugin_file("good", "round-trip"));
  registry->scan();
  ASSERT_GE(registry->plugins().size(), 2u);
  for (const auto& plugin : registry->plugins()) {
    const Plugin::Facts& facts = plugin->facts();
    PluginNote note = read_plugin_note(bytes_of(facts.path));
    EXPECT_EQ(note["name"], facts.name);
    EXPECT_EQ(note["version"], facts.version);
    EXPECT_EQ(note["license"], facts.license);
    EXPECT_EQ(note["author"], facts.author);
    EXPECT_EQ(note["built_for"], facts.built_for);
    EXPECT_EQ(note["abi"], std::to_string(facts.abi));
    std::string roles, curves;
    uint32_t curve_set = 0;
    for (const Role role : {Role::staging, Role::ntt, Role::msm, Role::lock}) {
      if (plugin->component(role)) roles += (roles.empty() ? "" : " ") + std::string(name(role));
    }
    for (const auto& component : plugin->components()) curve_set |= component->info().curves;
    if ((curve_set >> CUZK_BN254) & 1u) curves = "bn254";
    if ((curve_set >> CUZK_BLS12_381) & 1u) curves += std::string(curves.empty() ? "" : " ") + "bls12-381";
    EXPECT_EQ(note["roles"], roles) << facts.name;
    EXPECT_EQ(note["curves"], curves) << facts.name;
  }
}

TEST_F(Note, AbsentInAPlainCPlugin) { EXPECT_TRUE(read_plugin_note(bytes_of(plugin_file("good", "minimal"))).empty()); }

/// Any bytes give a note or an Error, and never anything else; a sanitizer watches.
void expect_orderly(std::span<const std::byte> file) {
  // A copy of exactly this size, so that reading past the end shows.
  const std::vector<std::byte> exact(file.begin(), file.end());
  try {
    static_cast<void>(read_plugin_note(exact));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
  }
}

TEST(NoteReader, SurvivesCutFiles) {
  const auto whole = bytes_of(plugin_file("good", "round-trip"));
  for (size_t size = 0; size < 2000; ++size) expect_orderly(std::span(whole).first(size));
  for (size_t size = 2000; size < whole.size(); size += 997) expect_orderly(std::span(whole).first(size));
}

TEST(NoteReader, SurvivesDamagedHeadersAndNotes) {
  const auto whole = bytes_of(plugin_file("good", "round-trip"));
  std::mt19937 random(20240701);
  for (int round = 0; round < 20000; ++round) {
    auto damaged =
        std::vector(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(whole.size(), 4096)));
    for (int i = 0; i < 4; ++i) damaged[random() % 1200] = static_cast<std::byte>(random() % 4 == 0 ? 0xff : random());
    damaged[0] = std::byte{0x7f};
    expect_orderly(damaged);
  }
}

}  // namespace
}  // namespace cuzk::test
