// Every kind of bad candidate: the stage where it stops, and one line that names the path and the cause.
#include "fixture.hpp"

#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void expect_stopped(const Verdict& verdict, LoadStage stage, const std::string& cause) {
  EXPECT_FALSE(verdict.ok());
  EXPECT_EQ(name(verdict.stage), name(stage)) << verdict.reason;
  const std::string line = to_line(verdict);
  EXPECT_THAT(line, HasSubstr(cause));
  EXPECT_TRUE(line.starts_with(verdict.path.string() + ": ")) << line;
  EXPECT_TRUE(verdict.path.is_absolute());
  EXPECT_EQ(line.find('\n'), line.npos) << line;
}

struct Case {
  const char* name;
  LoadStage stage;
  const char* cause;
};

class BadPlugin : public LoaderTest, public ::testing::WithParamInterface<Case> {};

TEST_P(BadPlugin, GetsItsVerdict) {
  const Verdict verdict = load("bad", GetParam().name);
  expect_stopped(verdict, GetParam().stage, GetParam().cause);
  EXPECT_TRUE(registry->plugins().empty());
  ASSERT_EQ(registry->verdicts().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadPlugin,
    ::testing::Values(
        Case{"no-symbol", LoadStage::symbol, "exports no cuzk_plugin_query"},
        Case{"abi-next", LoadStage::table, "chose ABI 2, this program offered 1 to 1"},
        Case{"abi-before", LoadStage::table, "chose ABI 0, this program offered 1 to 1"},
        Case{"abi-noted", LoadStage::note, "its note says ABI 2, this program speaks 1 to 1"},
        Case{"refuses", LoadStage::handshake, "refused: speaks ABI 7 to 9, the host offers 1 to 1"},
        Case{"no-table", LoadStage::handshake, "gave no table"},
        Case{"unterminated", LoadStage::handshake, "unknown status 4711: xxx"},
        Case{"throws", LoadStage::handshake,
             "cuzk_plugin_query let an exception out through the C boundary: out of the entry"},
        Case{"null-slot", LoadStage::table, "minimal/first: slot pick is null"},
        Case{"name", LoadStage::table, "name 'No-Good', expected [a-z0-9-]+"},
        Case{"component-name", LoadStage::table, "minimal, component 0: name 'Two Words'"},
        Case{"component-twice", LoadStage::table, "minimal/first: is there twice"},
        Case{"cuda-major", LoadStage::table, "minimal/radix: runs on CUDA, but the plugin's cuda_major is 0"},
        Case{"flags", LoadStage::table, "minimal/first: unknown flag bits 12"},
        Case{"long-text", LoadStage::table, "minimal: version has 18446744073709551615 bytes, expected at most 65536"},
        Case{"null-text", LoadStage::table, "minimal: author is null, expected a text"},
        Case{"device-kind-0", LoadStage::table, "toy, device toy: is of kind 0, expected 1, 2 or a vendor's, 16 to 31"},
        Case{"device-kind-3", LoadStage::table, "toy, device toy: is of kind 3, expected 1, 2 or a vendor's, 16 to 31"},
        Case{"device-kind-32", LoadStage::table, "toy, device toy: is of kind 32, expected 1, 2 or a vendor's"},
        Case{"space-kind", LoadStage::table, "toy/toy-msm: runs in spaces of kind 15, which is not assigned"},
        Case{"unresolved", LoadStage::open, "undefined symbol: cuzk_test_nobody_has_this"},
        Case{"missing", LoadStage::file, "no such file"}),
    [](const auto& param_info) {
      std::string name = param_info.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

using Verdicts = LoaderTest;

TEST_F(Verdicts, GoodOnes) {
  EXPECT_EQ(to_line(load("good", "round-trip")), plugin_file("good", "round-trip").string() + ": ok: round-trip");
  EXPECT_TRUE(load("good", "minimal").ok());
  const Verdict skipped = load("good", "unknown-role");
  EXPECT_TRUE(skipped.ok());
  EXPECT_THAT(skipped.notes, ::testing::ElementsAre("component 'oracle' skipped: unknown role 77"));
  EXPECT_EQ(registry->find("unknown-role")->components().size(), 1u);
}

TEST_F(Verdicts, AShorterTableEndsWhereItSays) {
  // components lies beyond the table's end, so that it is absent, whatever the memory there holds.
  expect_stopped(load("good", "short-table"), LoadStage::table, "short-table: components is null");
}

TEST_F(Verdicts, FilesThatAreNoPlugins) {
  TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder.path / name, std::ios::binary) << content;
    return folder.path / name;
  };
  std::ifstream good(plugin_file("good", "minimal"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(good)), {});
  const auto patched = [&](size_t offset, char value) {
    std::string copy = bytes;
    copy[offset] = value;
    return copy;
  };

  expect_stopped(registry->load(write("text.so", "#!/bin/sh\n")), LoadStage::elf, "no ELF file");
  expect_stopped(registry->load(write("empty.so", "")), LoadStage::elf, "an empty file");
  expect_stopped(registry->load(write("cut.so", bytes.substr(0, bytes.size() / 8))), LoadStage::elf, "cut off");
#if defined(__x86_64__)
  const std::string foreign = patched(offsetof(Elf64_Ehdr, e_machine), static_cast<char>(EM_AARCH64));
  expect_stopped(registry->load(write("foreign.so", foreign)), LoadStage::elf,
                 "built for aarch64, this program runs on x86-64");
#endif
  expect_stopped(registry->load(write("narrow.so", patched(EI_CLASS, ELFCLASS32))), LoadStage::elf,
                 "a 32-bit ELF file");
  expect_stopped(registry->load(write("program.so", patched(offsetof(Elf64_Ehdr, e_type), ET_EXEC))), LoadStage::elf,
                 "expected a shared object");
  expect_stopped(registry->load(folder.path), LoadStage::file, "a directory");
  expect_stopped(registry->load("/dev/null"), LoadStage::file, "not a regular file");
}

TEST_F(Verdicts, ARelativePathBelongsToTheFolderItWasSaidIn) {
  const fs::path before = fs::current_path();
  fs::current_path(kPlugins / "good");
  const Verdict verdict = registry->load("../good/./cuzk-plugin-minimal.so");
  fs::current_path("/");
  EXPECT_TRUE(verdict.ok()) << verdict.reason;
  EXPECT_EQ(verdict.path, plugin_file("good", "minimal"));
  expect_stopped(registry->load("cuzk-plugin-minimal.so"), LoadStage::file,
                 "/cuzk-plugin-minimal.so: file: no such file");
  fs::current_path(before);
}

TEST_F(Verdicts, TheSameFileTwice) {
  EXPECT_TRUE(load("good", "minimal").ok());
  expect_stopped(load("good", "minimal"), LoadStage::name, "already loaded");
  TemporaryFolder folder;
  fs::create_symlink(plugin_file("good", "minimal"), folder.path / "cuzk-plugin-link.so");
  expect_stopped(registry->load(folder.path / "cuzk-plugin-link.so"), LoadStage::name,
                 "already loaded as " + plugin_file("good", "minimal").string());
  EXPECT_EQ(registry->plugins().size(), 1u);
}

TEST_F(Verdicts, TwoOfOneNameAndNeitherIsUsed) {
  EXPECT_TRUE(load("good", "minimal").ok());
  const std::string first = plugin_file("good", "minimal").string(), second = plugin_file("other", "minimal").string();
  expect_stopped(load("other", "minimal"), LoadStage::name, "two plugins are named minimal, the other is " + first);
  expect_stopped(registry->verdicts()[0], LoadStage::name, "two plugins are named minimal, the other is " + second);
  EXPECT_TRUE(registry->plugins().empty());
  const auto [code, message] = error_of([&] { registry->require("minimal"); });
  EXPECT_EQ(code, ErrorCode::unusable);
  EXPECT_THAT(message, HasSubstr(first));
  EXPECT_THAT(message, HasSubstr(second));
}

TEST_F(Verdicts, OneRegistryAtATime) {
  const auto [code, message] = error_of([&] { PluginRegistry second(services); });
  EXPECT_EQ(code, ErrorCode::internal);
  registry.reset();
  PluginRegistry another(services);
  EXPECT_TRUE(another.load(plugin_file("good", "minimal")).ok());
}

TEST_F(Verdicts, ShutDownInReverseOrderAndOnlyWhatWasLoaded) {
  EXPECT_TRUE(load("good", "round-trip").ok());
  EXPECT_EQ(log.count("round-trip: shut down"), 0u);
  registry.reset();
  EXPECT_EQ(log.count("round-trip: shut down"), 1u);
}

}  // namespace
}  // namespace cuzk::test
