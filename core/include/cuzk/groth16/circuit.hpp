#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/curve.hpp>

namespace cuzk {

/// A matrix over Fr in compressed sparse rows. Row i has the entries [row_begin[i], row_begin[i + 1]).
struct SparseMatrix {
  std::vector<uint64_t> row_begin{0};  ///< rows + 1
  std::vector<uint32_t> columns;       ///< variables; rising within a row
  std::vector<uint32_t> coefficients;  ///< of each entry: an index into the circuit's dictionary

  uint64_t rows() const { return row_begin.size() - 1; }
};

/// A rank-1 constraint system <a, w> <b, w> = <c, w> in memory, without the rows x_i 0 = 0 that key formats add for the
/// leading one and the public signals. Variables: the leading one, the public signals, then the others.
struct Circuit {
  std::string name;  ///< for messages
  Curve curve{};
  uint64_t variables = 0;           ///< the leading one included
  uint64_t publics = 0;             ///< public signals, the leading one not included
  std::vector<cuzk_fr> dictionary;  ///< the distinct coefficients, Montgomery, none zero
  SparseMatrix a, b, c;

  uint64_t constraints() const { return a.rows(); }
};

/// Error usage, with the circuit's name, unless its parts fit together: more variables than public signals, as many
/// rows in each matrix, rows in order, columns and coefficients in range. Linear in the entries.
void require_well_formed(const Circuit&);

}  // namespace cuzk
