// .r1cs: container, header, constraints, and their evaluation.
#include "fuzz.hpp"

#include <cuzk/formats/r1cs.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuzk::fuzz;
  static MemoryFile file;
  const std::string& path = file.with({data, size});
  expect_soundness(path, [&] {
    const cuzk::R1cs r1cs(path, pool());
    const cuzk::R1cs::Header& header = r1cs.header();
    uint64_t visited = 0;
    r1cs.for_each([&](uint64_t, const cuzk::Constraint& constraint) {
      ++visited;
      for (const cuzk::LinearCombination& sum : {constraint.a, constraint.b, constraint.c}) {
        for (uint32_t i = 0; i < sum.size(); ++i) require(sum[i].wire < header.wires, "a wire beyond the last");
      }
    });
    require(visited == header.constraints, "another number of constraints");
    if (header.wires > (1U << 20)) return;  // the header alone says so: no witness of that size here
    const cuzk::Witness witness{"ones", header.curve, ones(header.wires)};
    static_cast<void>(r1cs.first_violation(pool(), witness));
  });
  return 0;
}
