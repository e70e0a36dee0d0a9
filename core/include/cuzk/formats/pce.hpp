#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cuzk/formats/byte_sink.hpp>
#include <cuzk/formats/mapped_file.hpp>
#include <cuzk/groth16/circuit.hpp>
#include <cuzk/groth16/proving_key.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk {

class CpuPool;

/// The constraint matrices of a circuit on BLS12-381 as Filecoin keeps them, a PCE file of version 2: mapped and read
/// where they lie. Rows are the constraints, then x_i 0 = 0 for each input; variables are the inputs (one leads them),
/// then the auxiliary variables. Immutable; any thread.
class Pce final : public ConstraintMatrices {
 public:
  /// Checks everything, on all threads: counts against the file, row pointers, columns, values below r, the rows of the
  /// inputs, the densities against the matrices, the file's end. Error bad_input names file, part, offset, found and
  /// expected. Throws std::bad_alloc.
  Pce(const std::string& path, CpuPool&);

  const std::string& path() const { return file_->path(); }
  const std::shared_ptr<const MappedFile>& file() const { return file_; }
  uint64_t inputs() const { return inputs_; }  ///< the leading one included
  uint64_t variables() const { return variables_; }
  uint64_t rows() const { return rows_; }
  /// The least power of two that holds the rows.
  uint32_t log2_domain() const;

  /// Bit per variable, LSB first: whether it has a nonzero coefficient in A (as all inputs do) or in B.
  const std::vector<uint64_t>& in_a() const { return in_a_; }
  const std::vector<uint64_t>& in_b() const { return in_b_; }

  void evaluate(CpuPool&, std::span<const cuzk_fr> witness, std::span<cuzk_fr> a, std::span<cuzk_fr> b) const override;

  /// The least row that the witness violates, or nothing. Error bad_input, with both names, when the witness is of
  /// another curve or has another number of values; by name, when the file was shortened.
  std::optional<uint64_t> first_violation(CpuPool&, const Witness&) const;

 private:
  class Reader;
  /// Compressed sparse rows, packed: u32 row pointers (rows + 1), u32 columns, values of 32 bytes, Montgomery.
  struct Matrix {
    const std::byte *row_pointers = nullptr, *columns = nullptr, *values = nullptr;
    uint64_t entries = 0;

    uint64_t row_begin(uint64_t row) const;
    uint32_t column(uint64_t entry) const;
    arith::Bls12381::Fr value(uint64_t entry) const;
    /// <row, witness>
    arith::Bls12381::Fr evaluate(const MappedFile&, uint64_t row, std::span<const cuzk_fr> witness) const;
  };

  std::shared_ptr<const MappedFile> file_;
  uint64_t inputs_ = 0, variables_ = 0, rows_ = 0;
  std::array<Matrix, 3> matrices_;  ///< A, B, C
  std::vector<uint64_t> in_a_, in_b_;
};

/// Writes the circuit as a PCE file, with the rows of the inputs and the densities, which it counts on all threads.
/// Error usage: another curve than BLS12-381, or more rows, entries of a matrix or variables than 32 bits count.
void write_pce(const Circuit&, CpuPool&, const ByteSink&);

}  // namespace cuzk
