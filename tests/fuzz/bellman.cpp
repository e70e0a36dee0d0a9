// Bellman's proofs.
#include "fuzz.hpp"

#include <cuzk/formats/bellman_proof.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuzk::fuzz;
  static MemoryFile file;
  const std::string& path = file.with({data, size});
  expect_soundness(path, [&] {
    const auto proofs = cuzk::read_bellman_proofs(path);
    require(proofs.size() * cuzk::kBellmanProofBytes == size, "another number of proofs than the file has room for");
    for (size_t i = 0; i < proofs.size(); ++i) {
      const auto bytes = cuzk::encode_bellman_proof(proofs[i]);
      require(std::memcmp(bytes.data(), data + i * bytes.size(), bytes.size()) == 0,
              "a proof changed on its way out and in");
    }
  });
  return 0;
}
