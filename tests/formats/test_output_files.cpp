#include "support.hpp"

#include <csignal>
#include <filesystem>
#include <sys/resource.h>
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

void write_one(const std::string& path, const std::string& text) {
  OutputFiles files(std::span(&path, 1));
  files.write(path, text);
  files.commit();
}

TEST(OutputFiles, AppearTogetherAtCommit) {
  const Scratch scratch;
  const Names paths{scratch.path("proof.json"), scratch.path("public.json")};
  OutputFiles files(paths);
  files.write(paths[0], "proof");
  files.write(paths[1], "public");
  for (const std::string& name : scratch.names()) {
    EXPECT_NE(name, "proof.json");
    EXPECT_NE(name, "public.json");
  }
  files.commit();
  EXPECT_EQ(scratch.names(), (Names{"proof.json", "public.json"}));
  EXPECT_EQ(read_text(scratch.path("proof.json")), "proof");
  EXPECT_EQ(read_text(scratch.path("public.json")), "public");
}

TEST(OutputFiles, TakeContentsInPieces) {
  const Scratch scratch;
  const Names paths{scratch.path("key"), scratch.path("empty")};
  OutputFiles files(paths);
  const ByteSink key = files.sink(paths[0]);
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    const std::string piece(static_cast<size_t>(1000 * i), static_cast<char>('a' + i % 26));
    key(std::as_bytes(std::span(piece)));
    expected += piece;
  }
  EXPECT_FALSE(std::filesystem::exists(paths[0]));
  files.sink(paths[1]);
  expect_failure([&] { key(std::as_bytes(std::span(expected))); }, ErrorCode::internal, paths[0]);
  expect_failure([&] { files.sink(paths[0]); }, ErrorCode::internal, paths[0]);
  expect_failure([&] { files.write(paths[1], "more"); }, ErrorCode::internal, paths[1]);
  files.commit();
  EXPECT_EQ(read_text(paths[0]), expected);
  EXPECT_EQ(read_text(paths[1]), "");
  EXPECT_EQ(scratch.names(), (Names{"empty", "key"}));
}

TEST(OutputFiles, LeaveNothingOfPiecesWithoutCommit) {
  const Scratch scratch;
  scratch.write("key", std::string("old"));
  {
    const std::string path = scratch.path("key");
    OutputFiles files(std::span(&path, 1));
    const std::string contents(100000, 'x');
    files.sink(path)(std::as_bytes(std::span(contents)));
  }
  EXPECT_EQ(read_text(scratch.path("key")), "old");
  EXPECT_EQ(scratch.names(), Names{"key"});
}

TEST(OutputFiles, NameTheFileThatGrewTooLarge) {
  const Scratch scratch;
  const std::string path = scratch.path("key");
  struct rlimit limit {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlim_t before = limit.rlim_cur;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  limit.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  {
    OutputFiles files(std::span(&path, 1));
    const ByteSink sink = files.sink(path);
    const std::string piece(600, 'x');
    sink(std::as_bytes(std::span(piece)));
    expect_failure([&] { sink(std::as_bytes(std::span(piece))); }, ErrorCode::proof_failed, path);
  }
  limit.rlim_cur = before;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(scratch.names(), Names{});
}

TEST(OutputFiles, ReplaceExistingFiles) {
  const Scratch scratch;
  scratch.write("proof.json", std::string("a longer old proof"));
  write_one(scratch.path("proof.json"), "new");
  EXPECT_EQ(read_text(scratch.path("proof.json")), "new");
  EXPECT_EQ(scratch.names(), Names{"proof.json"});
}

TEST(OutputFiles, LeaveNothingWithoutCommit) {
  const Scratch scratch;
  scratch.write("old.json", std::string("old"));
  {
    const Names paths{scratch.path("old.json"), scratch.path("other.json"), scratch.path("never-written.json")};
    OutputFiles files(paths);
    files.write(paths[0], "new");
    files.write(paths[1], "other");
    EXPECT_THROW(files.write(paths[1], "again"), Error);
    EXPECT_THROW(files.write(scratch.path("undeclared.json"), "text"), Error);
  }
  EXPECT_EQ(scratch.names(), Names{"old.json"});
  EXPECT_EQ(read_text(scratch.path("old.json")), "old");
}

// The last of three cannot be placed: what the first two replaced or made is as before.
TEST(OutputFiles, UndoWhatWasPlacedWhenALaterOneFails) {
  const Scratch scratch;
  scratch.write("a", std::string("old a"));
  const Names paths{scratch.path("a"), scratch.path("b"), scratch.path("c")};
  OutputFiles files(paths);
  for (const char* name : {"a", "b", "c"}) files.write(scratch.path(name), std::string("new ") + name);
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
  write_one(scratch.path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch.path("link")));
  EXPECT_EQ(read_text(scratch.path("target")), "new");
  ASSERT_EQ(::symlink("absent", scratch.path("dangling").c_str()), 0);
  write_one(scratch.path("dangling"), "made");
  EXPECT_EQ(read_text(scratch.path("absent")), "made");
  ASSERT_EQ(::symlink("loop", scratch.path("loop").c_str()), 0);
  expect_failure([&] { OutputFiles(Names{scratch.path("loop")}); }, ErrorCode::proof_failed, scratch.path("loop"));
}

