// A plugin whose ELF header, program headers or dynamic section are damaged gets a verdict, and the process lives.
#include "elf_file.hpp"
#include "fixture.hpp"

#include <elf.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace cuzk::test {
namespace {

namespace fs = std::filesystem;

constexpr int kLoaded = 0, kRefused = 10, kNoVerdict = 11;

std::vector<std::byte> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

/// Loads the plugin in a child, lets it shut down, and leaves through exit(), so that its destructors run too: the
/// child's wait status.
int load_in_child(const fs::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    int result = kNoVerdict;
    {
      HostServices services(1);
      PluginRegistry registry(services);
      const Verdict verdict = registry.load(path);
      const std::string line = to_line(verdict);
      if (line.starts_with(path.string() + ": ") && line.find('\n') == line.npos) {
        result = verdict.ok() ? kLoaded : verdict.reason.empty() ? kNoVerdict : kRefused;
      }
    }
    std::exit(result);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

class DamagedElf : public ::testing::TestWithParam<const char*> {
 protected:
  struct Count {
    size_t checked = 0, linked = 0, loaded = 0;
  };

  /// Tries the plugin with `size` bytes at offset replaced by value.
  void expect_verdict(size_t offset, uint64_t replacement, size_t size, const std::string& what) {
    std::vector<std::byte> damaged = good;
    std::memcpy(damaged.data() + offset, &replacement, size);
    if (damaged == good) return;
    ++count.checked;
    try {
      check_loadable(damaged);
    } catch (const Error& error) {  // the registry's verdict is this message; see VerdictNamesPathAndCause
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE(std::string(error.what()), "");
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return;
    }
    ++count.linked;
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(damaged.data()), static_cast<std::streamsize>(damaged.size()));
    const int status = load_in_child(path);
    EXPECT_TRUE(WIFEXITED(status)) << what << " = " << replacement << " (" << size << " bytes): ended by signal "
                                   << WTERMSIG(status);
    if (!WIFEXITED(status)) return;
    count.loaded += WEXITSTATUS(status) == kLoaded;
    EXPECT_TRUE(WEXITSTATUS(status) == kLoaded || WEXITSTATUS(status) == kRefused)
        << what << " = " << replacement << ": exit " << WEXITSTATUS(status);
  }

  /// Damages each byte and each aligned word of [begin, begin + size) in several ways.
  void damage(size_t begin, size_t size, const std::string& name) {
    for (size_t at = begin; at < begin + size; ++at) {
      const std::string what = name + " byte " + std::to_string(at - begin);
      const auto byte = std::to_integer<uint64_t>(good[at]);
      for (const uint64_t replacement : {uint64_t{0}, uint64_t{1}, uint64_t{0xff}, byte ^ 0x80, byte ^ 0x10}) {
        expect_verdict(at, replacement, 1, what);
      }
    }
    for (const size_t word : {size_t{2}, size_t{4}, size_t{8}}) {
      for (size_t at = begin; at + word <= begin + size; at += word) {
        const std::string what = name + " word at " + std::to_string(at - begin);
        uint64_t old = 0;
        std::memcpy(&old, good.data() + at, word);
        for (const uint64_t replacement :
             {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, old + 0x1000, old - 0x1000, old + 8, old - 8, old * 2}) {
          expect_verdict(at, replacement, word, what);
        }
      }
    }
  }

  const fs::path source = fs::path(CUZK_OUR_PLUGINS) / ("cuzk-plugin-" + std::string(GetParam()) + ".so");
  const std::vector<std::byte> good = bytes_of(source);
  const TemporaryFolder folder;
  const fs::path path = folder.path / "cuzk-plugin-damaged.so";
  Count count;
};

TEST_P(DamagedElf, TheWholeOneLoads) {
  EXPECT_NO_THROW(check_loadable(good));
  EXPECT_EQ(load_in_child(source), kLoaded << 8);
}

TEST_P(DamagedElf, VerdictNamesPathAndCause) {
  std::vector<std::byte> damaged = good;
  damaged[offsetof(Elf64_Ehdr, e_phnum)] = std::byte{1};
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(damaged.data()), static_cast<std::streamsize>(damaged.size()));
  HostServices services(1);
  PluginRegistry registry(services);
  EXPECT_EQ(to_line(registry.load(path)), path.string() + ": elf: no dynamic section");
}

TEST_P(DamagedElf, Header) { damage(0, sizeof(Elf64_Ehdr), "header"); }

TEST_P(DamagedElf, ProgramHeaders) {
  const ElfFile elf = read_elf(good);
  for (size_t i = 0; i < elf.segments.size(); ++i) {
    damage(elf.header.e_phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr), "program header " + std::to_string(i));
  }
  EXPECT_GT(count.checked, count.linked);
}

TEST_P(DamagedElf, DynamicSection) {
  for (const Elf64_Phdr& segment : read_elf(good).segments) {
    if (segment.p_type == PT_DYNAMIC) damage(segment.p_offset, segment.p_filesz, "dynamic section");
  }
  EXPECT_GT(count.checked, count.linked);
}

INSTANTIATE_TEST_SUITE_P(Ours, DamagedElf, ::testing::Values("interlocks"));

}  // namespace
}  // namespace cuzk::test
