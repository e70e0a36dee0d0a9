#include "support.hpp"

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <cuzk/formats/mapped_file.hpp>

namespace cuzk::test {
namespace {

TEST(MappedFile, GivesTheBytes) {
  const Scratch scratch;
  const MappedFile file(scratch.write("file", std::string("hello")));
  ASSERT_EQ(file.bytes().size(), 5U);
  EXPECT_EQ(std::memcmp(file.bytes().data(), "hello", 5), 0);
  file.prefetch(file.bytes().subspan(3));
}

TEST(MappedFile, MovesWithItsBytes) {
  const Scratch scratch;
  MappedFile first(scratch.write("first", std::string("first")));
  MappedFile second(std::move(first));
  EXPECT_EQ(static_cast<char>(second.bytes()[0]), 'f');
  MappedFile third(scratch.write("third", std::string("third")));
  third = std::move(second);
  EXPECT_EQ(static_cast<char>(third.bytes()[0]), 'f');
  EXPECT_EQ(third.path(), scratch.path("first"));
}

TEST(MappedFile, RefusesWhatIsNoFileWithContents) {
  const Scratch scratch;
  const auto refused = [](const std::string& path, const std::string& part) {
    expect_bad_input([&] { const MappedFile file(path); }, path, part);
  };
  refused(scratch.path("missing"), "No such file");
  refused(scratch.write("file", std::string("x")) + "/below", "Not a directory");
  refused(scratch.write("empty", std::string()), "empty");
  refused(scratch.path("."), "a directory");
  refused("/dev/null", "a device");
  ASSERT_EQ(::mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  refused(scratch.path("pipe"), "a pipe");
}

TEST(MappedFile, RefusesWhatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const Scratch scratch;
  const std::string path = scratch.write("secret", std::string("x"));
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  expect_bad_input([&] { const MappedFile file(path); }, path, "Permission denied");
}

}  // namespace
}  // namespace cuzk::test
