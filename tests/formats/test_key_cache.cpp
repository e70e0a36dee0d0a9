#include "support.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include <cuzk/groth16/key_cache.hpp>

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;

/// A process's services with a log to look at.
struct Process {
  uint64_t count(LogLevel level) {
    const std::lock_guard lock(mutex);
    return static_cast<uint64_t>(
        std::count_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == level; }));
  }
  std::shared_ptr<const ProvingKey> key(const Workload& workload, const std::string& folder) {
    return workload_key(workload, services, folder);
  }

  std::mutex mutex;
  std::vector<std::pair<LogLevel, std::string>> lines;
  HostServices services{2, [this](LogLevel level, std::string_view, std::string_view text) {
                          const std::lock_guard lock(mutex);
                          lines.emplace_back(level, text);
                        }};
};

void expect_same_points(const ProvingKey& a, const ProvingKey& b) {
  for (size_t i = 0; i < kQueries; ++i) {
    const auto id = static_cast<QueryId>(i);
    const PointSource &of_a = *a.query(id).points, &of_b = *b.query(id).points;
    ASSERT_EQ(of_a.count(), of_b.count());
    std::vector<std::byte> first(of_a.count() * point_bytes(a.shape.curve, group_of(id))), second(first.size());
    of_a.read(0, of_a.count(), first.data());
    of_b.read(0, of_b.count(), second.data());
    EXPECT_EQ(first, second) << name(id);
    EXPECT_EQ(a.query(id).select, b.query(id).select) << name(id);
  }
}

class KeyCacheTest : public FormatsTest {
 protected:
  Workload workload(const std::string& text = "dense:5") {
    return Workload(parse_workload(text + ",curve=" + std::string(name(curve()))));
  }
  std::string folder() const { return scratch_.path("cache"); }
  std::vector<std::string> files(const std::string& suffix) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder())) {
      if (entry.path().extension() == suffix) found.push_back(entry.path());
    }
    return found;
  }
};
INSTANTIATE_TEST_SUITE_P(Curves, KeyCacheTest, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

TEST_P(KeyCacheTest, MakesAKeyOnceAndFindsItThen) {
  const Workload made = workload();
  Process first, second;
  const auto fresh = first.key(made, folder());
  ASSERT_EQ(files(".zkey").size(), 1U);
  ASSERT_EQ(files(".sum").size(), 1U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), {}), 2) << "temporaries were left";
  const auto found = second.key(made, folder());
  EXPECT_EQ(found->name, files(".zkey")[0]);
  EXPECT_TRUE(fresh->insecure);
  EXPECT_TRUE(found->insecure);
  expect_same_points(*found, *fresh);
  EXPECT_EQ(first.count(LogLevel::warn) + second.count(LogLevel::warn), 0U);
}

/// The files of bellman's keys know nothing of secrets, the cache does.
TEST(KeyCache, KeepsKeysOfBellmansConventions) {
  const Scratch scratch;
  const Workload made(parse_workload("porep:7"));
  Process process;
  const auto fresh = process.key(made, scratch.path("cache"));
  const auto found = process.key(made, scratch.path("cache"));
  EXPECT_NE(found->name, fresh->name);
  EXPECT_TRUE(found->insecure);
  expect_same_points(*found, *fresh);
  const Witness witness = made.witness(3, process.services.cpu(), process.services.memory());
  const size_t rows = fresh->shape.domain_size();
  ASSERT_EQ(found->shape.domain_size(), rows);
  std::vector<cuzk_fr> a(rows), b(rows), c(rows), d(rows);
  fresh->matrices->evaluate(process.services.cpu(), witness.values.span(), a, b);
  found->matrices->evaluate(process.services.cpu(), witness.values.span(), c, d);
  EXPECT_EQ(std::memcmp(a.data(), c.data(), rows * sizeof(cuzk_fr)), 0);
  EXPECT_EQ(std::memcmp(b.data(), d.data(), rows * sizeof(cuzk_fr)), 0);

  for (const char* suffix : {".params", ".pce"}) {
    for (const auto& entry : fs::directory_iterator(scratch.path("cache"))) {
      if (entry.path().extension() != suffix) continue;
      std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
      file.put('x');
    }
    Process other;
    expect_same_points(*other.key(made, scratch.path("cache")), *fresh);
    EXPECT_EQ(other.count(LogLevel::warn), 1U) << suffix;
  }
}

