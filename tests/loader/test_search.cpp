// Where plugins are looked for, and which of two goes first.
#include "fixture.hpp"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>

#include <cuzk/loader/compose.hpp>

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Search : public LoaderTest {
 protected:
  Search() { ::unsetenv("CUZK_PLUGIN_PATH"); }
  ~Search() override { ::unsetenv("CUZK_PLUGIN_PATH"); }

  const Verdict& verdict_on(const fs::path& path) const {
    for (const Verdict& verdict : registry->verdicts()) {
      if (verdict.path == path) return verdict;
    }
    throw std::runtime_error("no verdict on " + path.string());
  }
};

TEST_F(Search, FindsTheInstalledOnesBesideTheExecutable) {
  registry->scan();
  ASSERT_NE(registry->find("interlocks"), nullptr);
  EXPECT_EQ(registry->find("interlocks")->facts().path, fs::path(CUZK_OUR_PLUGINS) / "cuzk-plugin-interlocks.so");
}

TEST_F(Search, AnEarlierPlaceHidesALaterOne) {
  ::setenv("CUZK_PLUGIN_PATH", (kPlugins / "good").c_str(), 1);
  registry->scan((kPlugins / "other").string());
  EXPECT_EQ(registry->find("minimal")->facts().path, plugin_file("other", "minimal"));
  const Verdict& hidden = verdict_on(plugin_file("good", "minimal"));
  EXPECT_EQ(hidden.stage, LoadStage::name);
  EXPECT_THAT(hidden.reason, HasSubstr("hidden by " + plugin_file("other", "minimal").string()));
  EXPECT_NE(registry->find("round-trip"), nullptr);
  EXPECT_NE(registry->find("interlocks"), nullptr);
}

TEST_F(Search, TwoInOnePlaceAreAnError) {
  registry->scan((kPlugins / "good").string() + ":" + (kPlugins / "other").string());
  EXPECT_EQ(registry->find("minimal"), nullptr);
  EXPECT_EQ(verdict_on(plugin_file("good", "minimal")).stage, LoadStage::name);
  EXPECT_EQ(verdict_on(plugin_file("other", "minimal")).stage, LoadStage::name);
}

TEST_F(Search, OnlyPluginFilesSortedAndNotBelow) {
  TemporaryFolder folder;
  fs::create_directories(folder.path / "below");
  fs::copy_file(plugin_file("good", "minimal"), folder.path / "below" / "cuzk-plugin-deep.so");
  fs::copy_file(plugin_file("good", "minimal"), folder.path / "cuzk-plugin-b.so");
  for (const char* name : {"cuzk-plugin-c.so", "cuzk-plugin-a.so", "libother.so", "cuzk-plugin-x.txt"}) {
    std::ofstream(folder.path / name) << "text";
  }
  registry->scan(folder.path.string());
  std::vector<std::string> names;
  for (const Verdict& verdict : registry->verdicts()) {
    if (verdict.path.parent_path() == folder.path) names.push_back(verdict.path.filename());
  }
  EXPECT_THAT(names, ::testing::ElementsAre("cuzk-plugin-a.so", "cuzk-plugin-b.so", "cuzk-plugin-c.so"));
}

TEST_F(Search, AnEntryMayBeAFileOrAbsent) {
  registry->scan(plugin_file("good", "minimal").string() + "::/no/such/folder");
  EXPECT_NE(registry->find("minimal"), nullptr);
  const Verdict& absent = verdict_on("/no/such/folder");
  EXPECT_EQ(absent.stage, LoadStage::search);
  EXPECT_THAT(to_line(absent), HasSubstr("No such file or directory, expected a folder of plugins"));
}

TEST_F(Search, EntriesOfTheSearchPathMustBeUsable) {
  registry->scan(plugin_file("good", "minimal").string() + ":" + plugin_file("good", "minimal").string() + ":" +
                 (kPlugins / "bad").string());
  EXPECT_NO_THROW(registry->require_asked());  // broken plugins in a folder are not asked for
  for (const std::string& entry : {std::string("/no/such/folder"), plugin_file("bad", "text").string()}) {
    registry.reset();
    registry = std::make_unique<PluginRegistry>(services);
    registry->scan(entry);
    const auto [code, message] = error_of([&] { compose(*registry, {}); });
    EXPECT_EQ(code, ErrorCode::unusable);
    EXPECT_THAT(message, HasSubstr(entry));
  }
}

TEST_F(Search, ABrokenPluginIsNotPassedOverForASoundOneOfItsName) {
  TemporaryFolder folder;
  std::ofstream(folder.path / "cuzk-plugin-interlocks.so") << "text";
  registry->scan(folder.path.string());
  const auto [code, message] = error_of([&] { registry->require("interlocks"); });
  EXPECT_EQ(code, ErrorCode::unusable);
  EXPECT_THAT(message, HasSubstr((folder.path / "cuzk-plugin-interlocks.so").string()));
}

TEST_F(Search, RequireSaysWhyOrWhatThereIs) {
  registry->scan((kPlugins / "bad").string());
  EXPECT_THAT(error_of([&] { registry->require("unresolved"); }).second, HasSubstr("cuzk_test_nobody_has_this"));
  EXPECT_THAT(error_of([&] { registry->require("nobody"); }).second,
              ::testing::AllOf(HasSubstr("no plugin named 'nobody'; loaded: "), HasSubstr("interlocks")));
}

}  // namespace
}  // namespace cuzk::test
