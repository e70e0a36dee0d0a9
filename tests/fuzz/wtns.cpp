// .wtns: container, header, values.
#include "fuzz.hpp"

#include <bit>

#include <cuzk/arith/fields.hpp>
#include <cuzk/formats/wtns.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuzk::fuzz;
  static MemoryFile file;
  const std::string& path = file.with({data, size});
  expect_soundness(path, [&] {
    const cuzk::Witness witness = cuzk::read_wtns(path, pool(), memory());
    const auto& modulus =
        witness.curve == cuzk::Curve::bn254 ? cuzk::arith::Bn254Fr::modulus() : cuzk::arith::Bls12381Fr::modulus();
    require(witness.values.size() > 0, "no values");
    for (const cuzk_fr& value : witness.values.span()) {
      require(cuzk::arith::limbs::less(std::bit_cast<cuzk::arith::LimbArray<4>>(value), modulus), "a value beyond r");
    }
  });
  return 0;
}