// All of a name that a file system allows: 255 bytes.
TEST(OutputFiles, TakeNamesOfEveryLength) {
  const Scratch scratch;
  for (const size_t length : {1U, 200U, 244U, 245U, 254U, 255U}) {
    const std::string path = scratch.path(std::string(length, 'n'));
    write_one(path, "text");
    EXPECT_EQ(read_text(path), "text");
  }
  const std::string path = scratch.path(std::string(256, 'n'));
  expect_failure([&] { OutputFiles(Names{path}); }, ErrorCode::proof_failed, path);
}

TEST(OutputFiles, RefusePathsThatCannotBeWritten) {
  const Scratch scratch;
  scratch.write("file", std::string("x"));
  ASSERT_EQ(::mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  const auto refused = [](const std::string& path) {
    expect_failure([&] { OutputFiles(Names{path}); }, ErrorCode::proof_failed, path);
  };
  refused(scratch.path("missing/proof.json"));
  refused(scratch.path("file/proof.json"));
  refused(scratch.path("."));
  refused(scratch.path("new/"));
  refused(scratch.path("pipe"));
  refused("/dev/null");
  refused("");
  EXPECT_EQ(scratch.names(), (Names{"file", "pipe"}));
}

TEST(OutputFiles, RefuseAnUnwritableDirectory) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const Scratch scratch;
  ASSERT_EQ(::chmod(scratch.path(".").c_str(), 0500), 0);
  expect_failure([&] { OutputFiles(Names{scratch.path("proof.json")}); }, ErrorCode::proof_failed,
                 scratch.path("proof.json"));
  ASSERT_EQ(::chmod(scratch.path(".").c_str(), 0700), 0);
}

TEST(OutputFiles, RefuseOneFileForTwoOutputs) {
  const Scratch scratch;
  const std::string name = "out.json", path = scratch.path(name);
  ASSERT_TRUE(std::filesystem::create_directory(scratch.path("folder")));
  ASSERT_EQ(::symlink(".", scratch.path("here").c_str()), 0);
  ASSERT_EQ(::symlink(name.c_str(), scratch.path("link").c_str()), 0);
  const Names spellings{path,
                        scratch.path("./" + name),
                        scratch.path("/" + name),
                        scratch.path("folder/../" + name),
                        scratch.path("here/" + name),
                        scratch.path("link"),
                        std::filesystem::relative(path).string()};
  for (const std::string& other : spellings) {
    expect_failure([&] { OutputFiles(Names{path, other}); }, ErrorCode::usage, path);
    expect_failure([&] { OutputFiles(Names{path, other}); }, ErrorCode::usage, other);
  }
  OutputFiles(Names{path, scratch.path("folder/" + name)});
  EXPECT_EQ(scratch.names(), (Names{"folder", "here", "link"}));
}

TEST(OutputFiles, RefuseAnInput) {
  const Scratch scratch;
  const std::string input = scratch.write("circuit.zkey", std::string("key"));
  ASSERT_EQ(::link(input.c_str(), scratch.path("hard").c_str()), 0);
  ASSERT_EQ(::symlink("circuit.zkey", scratch.path("soft").c_str()), 0);
  ASSERT_EQ(::symlink(".", scratch.path("here").c_str()), 0);
  const Names inputs{scratch.path("absent.wtns"), input};
  for (const char* name : {"circuit.zkey", "./circuit.zkey", "hard", "soft", "here/circuit.zkey"}) {
    const Names outputs{scratch.path("proof.json"), scratch.path(name)};
    expect_failure([&] { OutputFiles(outputs, inputs); }, ErrorCode::usage, outputs[1]);
    expect_failure([&] { OutputFiles(outputs, inputs); }, ErrorCode::usage, input);
  }
  EXPECT_EQ(read_text(input), "key");
}

}  // namespace
}  // namespace cuzk::test
