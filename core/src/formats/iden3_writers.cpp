#include "formats/bin_writer.hpp"
#include "groth16/qap.hpp"

#include <array>
#include <vector>

#include <cuzk/formats/iden3_writers.hpp>

namespace cuzk {
namespace {

using namespace formats;

constexpr uint64_t kCountBytes = 4, kTermBytes = 36;

/// {u32 n8, prime}.
template <class C>
void write_scalar_prime(BinWriter& out) {
  using Fr = typename C::Fr;
  out.value(uint32_t{sizeof(Fr)});
  out.value(Fr::modulus());
}

}  // namespace

void write_wtns(const Witness& witness, const ByteSink& sink) {
  const uint32_t count = u32_count(witness.name, "values", witness.values.size());
  BinWriter out(sink, "wtns", 2, 2);
  out.section(1, 4 + kFrBytes + 4);
  with_curve(witness.curve, [&]<class C>(std::type_identity<C>) { write_scalar_prime<C>(out); });
  out.value(count);
  out.section(2, count * kFrBytes);
  out.bytes(witness.values.bytes());
  out.finish();
}

void write_r1cs(const Circuit& circuit, const ByteSink& sink) {
  const uint32_t variables = u32_count(circuit.name, "variables", circuit.variables);
  const uint32_t constraints = u32_count(circuit.name, "constraints", circuit.constraints());
  BinWriter out(sink, "r1cs", 1, 3);
  out.section(1, 4 + kFrBytes + size_t{4} * 4 + 8 + 4);
  std::vector<std::array<uint64_t, 4>> coefficients;  // canonical
  with_curve(circuit.curve, [&]<class C>(std::type_identity<C>) {
    write_scalar_prime<C>(out);
    for (const auto& value : groth16::dictionary_of<typename C::Fr>(circuit)) {
      coefficients.push_back(value.to_canonical());
    }
  });
  out.value(variables);
  out.value(static_cast<uint32_t>(circuit.publics));  // outputs
  out.value(uint32_t{0});                             // public inputs
  out.value(uint32_t{0});                             // private inputs
  out.value(circuit.variables);                       // labels
  out.value(constraints);

  const std::array<const SparseMatrix*, 3> matrices{&circuit.a, &circuit.b, &circuit.c};
  uint64_t terms = 0;
  for (const SparseMatrix* matrix : matrices) terms += matrix->columns.size();
  out.section(2, 3 * kCountBytes * constraints + terms * kTermBytes);
  for (uint64_t row = 0; row < constraints; ++row) {
    for (const SparseMatrix* matrix : matrices) {
      const uint64_t begin = matrix->row_begin[row], end = matrix->row_begin[row + 1];
      out.value(static_cast<uint32_t>(end - begin));
      for (uint64_t i = begin; i < end; ++i) {
        out.value(matrix->columns[i]);
        out.value(coefficients[matrix->coefficients[i]]);
      }
    }
  }
  out.section(3, circuit.variables * sizeof(uint64_t));
  for (uint64_t wire = 0; wire < circuit.variables; ++wire) out.value(wire);  // its label
  out.finish();
}

}  // namespace cuzk
