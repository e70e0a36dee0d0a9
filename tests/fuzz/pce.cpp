// .pce: counts, rows, columns, values, densities, and their evaluation.
#include "fuzz.hpp"

#include <vector>

#include <cuzk/formats/pce.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuzk::fuzz;
  static MemoryFile file;
  const std::string& path = file.with({data, size});
  expect_soundness(path, [&] {
    const cuzk::Pce pce(path, pool());
    require(pce.inputs() > 0 && pce.inputs() <= pce.variables(), "more inputs than variables");
    require(pce.rows() <= uint64_t{1} << pce.log2_domain(), "more rows than the domain");
    const cuzk::Witness witness{"ones", cuzk::Curve::bls12_381, ones(pce.variables())};
    std::vector<cuzk_fr> a(size_t{1} << pce.log2_domain()), b(a.size());
    pce.evaluate(pool(), witness.values.span(), a, b);
    static_cast<void>(pce.first_violation(pool(), witness));
  });
  return 0;
}
