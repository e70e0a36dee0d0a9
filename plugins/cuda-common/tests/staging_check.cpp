/// cuzk-cuda-staging-check [MIB]: the staging component pinned-async and the spans of device 0. Every path moves
/// vectors of many sizes, the largest of MIB mebibytes (default 1024) and 5 bytes, from and to every alignment, and
/// other bytes stay as they were; page-locked memory is told from other memory; fences, cancellation, refusals; spans
/// have the length of the kernels they measure and lie where the host saw them. Then the speed of each path for MIB
/// mebibytes beside that of cudaMemcpyAsync: page-locked vectors must reach 90 % of it. 0: no large vector, and no
/// speeds. A line for each of these. Exit code 0 if all is right, 1 if not, 2 after an error.

#include "report.hpp"
#include "spans_check.hpp"
#include "spin.hpp"
#include "staging_bench.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace cuzk::cuda {
namespace {

constexpr uint64_t kGuard = 4096;
constexpr unsigned char kUntouched = 0xa5;

/// Where a vector is in host memory, and the path that it should take.
struct Source {
  const char* name;
  uint32_t path;
  bool pinned, told, ring;  ///< page-locked; the call says so; there is a ring
};
constexpr Source kSources[] = {{"page-locked, said", CUZK_PATH_PINNED, true, true, true},
                               {"page-locked, found", CUZK_PATH_PINNED, true, false, true},
                               {"ordinary", CUZK_PATH_RING, false, false, true},
                               {"ordinary, no ring", CUZK_PATH_PAGEABLE, false, false, false}};

class Check {
 public:
  Check(Report& report, TestHost& host, uint64_t large) : report_(report), host_(host), large_(large) {}

  void run() {
    for (const Source& source : kSources) {
      report_.say(std::string("small vectors: ") + source.name, [&] { return small(source); });
      if (large_ != 0) report_.say(std::string("a large vector: ") + source.name, [&] { return large(source); });
    }
    report_.say("what is page-locked", [&] { return finds_ranges(); });
    report_.say("fences are waited for, and recorded at the end", [&] { return fences(); });
    report_.say("without fences calls are over when they return", [&] { return no_fences(); });
    report_.say("cancelled calls leave nothing running", [&] { return cancels(); });
    report_.say("refusals leave everything as it was", [&] { return refuses(); });
    report_.say("pages that are locked twice", [&] { return locks_twice(); });
  }

 private:
  std::string small(const Source& source) {
    Opened opened(kMiB, source.ring);
    const uint64_t block = RingCut::for_vectors(kMiB).block, ring = RingCut::kBlocks * block;
    const HostBytes from(4 * ring, source.pinned), back(4 * ring, source.pinned);
    for (const uint64_t size : {uint64_t{0}, uint64_t{1}, uint64_t{255}, uint64_t{4097}, block - 1, block, block + 1,
                                ring - 1, ring, ring + 1, 3 * ring + 5}) {
      for (const uint64_t offset : {0U, 1U, 4U}) {
        from.data()[offset] ^= std::byte{1};  // no two vectors are the same
        const std::string wrong =
            crosses(opened, source, from.data() + offset, back.data() + offset, size, 1000 * offset);
        if (!wrong.empty()) return std::to_string(size) + " bytes from offset " + std::to_string(offset) + ": " + wrong;
      }
    }
    return {};
  }

  std::string large(const Source& source) {
    const uint64_t size = large_ + 5;
    Opened opened(size, source.ring);
    const HostBytes from(size, source.pinned), back(size, source.pinned);
    return crosses(opened, source, from.data(), back.data(), size, 0);
  }

  /// Up into guarded memory with a tail, and down again.
  static std::string crosses(Opened& opened, const Source& source, const std::byte* from, std::byte* back,
                             uint64_t size, uint64_t tail) {
    const Block block(kGuard + size + tail + kGuard);
    const DeviceGuard guard(kSpace);
    check(cudaMemset(block.mem().data, kUntouched, block.mem().bytes), "cudaMemset");
    cuzk_mem place{static_cast<std::byte*>(block.mem().data) + kGuard, size + tail, kSpace};
    const Fence up, down;
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    // No bytes are in no page.
    const bool nowhere = size == 0 && source.pinned && !source.told;
    const uint32_t path = nowhere ? uint32_t{CUZK_PATH_RING} : source.path;
    if (opened.staging->upload(call_with({}), place, from, size, source.told, {}, up) != path) return "another path up";
    place.bytes = size;
    if (opened.staging->download(call_with({}), back, source.told, place, up, down) != path) return "another path down";
    down.wait();
    std::vector<std::byte> found(block.mem().bytes);
    block.read(found.data(), 0, found.size());
    const auto all = [&](uint64_t begin, uint64_t end, unsigned char value) {
      return std::all_of(found.begin() + static_cast<ptrdiff_t>(begin), found.begin() + static_cast<ptrdiff_t>(end),
                         [&](std::byte byte) { return byte == std::byte{value}; });
    };
    if (size != 0 && std::memcmp(found.data() + kGuard, from, size) != 0) return "other bytes on the device";
    if (!all(kGuard + size, kGuard + size + tail, 0)) return "a tail that is not zero";
    if (!all(0, kGuard, kUntouched) || !all(kGuard + size + tail, found.size(), kUntouched)) return "bytes beside it";
    if (size != 0 && std::memcmp(back, from, size) != 0) return "other bytes came back";
    return {};
  }

