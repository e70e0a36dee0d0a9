#include "formats/buffered_sink.hpp"
#include "formats/counted.hpp"
#include "formats/pce_layout.hpp"

#include <cuzk/error.hpp>
#include <cuzk/formats/pce.hpp>
#include <cuzk/runtime/cpu_pool.hpp>

namespace cuzk {
namespace {

using namespace formats;
using Fr = arith::Bls12381::Fr;

void check(const Circuit& circuit) {
  if (circuit.curve != Curve::bls12_381) {
    throw Error(ErrorCode::usage, circuit.name + ": found a circuit on " + std::string(name(circuit.curve)) +
                                      ", expected bls12-381 for a PCE file");
  }
  const auto expect_fits = [&](const char* thing, uint64_t count) {
    if (count <= UINT32_MAX) return;
    throw Error(ErrorCode::usage,
                circuit.name + ": found " + counted(count, thing) + ", expected at most 4294967295 for a PCE file");
  };
  const uint64_t inputs = circuit.publics + 1;
  expect_fits("variable", circuit.variables);
  expect_fits("row", circuit.constraints() + inputs);
  expect_fits("coefficient", circuit.a.columns.size() + inputs);
  expect_fits("coefficient", circuit.b.columns.size());
  expect_fits("coefficient", circuit.c.columns.size());
}

/// entries_of_inputs: of the inputs' rows, which come last; none has entries but in A.
void write_matrix(BufferedSink& out, const Circuit& circuit, const SparseMatrix& matrix, bool entries_of_inputs) {
  const uint64_t inputs = circuit.publics + 1, entries = matrix.columns.size();
  const uint64_t all = entries + (entries_of_inputs ? inputs : 0);
  out.put(uint64_t{matrix.rows() + inputs + 1});
  for (const uint64_t begin : matrix.row_begin) out.put(static_cast<uint32_t>(begin));
  for (uint64_t i = 1; i <= inputs; ++i) out.put(static_cast<uint32_t>(entries_of_inputs ? entries + i : entries));
  out.put(all);
  for (const uint32_t column : matrix.columns) out.put(column);
  for (uint64_t i = entries; i < all; ++i) out.put(static_cast<uint32_t>(i - entries));
  out.put(all);
  for (const uint32_t coefficient : matrix.coefficients) out.put(circuit.dictionary[coefficient]);
  for (uint64_t i = entries; i < all; ++i) out.put(Fr::one().limb);
}

/// A dictionary has no zero: every entry counts.
std::vector<uint64_t> variables_in(CpuPool& pool, const Circuit& circuit, const SparseMatrix& matrix) {
  std::vector<uint64_t> mask(pce::words_for(circuit.variables));
  pool.ranges(matrix.columns.size(), 1 << 14, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) pce::set_bit(mask, matrix.columns[i]);
  });
  return mask;
}

void write_density(BufferedSink& out, const pce::DensityRange& density) {
  out.put(density.words());
  for (uint64_t i = 0; i < density.words(); ++i) out.put(density.word(i));
  out.put(density.bits);
  out.put(density.ones());
}

}  // namespace

void write_pce(const Circuit& circuit, CpuPool& pool, const ByteSink& sink) {
  check(circuit);
  const uint64_t inputs = circuit.publics + 1, aux = circuit.variables - inputs;
  BufferedSink out(sink);
  std::memcpy(out.grow(pce::kMagic.size()), pce::kMagic.data(), pce::kMagic.size());
  out.put(pce::kVersion);
  out.put(static_cast<uint32_t>(inputs));
  out.put(static_cast<uint32_t>(aux));
  out.put(static_cast<uint32_t>(circuit.constraints() + inputs));
  out.put(uint64_t{circuit.a.columns.size() + circuit.b.columns.size() + circuit.c.columns.size() + inputs});
  out.put(uint32_t{0});
  write_matrix(out, circuit, circuit.a, true);
  write_matrix(out, circuit, circuit.b, false);
  write_matrix(out, circuit, circuit.c, false);

  const std::vector<uint64_t> in_a = variables_in(pool, circuit, circuit.a);
  const std::vector<uint64_t> in_b = variables_in(pool, circuit, circuit.b);
  write_density(out, {"A", in_a, inputs, aux});
  write_density(out, {"B", in_b, 0, inputs});
  write_density(out, {"B", in_b, inputs, aux});
  out.flush();
}

}  // namespace cuzk
