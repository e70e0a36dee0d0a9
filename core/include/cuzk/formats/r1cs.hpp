#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/curve.hpp>
#include <cuzk/formats/mapped_file.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk {

class CpuPool;

/// A sum of coefficient x wire, where it lies in the mapped file.
class LinearCombination {
 public:
  struct Term {
    uint32_t wire;
    cuzk_fr coefficient;  ///< canonical
  };
  LinearCombination(const std::byte* terms, uint32_t size) : terms_(terms), size_(size) {}

  uint32_t size() const { return size_; }
  Term operator[](uint32_t i) const;

 private:
  const std::byte* terms_;
  uint32_t size_;
};

/// <a, w> <b, w> = <c, w>.
struct Constraint {
  LinearCombination a, b, c;
};

/// The constraints of a circuit, an iden3 .r1cs file, mapped and read where they lie. Immutable; any thread.
class R1cs {
 public:
  struct Header {
    Curve curve{};
    uint32_t wires = 0;  ///< the leading one included
    uint32_t outputs = 0, public_inputs = 0, private_inputs = 0;
    uint64_t labels = 0;
    uint32_t constraints = 0;
  };

  /// Checks everything: container, header, term counts against the file, wires and coefficients in range. Error
  /// bad_input names file, section, constraint, found and expected.
  R1cs(const std::string& path, CpuPool& pool);

  const std::string& path() const { return file_->path(); }
  const Header& header() const { return header_; }

  /// The least index of a constraint that the witness violates, or nothing. Error bad_input, with both names, when the
  /// witness is of another curve or has another number of values; by name, when the file was shortened.
  std::optional<uint64_t> first_violation(CpuPool& pool, const Witness& witness) const;

  /// Runs visit(index, constraint) for all constraints in order. Error bad_input at the end when the file was
  /// shortened.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const std::byte* at = constraints_.data();
    for (uint64_t i = 0; i < header_.constraints; ++i) visit(i, next(at));
    file_->require_intact();
  }

 private:
  void read(CpuPool& pool);
  /// The constraint at `at`, which is moved behind it. The bytes are already checked, but for what was written to the
  /// file since: Error bad_input where a constraint ends beyond them.
  Constraint next(const std::byte*& at) const;
  /// The least index of a constraint for which fails(constraint), looked for on all threads.
  template <class Fails>
  std::optional<uint64_t> first_of(CpuPool& pool, const Fails& fails) const;

  std::shared_ptr<const MappedFile> file_;
  Header header_;
  std::span<const std::byte> constraints_;
  std::vector<uint64_t> blocks_;  ///< where every kBlock-th constraint begins, so that threads can share the work
};

}  // namespace cuzk
