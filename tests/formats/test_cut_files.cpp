// Files that are shortened while they are mapped: an error that names them, never the end of the process.

#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <cuzk/error.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/mapped_file.hpp>
#include <cuzk/formats/params.hpp>
#include <cuzk/formats/r1cs.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>

namespace cuzk::test {
namespace {

constexpr const char* kShortened = "was shortened while it was read: found ";

size_t page() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

void cut(const std::string& path, size_t size) { ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(size)), 0); }

uint64_t sum_of(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (const std::byte b : bytes) sum += std::to_integer<uint64_t>(b);
  return sum;
}

class CutFile : public testing::Test {
 protected:
  MappedFile open(size_t size) { return MappedFile(scratch_.write("file", std::string(size, '\1'))); }
  void expect_shortened(const MappedFile& file, const std::string& part) {
    expect_bad_input([&] { file.require_intact(); }, file.path(), part);
  }

  Scratch scratch_;
};

TEST_F(CutFile, IsIntactBefore) {
  const MappedFile file = open(5 * page() + 7);
  EXPECT_NO_THROW(file.require_intact());
  EXPECT_EQ(sum_of(file.bytes()), file.bytes().size());
  EXPECT_NO_THROW(file.require_intact());
}

TEST_F(CutFile, ReadsAsZerosFromTheCutOn) {
  for (const size_t left : {size_t{0}, size_t{1}, page() - 1, page(), page() + 1, 4 * page(), 5 * page() + 6}) {
    for (const bool read_before : {false, true}) {
      const MappedFile file = open(5 * page() + 7);
      if (read_before) {
        EXPECT_EQ(sum_of(file.bytes()), file.bytes().size());
      }
      cut(file.path(), left);
      EXPECT_EQ(sum_of(file.bytes()), left);
      expect_shortened(file, kShortened + std::to_string(left) + " byte");
    }
  }
}

// Nobody looked at what is gone, but somebody may have read what came in its place.
TEST_F(CutFile, IsFoundWithoutAFault) {
  const MappedFile file = open(3 * page());
  cut(file.path(), 3 * page() - 1);
  expect_shortened(file, kShortened);
}

TEST_F(CutFile, IsRememberedWhenTheFileGrowsAgain) {
  const MappedFile file = open(3 * page());
  cut(file.path(), page());
  EXPECT_EQ(static_cast<int>(file.bytes()[2 * page()]), 0);
  cut(file.path(), 3 * page());
  EXPECT_EQ(sum_of(file.bytes()), page());
  expect_shortened(file, "became unreadable while it was read");
}

TEST_F(CutFile, LeavesOtherFilesAndLaterMappingsAlone) {
  MappedFile first = open(3 * page());
  const MappedFile other(scratch_.write("other", std::string(2 * page(), '\1')));
  cut(first.path(), 0);
  EXPECT_EQ(sum_of(first.bytes()), 0U);
  EXPECT_EQ(sum_of(other.bytes()), 2 * page());
  EXPECT_NO_THROW(other.require_intact());
  const std::string path = first.path();
  first = MappedFile(scratch_.write("third", std::string(3 * page(), '\1')));
  EXPECT_EQ(sum_of(first.bytes()), 3 * page());
  EXPECT_NO_THROW(first.require_intact());
}

TEST_F(CutFile, IsFoundByEveryThreadThatReadsIt) {
  constexpr int kThreads = 4;
  for (int round = 0; round < 20; ++round) {
    const MappedFile file = open(64 * page());
    std::atomic<int> found{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (;;) {
          const uint64_t sum = sum_of(file.bytes());
          try {
            file.require_intact();
          } catch (const Error&) {
            ++found;
            return;
          }
          EXPECT_EQ(sum, file.bytes().size()) << "zeros were believed";
        }
      });
    }
    std::thread others([&] {  // meanwhile mappings come and go
      const std::string path = scratch_.write("other", std::string(page(), '\1'));
      for (int i = 0; i < 50; ++i) EXPECT_EQ(sum_of(MappedFile(path).bytes()), page());
    });
    cut(file.path(), static_cast<size_t>(round) * page());
    for (std::thread& thread : threads) thread.join();
    others.join();
    EXPECT_EQ(found, kThreads);
  }
}

constexpr int kNotSetUp = 40;

/// Reads a mapping of nobody's beyond the end of its file.
void fault_elsewhere(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || ::ftruncate(fd, 1) != 0) ::_exit(kNotSetUp);
  const void* bytes = ::mmap(nullptr, 1, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED || ::ftruncate(fd, 0) != 0) ::_exit(kNotSetUp);
  static_cast<void>(*static_cast<const volatile char*>(bytes));
  ::_exit(0);
}

class CutFileDeathTest : public CutFile {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }  // no handler installed yet
  /// Ended by the signal or, where a sanitizer's handler was there before, by its report.
  static bool ended(int status) {
    return WIFSIGNALED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != kNotSetUp);
  }
};

TEST_F(CutFileDeathTest, LeavesFaultsElsewhereToTheSystem) {
  EXPECT_EXIT(
      {
        const MappedFile file = open(1);
        fault_elsewhere(scratch_.path("elsewhere"));
      },
      ended, "");
}

TEST_F(CutFileDeathTest, LeavesFaultsElsewhereToTheHandlerThatWasThere) {
  EXPECT_EXIT(
      {
        struct sigaction action {};
        action.sa_handler = [](int) { ::_exit(77); };
        ::sigaction(SIGBUS, &action, nullptr);
        const MappedFile file = open(1);
        fault_elsewhere(scratch_.path("elsewhere"));
      },
      testing::ExitedWithCode(77), "");
}