  /// Two ranges side by side, each page-locked by itself.
  std::string finds_ranges() {
    Opened opened(kMiB);
    const HostBytes memory(2 * kMiB - 1);
    const auto pinned = [&](uint64_t begin, uint64_t end) {
      const Block block(end - begin);
      cuzk_mem place = block.mem();
      const Fence done;
      const uint32_t taken =
          opened.staging->upload(call_with({}), place, memory.data() + begin, end - begin, false, {}, done);
      done.wait();
      std::vector<std::byte> found(end - begin);
      block.read(found.data(), 0, found.size());
      if (std::memcmp(found.data(), memory.data() + begin, found.size()) != 0) {
        throw sdk::Error(CUZK_INTERNAL, "other bytes on the device");
      }
      return taken == CUZK_PATH_PINNED;
    };
    if (pinned(0, kMiB)) return "ordinary memory taken for page-locked";
    CudaDevice::pin({memory.data(), kMiB});
    if (!pinned(0, kMiB) || !pinned(1, kMiB - 1)) return "page-locked memory not found";
    if (pinned(0, kMiB + 1) || pinned(kMiB - 1, kMiB + 1)) return "taken for page-locked beyond its end";
    CudaDevice::pin({memory.data() + kMiB, kMiB});
    const bool both = pinned(kMiB - 1, kMiB + 1), second = pinned(kMiB, 2 * kMiB);
    CudaDevice::unpin(memory.data());
    const bool first_gone = !pinned(0, kMiB);
    CudaDevice::unpin(memory.data() + kMiB);
    if (both) return "two ranges taken for one";
    if (!second) return "the second range not found";
    return first_gone && !pinned(kMiB, 2 * kMiB) ? "" : "found after it was unlocked";
  }

  /// A slow kernel writes where bytes are to go: they must come after it. The calls return long before.
  std::string fences() {
    for (const Source& source : kSources) {
      const uint64_t size = 3 * kMiB;
      Opened opened(size, source.ring);
      const HostBytes from(size, source.pinned), back(size, source.pinned);
      const Block block(size);
      const DeviceGuard guard(kSpace);
      const Stream stream(kSpace);
      const Fence filled, up, down;
      const uint64_t begin = now_ns();
      spin_and_fill(stream, 200 * kMs, block.mem().data, 4096, 0x11);
      record(filled, stream);
      cuzk_mem place = block.mem();
      opened.staging->upload(call_with({}), place, from.data(), size, source.told, filled, up);
      opened.staging->download(call_with({}), back.data(), source.told, place, up, down);
      const uint64_t returned = now_ns() - begin;
      down.wait();
      if (std::memcmp(back.data(), from.data(), size) != 0)
        return std::string(source.name) + ": a fence was not waited for";
      if (source.path == CUZK_PATH_PINNED && returned > 150 * kMs)
        return std::string(source.name) + ": the calls waited";
    }
    return {};
  }

  std::string no_fences() {
    for (const Source& source : kSources) {
      const uint64_t size = 70 * kMiB;
      Opened opened(size, source.ring);
      const HostBytes from(size, source.pinned), back(size, source.pinned);
      const Block block(size);
      cuzk_mem place = block.mem();
      opened.staging->upload(call_with({}), place, from.data(), size, source.told, {}, {});
      opened.staging->download(call_with({}), back.data(), source.told, place, {}, {});
      if (std::memcmp(back.data(), from.data(), size) != 0) return source.name;
    }
    return {};
  }

  /// Whether body fails with the code.
  template <class Body>
  static bool fails(int32_t code, Body&& body) {
    try {
      body();
    } catch (const sdk::Error& error) {
      return error.code() == code;
    }
    return false;
  }

