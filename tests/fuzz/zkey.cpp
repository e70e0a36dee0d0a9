// .zkey: container, header, coefficients, points.
#include "use_key.hpp"

#include <cuzk/formats/zkey.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuzk::fuzz;
  static MemoryFile file;
  const std::string& path = file.with({data, size});
  expect_soundness(path, [&] { use_key(*cuzk::open_zkey(path, pool())); });
  return 0;
}
