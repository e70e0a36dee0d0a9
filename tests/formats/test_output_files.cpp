#include "support.hpp"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <cuzk/error.hpp>
#include <cuzk/formats/output_files.hpp>

namespace cuzk::test {
namespace {

using Names = std::vector<std::string>;

void expect_failure(const std::function<void()>& write, ErrorCode code, const std::string& path) {
  try {
    write();
    ADD_FAILURE() << path << " was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
  }
}

TEST(OutputFiles, AppearTogetherAtCommit) {
  const Scratch scratch;
  OutputFiles files;
  files.add(scratch.path("proof.json"), "proof");
  files.add(scratch.path("public.json"), "public");
  for (const std::string& name : scratch.names()) {
    EXPECT_NE(name, "proof.json");
    EXPECT_NE(name, "public.json");
  }
  files.commit();
  EXPECT_EQ(scratch.names(), (Names{"proof.json", "public.json"}));
  EXPECT_EQ(read_text(scratch.path("proof.json")), "proof");
  EXPECT_EQ(read_text(scratch.path("public.json")), "public");
}

TEST(OutputFiles, ReplaceExistingFiles) {
  const Scratch scratch;
  scratch.write("proof.json", std::string("a longer old proof"));
  OutputFiles files;
  files.add(scratch.path("proof.json"), "new");
  files.commit();
  EXPECT_EQ(read_text(scratch.path("proof.json")), "new");
  EXPECT_EQ(scratch.names(), Names{"proof.json"});
}

TEST(OutputFiles, LeaveNothingWithoutCommit) {
  const Scratch scratch;
  scratch.write("old.json", std::string("old"));
  {
    OutputFiles files;
    files.add(scratch.path("old.json"), "new");
    files.add(scratch.path("other.json"), "other");
  }
  EXPECT_EQ(scratch.names(), Names{"old.json"});
  EXPECT_EQ(read_text(scratch.path("old.json")), "old");
}

// The last of three cannot be placed: what the first two replaced or made is as before.
TEST(OutputFiles, UndoWhatWasPlacedWhenALaterOneFails) {
  const Scratch scratch;
  scratch.write("a", std::string("old a"));
  OutputFiles files;
  files.add(scratch.path("a"), "new a");
  files.add(scratch.path("b"), "new b");
  files.add(scratch.path("c"), "new c");
  ASSERT_TRUE(std::filesystem::create_directory(scratch.path("c")));
  expect_failure([&] { files.commit(); }, ErrorCode::proof_failed, scratch.path("c"));
  EXPECT_EQ(scratch.names(), (Names{"a", "c"}));
  EXPECT_EQ(read_text(scratch.path("a")), "old a");
  EXPECT_TRUE(std::filesystem::is_directory(scratch.path("c")));
}

TEST(OutputFiles, FollowSymbolicLinks) {
  const Scratch scratch;
  scratch.write("target", std::string("old"));
  ASSERT_EQ(::symlink("target", scratch.path("link").c_str()), 0);
  OutputFiles files;
  files.add(scratch.path("link"), "new");
  files.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link")));
  EXPECT_EQ(read_text(scratch.path("target")), "new");
}

TEST(OutputFiles, RefusePathsThatCannotBeWritten) {
  const Scratch scratch;
  scratch.write("file", std::string("x"));
  ASSERT_EQ(::mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  const auto refused = [](const std::string& path) {
    OutputFiles files;
    expect_failure([&] { files.add(path, "text"); }, ErrorCode::proof_failed, path);
  };
  refused(scratch.path("missing/proof.json"));
  refused(scratch.path("file/proof.json"));
  refused(scratch.path("."));
  refused(scratch.path("pipe"));
  refused("/dev/null");
  refused("");
  EXPECT_EQ(scratch.names(), (Names{"file", "pipe"}));
}

TEST(OutputFiles, RefuseAnUnwritableDirectory) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const Scratch scratch;
  ASSERT_EQ(::chmod(scratch.path(".").c_str(), 0500), 0);
  OutputFiles files;
  expect_failure([&] { files.add(scratch.path("proof.json"), "text"); }, ErrorCode::proof_failed,
                 scratch.path("proof.json"));
  ASSERT_EQ(::chmod(scratch.path(".").c_str(), 0700), 0);
}

TEST(OutputFiles, RefuseOnePathForTwoFiles) {
  const Scratch scratch;
  OutputFiles files;
  files.add(scratch.path("out.json"), "proof");
  expect_failure([&] { files.add(scratch.path("out.json"), "public"); }, ErrorCode::usage, scratch.path("out.json"));
}

}  // namespace
}  // namespace cuzk::test
