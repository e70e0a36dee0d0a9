// .params, with a good .pce beside it.
#include "use_key.hpp"

#include <cuzk/formats/params.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuzk::fuzz;
  static MemoryFile file;
  static const std::string pce = std::string(CUZK_TEST_VECTORS) + "/params/tiny/circuit.pce";
  const std::string& path = file.with({data, size});
  expect_soundness(path, [&] { use_key(*cuzk::open_params(path, pce, pool())); });
  return 0;
}
