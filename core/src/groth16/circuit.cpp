#include <algorithm>

#include <cuzk/error.hpp>
#include <cuzk/groth16/circuit.hpp>

namespace cuzk {
namespace {

bool in_range(const std::vector<uint32_t>& values, uint64_t bound) {
  return std::all_of(values.begin(), values.end(), [bound](uint32_t value) { return value < bound; });
}

}  // namespace

void require_well_formed(const Circuit& circuit) {
  const auto require = [&](bool holds, const char* what) {
    if (!holds) throw Error(ErrorCode::usage, circuit.name + ": " + what);
  };
  require(circuit.publics < circuit.variables, "found no fewer public signals than variables");
  for (const SparseMatrix* const matrix : {&circuit.a, &circuit.b, &circuit.c}) {
    const auto& begins = matrix->row_begin;
    require(!begins.empty() && begins.front() == 0 && std::is_sorted(begins.begin(), begins.end()) &&
                begins.back() == matrix->columns.size() && begins.back() == matrix->coefficients.size(),
            "found rows that are not those of the entries");
    require(matrix->rows() == circuit.constraints(), "found matrices of different numbers of rows");
    require(in_range(matrix->columns, circuit.variables), "found a column that is no variable");
    require(in_range(matrix->coefficients, circuit.dictionary.size()),
            "found a coefficient that is not in the dictionary");
  }
}

}  // namespace cuzk