TEST_P(KeyCacheTest, OtherWorkloadsAndPartitionsHaveOtherEntriesOrTheSame) {
  Process process;
  process.key(workload("dense:4"), folder());
  process.key(workload("dense:5"), folder());
  process.key(workload("dense:5,seed=2"), folder());
  EXPECT_EQ(files(".zkey").size(), 3U);
  if (curve() == Curve::bn254) {
    process.key(workload("porep:5,partitions=2"), folder());
    process.key(workload("porep:5,partitions=3"), folder());
    EXPECT_EQ(files(".zkey").size(), 4U);
  }
  EXPECT_EQ(process.count(LogLevel::warn), 0U);
}

TEST_P(KeyCacheTest, ADamagedEntryIsMadeAnewWithOneWarning) {
  const Workload made = workload();
  Process process;
  const auto key = process.key(made, folder());
  const std::string zkey = files(".zkey").at(0), sum = files(".sum").at(0);
  const std::string bytes = read_text(zkey), sums = read_text(sum);
  const auto overwrite = [](const std::string& path, std::string text, size_t at) {
    text.at(at) = static_cast<char>(text.at(at) ^ 1);
    fs::remove(path);
    std::ofstream(path, std::ios::binary) << text;
  };
  const std::vector<std::function<void()>> damages{
      [&] { overwrite(zkey, bytes, 0); },
      [&] { overwrite(zkey, bytes, bytes.size() / 2); },
      [&] { overwrite(zkey, bytes, bytes.size() - 1); },
      [&] { fs::resize_file(zkey, bytes.size() - 1); },
      [&] { fs::resize_file(zkey, 0); },
      [&] { fs::remove(zkey); },
      [&] { overwrite(sum, sums, 12); },
      [&] { fs::resize_file(sum, 0); },
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    SCOPED_TRACE(i);
    damages[i]();
    Process other;
    expect_same_points(*other.key(made, folder()), *key);
    EXPECT_EQ(other.count(LogLevel::warn), 1U);
    EXPECT_EQ(read_text(zkey), bytes);
    EXPECT_EQ(read_text(sum), sums);
    Process after;
    expect_same_points(*after.key(made, folder()), *key);
    EXPECT_EQ(after.count(LogLevel::warn), 0U);
  }
}

/// A whole file, but of another circuit than the one its name promises, as another version could have left it.
TEST_P(KeyCacheTest, AStaleEntryIsMadeAnew) {
  Process process;
  const Workload made = workload(), older = workload("dense:5,seed=9");
  process.key(older, folder());
  const std::string old_zkey = files(".zkey").at(0), old_sum = files(".sum").at(0);
  const auto key = process.key(made, folder());
  for (const auto& [suffix, from] : {std::pair{".zkey", old_zkey}, {".sum", old_sum}}) {
    for (const std::string& to : files(suffix)) {
      if (to != from) fs::copy_file(from, to, fs::copy_options::overwrite_existing);
    }
  }
  expect_same_points(*process.key(made, folder()), *key);
  EXPECT_EQ(process.count(LogLevel::warn), 1U);
}

TEST_P(KeyCacheTest, AFolderThatCannotBeWrittenToIsNoError) {
  const std::string file = scratch_.write("file", std::string("no folder"));
  Process process;
  EXPECT_NE(process.key(workload(), file + "/cache"), nullptr);
  EXPECT_EQ(process.count(LogLevel::warn), 0U);
  EXPECT_EQ(process.count(LogLevel::info), 1U);
  EXPECT_NE(process.key(workload(), ""), nullptr);
  EXPECT_EQ(process.lines.size(), 1U);
}

TEST_P(KeyCacheTest, ManyAtOnceDoNotHarmEachOther) {
  const Workload made = workload("dense:6");
  Process reference;
  const auto key = reference.key(made, "");
  for (int round = 0; round < 3; ++round) {
    fs::remove_all(folder());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        Process process;
        for (int j = 0; j < 3; ++j) expect_same_points(*process.key(made, folder()), *key);
        EXPECT_EQ(process.count(LogLevel::warn), 0U);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::distance(fs::directory_iterator(folder()), {}), 2);
  }
}

TEST(KeyCacheFolder, IsOfTheFirstVariableThatCounts) {
  const auto set = [](const char* own, const char* cache, const char* home) {
    ::setenv("CUZK_CACHE_DIR", own, 1);
    ::setenv("XDG_CACHE_HOME", cache, 1);
    ::setenv("HOME", home, 1);
    return key_cache_folder();
  };
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  EXPECT_EQ(set("/own", "/cache", "/home"), "/own");
  EXPECT_EQ(set("", "/cache", "/home"), "/cache/cuzk");
  EXPECT_EQ(set("relative", "relative", "/home"), "/home/.cache/cuzk");
  EXPECT_EQ(set("", "", ""), "");
  ::unsetenv("CUZK_CACHE_DIR");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace cuzk::test
