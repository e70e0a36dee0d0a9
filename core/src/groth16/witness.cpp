#include <cuzk/error.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk {

void require_fit(const Witness& witness, Curve curve, uint64_t variables, const std::string& of) {
  const auto fail = [&](const std::string& found, const std::string& expected) {
    throw Error(ErrorCode::bad_input, witness.name + ": found " + found + ", expected " + expected + " for " + of);
  };
  if (witness.curve != curve) fail("a witness on " + std::string(name(witness.curve)), std::string(name(curve)));
  const uint64_t values = witness.values.size();
  if (values != variables) {
    fail(std::to_string(values) + (values == 1 ? " value" : " values"), std::to_string(variables));
  }
}

}  // namespace cuzk
