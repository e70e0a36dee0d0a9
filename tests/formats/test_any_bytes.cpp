// Files cut or changed anywhere, and files beyond 4 GiB.

#include "support.hpp"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <cuzk/error.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/r1cs.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>

namespace cuzk::test {
namespace {

class AnyBytesTest : public FormatsTest {
 protected:
  void open(const std::string& name, const std::string& path) {
    if (name == "circuit.zkey") open_zkey(path, pool_);
    if (name == "circuit.r1cs") R1cs(path, pool_);
    if (name == "witness.wtns") read_wtns(path, pool_, host_);
    if (name == "proof.json") read_proof(path);
    if (name == "public.json") read_public(path, curve());
    if (name == "verification_key.json") read_verification_key(path);
  }
  /// Whether the file is accepted; any error but bad_input is a failure.
  bool accepts(const std::string& name, const std::string& contents) {
    const std::string path = scratch_.write(name, contents);
    try {
      open(name, path);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
      EXPECT_EQ(std::string(error.what()).substr(0, path.size()), path) << error.what();
      return false;
    }
  }

  CpuPool pool_{1};
};
INSTANTIATE_TEST_SUITE_P(Curves, AnyBytesTest, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

constexpr const char* kBinary[] = {"circuit.zkey", "circuit.r1cs", "witness.wtns"};
constexpr const char* kText[] = {"proof.json", "public.json", "verification_key.json"};

TEST_P(AnyBytesTest, RefuseFilesCutAnywhere) {
  for (const char* name : kBinary) {
    const std::string good = read_text(file("multiplier", name));
    ASSERT_TRUE(accepts(name, good));
    for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(accepts(name, good.substr(0, size))) << name << size;
  }
  for (const char* name : kText) {
    const std::string good = read_text(file("multiplier", name));
    ASSERT_TRUE(accepts(name, good));
    for (size_t size = 0; size < good.size(); size += 41)
      EXPECT_FALSE(accepts(name, good.substr(0, size))) << name << size;
  }
}

TEST_P(AnyBytesTest, SurviveAnyChangedByte) {
  for (const char* name : kBinary) {
    const std::string good = read_text(file("multiplier", name));
    for (size_t at = 0; at < good.size(); at += at < 200 ? 1 : 5) {
      std::string changed = good;
      changed[at] = static_cast<char>(~changed[at]);
      accepts(name, changed);
    }
  }
  for (const char* name : kText) {
    const std::string good = read_text(file("multiplier", name));
    for (size_t at = 0; at < good.size(); at += 37) {
      for (const char c : {'"', '[', '9', '\0', '\xff'}) {
        std::string changed = good;
        changed[at] = c;
        accepts(name, changed);
      }
    }
  }
}

// An unknown section of 5 GiB comes first, as a hole: every offset needs more than 32 bits.
TEST_P(AnyBytesTest, ReadFilesBeyondFourGibibytes) {
  constexpr uint64_t kHole = uint64_t{5} << 30;
  for (const char* name : kBinary) {
    const std::string good = read_text(file("multiplier", name));
    std::string lead = good.substr(0, 12);
    lead[8] = static_cast<char>(lead[8] + 1);
    const uint32_t id = 777;
    lead.append(reinterpret_cast<const char*>(&id), sizeof id)
        .append(reinterpret_cast<const char*>(&kHole), sizeof kHole);
    const std::string path = scratch_.path(name);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(::pwrite(fd, lead.data(), lead.size(), 0), static_cast<ssize_t>(lead.size()));
    const std::string rest = good.substr(12);
    ASSERT_EQ(::pwrite(fd, rest.data(), rest.size(), static_cast<off_t>(lead.size() + kHole)),
              static_cast<ssize_t>(rest.size()));
    ::close(fd);
    EXPECT_NO_THROW(open(name, path)) << name;
    // One byte less: the offset in the message is beyond 2^32, too.
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(lead.size() + kHole + rest.size() - 1)), 0);
    expect_bad_input([&] { open(name, path); }, path, "offset 53687");
  }
}

}  // namespace
}  // namespace cuzk::test