  std::string cancels() {
    for (const Source& source : kSources) {
      const uint64_t size = 5 * kMiB;
      Opened opened(kMiB, source.ring);
      const HostBytes from(size, source.pinned), back(size, source.pinned);
      const Block block(size);
      for (const int64_t polls : {0, 3, 7}) {
        if (polls != 0 && source.path != CUZK_PATH_RING) continue;
        cuzk_mem place = block.mem();
        host_.cancel_after(polls);
        const bool up = fails(CUZK_CANCELLED, [&] {
          opened.staging->upload(call_with({}), place, from.data(), size, source.told, {}, {});
        });
        host_.cancel_after(polls);
        const bool down = fails(
            CUZK_CANCELLED, [&] { opened.staging->download(call_with({}), back.data(), source.told, place, {}, {}); });
        host_.cancel_never();
        if (!up || !down) return std::string(source.name) + ": not cancelled after " + std::to_string(polls) + " polls";
        if (const std::string wrong = crosses(opened, source, from.data(), back.data(), size, 7); !wrong.empty()) {
          return std::string(source.name) + ", then: " + wrong;
        }
      }
    }
    return {};
  }

  std::string refuses() {
    for (const Source& source : kSources) {
      Opened opened(kMiB, source.ring);
      const HostBytes from(kMiB, source.pinned), back(kMiB, source.pinned);
      const Block block(1000);
      cuzk_mem place = block.mem();
      const cuzk_fence foreign{nullptr, CUZK_SPACE_VENDOR, 0};
      const auto upload = [&](const void* src, uint64_t bytes, cuzk_fence after, cuzk_fence done) {
        return fails(CUZK_BAD_ARGUMENT,
                     [&] { opened.staging->upload(call_with({}), place, src, bytes, source.told, after, done); });
      };
      if (!upload(from.data(), 1001, {}, {})) return "too small a place";
      if (!upload(nullptr, 10, {}, {})) return "a source that is null";
      if (!upload(from.data(), 10, foreign, {}) || !upload(from.data(), 10, {}, foreign)) return "a foreign fence";
      if (place.data != block.mem().data || place.bytes != 1000) return "the place was changed";
      if (const std::string wrong = crosses(opened, source, from.data(), back.data(), 1000, 7); !wrong.empty())
        return wrong;
    }
    return {};
  }

  std::string locks_twice() {
    Opened opened(kMiB);
    const HostBytes from(kMiB, true), back(kMiB, true);
    int32_t native = 0;
    try {
      CudaDevice::pin({from.data(), from.size()});
    } catch (const sdk::Error& error) {
      native = error.native();
    }
    if (native != cudaErrorHostMemoryAlreadyRegistered) return "error " + std::to_string(native) + ", expected 712";
    if (cudaPeekAtLastError() != cudaSuccess) return "the error stayed";
    return crosses(opened, kSources[1], from.data(), back.data(), kMiB, 7);
  }

  Report& report_;
  TestHost& host_;
  uint64_t large_;
};

/// Whether page-locked vectors move as fast as they can.
bool print_speeds(const std::vector<Speed>& speeds) {
  bool good = true;
  for (const Speed& speed : speeds) {
    const bool slow = speed.path == "pinned" && (speed.up < 0.9 * speeds[0].up || speed.down < 0.9 * speeds[0].down);
    good &= !slow;
    std::printf("%-16s %2u threads  up %6.2f GB/s  down %6.2f GB/s  %s\n", speed.path.c_str(), speed.threads, speed.up,
                speed.down, slow ? "WRONG: less than 90 % of cudaMemcpyAsync" : "ok");
  }
  return good;
}

int run(uint64_t bytes) {
  bool good = true;
  {
    TestHost host(std::max(1U, std::thread::hardware_concurrency()));
    Report report(host);
    Check(report, host, bytes).run();
    check_spans(report, host);
    good &= report.good();
  }
  if (bytes != 0) good &= print_speeds(measure_staging(bytes));
  return good ? 0 : 1;
}

}  // namespace
}  // namespace cuzk::cuda

int main(int argc, char** argv) {
  uint64_t mebibytes = 1024;
  if (argc > 1) {
    const std::string_view text = argv[1];
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), mebibytes);
    if (argc > 2 || error != std::errc() || rest != text.data() + text.size() || mebibytes > 1 << 16) {
      std::fprintf(stderr, "Usage: cuzk-cuda-staging-check [MIB, 0 to 65536]\n");
      return 2;
    }
  }
  try {
    return cuzk::cuda::run(mebibytes << 20);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