TEST_F(CutFileDeathTest, LeavesASignalSentByAProcessToTheSystem) {
  EXPECT_EXIT(
      {
        const MappedFile file = open(1);
        ::raise(SIGBUS);
        ::_exit(0);
      },
      ended, "");
}

/// The readers, over a copy of a good file that is cut once it is open.
class CutReaders : public FormatsTest {
 protected:
  std::string copy(const std::string& circuit, const std::string& name) {
    return scratch_.write(name, read_text(file(circuit, name)));
  }
  void expect_shortened(const std::string& path, const std::function<void()>& use) {
    expect_bad_input(use, path, kShortened);
  }
};
INSTANTIATE_TEST_SUITE_P(Curves, CutReaders, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

TEST_P(CutReaders, R1csFindsNoViolationsInWhatIsGone) {
  for (const size_t left : {size_t{0}, page(), 2 * page() + 5}) {
    const std::string path = copy("multipublic", "circuit.r1cs");
    const R1cs r1cs(path, pool_);
    const Witness witness = read_wtns(file("multipublic", "witness.wtns"), pool_, host_);
    cut(path, left);
    expect_shortened(path, [&] { (void)r1cs.first_violation(pool_, witness); });
    expect_shortened(path, [&] { r1cs.for_each([](uint64_t, const Constraint&) {}); });
  }
}

TEST_P(CutReaders, KeysSayThatTheirFileIsCut) {
  const std::string whole = read_text(file("poseidon2", "circuit.zkey"));
  const Witness witness = read_wtns(file("poseidon2", "witness.wtns"), pool_, host_);
  for (const size_t left : {size_t{0}, whole.size() / 2, whole.size() - page(), whole.size() - 1}) {
    const std::string path = copy("poseidon2", "circuit.zkey");
    const auto key = open_zkey(path, pool_);
    EXPECT_NO_THROW(key->require_intact());
    cut(path, left);
    std::vector<cuzk_fr> a(key->shape.domain_size()), b(a.size());
    key->matrices->evaluate(pool_, witness.values.span(), a, b);
    for (const KeyQuery& query : key->queries) {
      std::vector<std::byte> points(query.points->count() * g2());
      query.points->read(0, query.points->count(), points.data());
    }
    expect_shortened(path, [&] { key->require_intact(); });
  }
}

TEST(CutParams, SayWhichOfTheTwoFilesIsCut) {
  const Scratch scratch;
  CpuPool pool(2);
  const auto copy = [&](const std::string& name) {
    return scratch.write(name, read_text(std::string(CUZK_TEST_VECTORS) + "/params/mixed/" + name));
  };
  for (const char* name : {"key.params", "circuit.pce"}) {
    for (const size_t left : {size_t{0}, page(), 2 * page() + 5}) {
      const auto key = open_params(copy("key.params"), copy("circuit.pce"), pool);
      EXPECT_NO_THROW(key->require_intact());
      cut(scratch.path(name), left);
      HostPool host;
      FrVector witness(host, key->shape.variables, "a witness");
      std::fill_n(witness.data(), witness.size(), cuzk_fr{{1, 0, 0, 0}});
      std::vector<cuzk_fr> a(key->shape.domain_size()), b(a.size());
      key->matrices->evaluate(pool, witness.span(), a, b);
      for (const KeyQuery& query : key->queries) {
        std::vector<std::byte> points(query.points->count() * point_bytes(Curve::bls12_381, Group::g2));
        query.points->read(0, query.points->count(), points.data());
      }
      expect_bad_input([&] { key->require_intact(); }, scratch.path(name), kShortened);
    }
  }
}

// Written over in place: nothing else tells, but nothing outside the vectors may be touched.
TEST_P(CutReaders, KeysSayThatTheirCoefficientsChanged) {
  const std::string path = copy("poseidon2", "circuit.zkey");
  const Witness witness = read_wtns(file("poseidon2", "witness.wtns"), pool_, host_);
  const auto key = open_zkey(path, pool_);
  std::vector<cuzk_fr> a(key->shape.domain_size()), b(a.size());
  const int fd = ::open(path.c_str(), O_WRONLY);
  const std::string ones(std::filesystem::file_size(path), '\xff');
  ASSERT_EQ(::pwrite(fd, ones.data(), ones.size(), 0), static_cast<ssize_t>(ones.size()));
  ::close(fd);
  expect_bad_input([&] { key->matrices->evaluate(pool_, witness.values.span(), a, b); }, path,
                   "section 4 (coefficients) was changed while it was read");
}

// At any moment: a file that is there in full is read, any other is refused by name.
TEST_P(CutReaders, OpenWhileTheFileShrinks) {
  for (const char* name : {"circuit.zkey", "circuit.r1cs", "witness.wtns", "proof.json", "verification_key.json"}) {
    for (int round = 0; round < 20; ++round) {
      const std::string path = copy("multipublic", name);
      const size_t size = std::filesystem::file_size(path);
      std::thread other([&] {
        for (int i = 0; i < round * 20; ++i) std::this_thread::yield();
        cut(path, size * static_cast<size_t>(round % 7) / 7);
      });
      try {
        if (std::string(name) == "circuit.zkey") open_zkey(path, pool_);
        if (std::string(name) == "circuit.r1cs") R1cs(path, pool_);
        if (std::string(name) == "witness.wtns") read_wtns(path, pool_, host_);
        if (std::string(name) == "proof.json") read_proof(path);
        if (std::string(name) == "verification_key.json") read_verification_key(path);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        EXPECT_EQ(std::string(error.what()).substr(0, path.size()), path) << error.what();
      }
      other.join();
    }
  }
}

}  // namespace
}  // namespace cuzk::test
