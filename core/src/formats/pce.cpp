#include "formats/bin_file.hpp"
#include "formats/bytes.hpp"
#include "formats/counted.hpp"
#include "formats/first_failure.hpp"
#include "formats/pce_layout.hpp"
#include "formats/read_intact.hpp"
#include "groth16/row_sum.hpp"

#include <algorithm>
#include <bit>

#include <cuzk/error.hpp>
#include <cuzk/formats/pce.hpp>

namespace cuzk {
namespace {

using namespace formats;
using Fr = arith::Bls12381::Fr;

constexpr uint64_t kPointerBytes = 4, kGrain = 4096;

/// The file from a part on, under the part's name.
Section rest(const MappedFile& file, uint64_t offset, std::string_view part) {
  return Section(file.path() + ": " + std::string(part), offset, file.bytes().subspan(offset));
}

/// {u64 count, items}.
const std::byte* read_items(SectionReader& reader, const char* item, uint64_t expected, uint64_t item_bytes) {
  const uint64_t count = reader.u64(std::string("number of ") + item + "s");
  if (count != expected) reader.fail("found " + counted(count, item) + ", expected " + std::to_string(expected));
  if (reader.remaining() / item_bytes < count) {
    reader.fail("found " + counted(count, item) + ", expected at most " +
                std::to_string(reader.remaining() / item_bytes) + " before the file's end");
  }
  return reader.bytes(count * item_bytes, item).data();
}

}  // namespace

uint64_t Pce::Matrix::row_begin(uint64_t row) const { return load<uint32_t>(row_pointers + kPointerBytes * row); }
uint32_t Pce::Matrix::column(uint64_t entry) const { return load<uint32_t>(columns + kPointerBytes * entry); }
Fr Pce::Matrix::value(uint64_t entry) const { return Fr::from_raw(load<Fr::Limbs>(values + pce::kValueBytes * entry)); }

/// What was checked when the file was opened is checked again, as somebody may have written to it since.
Fr Pce::Matrix::evaluate(const MappedFile& file, uint64_t row, std::span<const cuzk_fr> witness) const {
  groth16::RowSum<Fr> sum;
  const uint64_t end = row_begin(row + 1);
  if (end > entries) file.fail_changed();
  for (uint64_t i = row_begin(row); i < end; ++i) {
    const uint32_t variable = column(i);
    if (variable >= witness.size()) file.fail_changed();
    sum.add(value(i), witness[variable]);
  }
  return sum.of_montgomery();
}

/// First the counts and the places of all parts, then what they hold.
class Pce::Reader {
 public:
  Reader(Pce& out, CpuPool& pool) : pce_(out), file_(*out.file_), pool_(pool) {}

  void read() {
    const uint64_t entries = read_header();
    uint64_t offset = pce::kHeaderBytes, found = 0;
    for (size_t m = 0; m < pce_.matrices_.size(); ++m) {
      offset += map_matrix(offset, pce::kMatrixNames[m], pce_.matrices_[m]);
      found += pce_.matrices_[m].entries;
    }
    if (found != entries) {
      rest(file_, 0, "header")
          .fail(20, "found " + std::to_string(entries) + " entries in all, expected " + std::to_string(found) +
                        ", which the matrices have");
    }
    const uint64_t inputs = pce_.inputs_, aux = pce_.variables_ - inputs;
    const std::array<pce::DensityRange, 3> densities{{{"density of A, auxiliary", pce_.in_a_, inputs, aux},
                                                      {"density of B, inputs", pce_.in_b_, 0, inputs},
                                                      {"density of B, auxiliary", pce_.in_b_, inputs, aux}}};
    std::array<MappedDensity, 3> mapped;
    for (size_t d = 0; d < densities.size(); ++d) offset += map_density(offset, densities[d], mapped[d]);
    SectionReader(rest(file_, offset, "end")).expect_end();

    pce_.in_a_.resize(pce::words_for(pce_.variables_));
    pce_.in_b_.resize(pce::words_for(pce_.variables_));
    check_matrix(0, &pce_.in_a_);
    check_matrix(1, &pce_.in_b_);
    check_matrix(2, nullptr);
    check_input_rows();
    for (size_t d = 0; d < densities.size(); ++d) check_density(densities[d], mapped[d]);
  }

 private:
  struct MappedDensity {
    const std::byte *words, *ones;
  };

  [[noreturn]] void fail(std::string_view part, const std::byte* at, const std::string& message) const {
    rest(file_, static_cast<uint64_t>(at - file_.bytes().data()), part).fail(0, message);
  }

  /// The number of entries of all matrices.
  uint64_t read_header() {
    const Section section = rest(file_, 0, "header");
    SectionReader reader(section);
    const auto magic = reader.bytes(pce::kMagic.size(), "magic");
    if (std::memcmp(magic.data(), pce::kMagic.data(), magic.size()) != 0) {
      reader.fail("found magic " + show_magic(magic) + ", expected " +
                  show_magic(std::as_bytes(std::span(pce::kMagic))));
    }
    const uint32_t version = reader.u32("version");
    if (version != pce::kVersion) reader.fail("found version " + std::to_string(version) + ", expected 2");
    pce_.inputs_ = reader.u32("number of inputs");
    if (pce_.inputs_ == 0) reader.fail("found no inputs, expected at least the leading one");
    pce_.variables_ = pce_.inputs_ + reader.u32("number of auxiliary variables");
    if (pce_.variables_ > uint64_t{1} << 32) {
      reader.fail("found " + counted(pce_.variables_, "variable") + ", expected at most 2^32");
    }
    pce_.rows_ = reader.u32("number of rows");
    if (pce_.rows_ < pce_.inputs_) {
      reader.fail("found " + counted(pce_.rows_, "row") + ", expected at least one for each of the " +
                  counted(pce_.inputs_, "input"));
    }
    const uint64_t entries = reader.u64("number of entries");
    if (reader.u32("last field") != 0) reader.fail("found the header's last field not zero");
    return entries;
  }

  /// The matrix's bytes.
  uint64_t map_matrix(uint64_t offset, std::string_view part, Matrix& matrix) const {
    const Section section = rest(file_, offset, part);
    SectionReader reader(section);
    matrix.row_pointers = read_items(reader, "row pointer", pce_.rows_ + 1, kPointerBytes);
    matrix.entries = matrix.row_begin(pce_.rows_);
    matrix.columns = read_items(reader, "column", matrix.entries, kPointerBytes);
    matrix.values = read_items(reader, "value", matrix.entries, pce::kValueBytes);
    return reader.position();
  }

  /// The density's bytes.
  uint64_t map_density(uint64_t offset, const pce::DensityRange& range, MappedDensity& density) const {
    const Section section = rest(file_, offset, range.name);
    SectionReader reader(section);
    density.words = read_items(reader, "word", range.words(), sizeof(uint64_t));
    const uint64_t bits = reader.u64("number of bits");
    if (bits != range.bits) reader.fail("found " + counted(bits, "bit") + ", expected " + std::to_string(range.bits));
    density.ones = reader.bytes(sizeof(uint64_t), "number of set bits").data();
    return reader.position();
  }

  /// mask: the variables with nonzero coefficients are set in it.
  void check_matrix(size_t index, std::vector<uint64_t>* mask) const {
    const Matrix& matrix = pce_.matrices_[index];
    const std::string_view part = pce::kMatrixNames[index];
    check_row_pointers(matrix, part);
    const auto fault = first_failure(pool_, matrix.entries, kGrain, [&](uint64_t begin, uint64_t end) {
      file_.prefetch({matrix.values + pce::kValueBytes * begin, pce::kValueBytes * (end - begin)});
      for (uint64_t i = begin; i < end; ++i) {
        const Fr value = matrix.value(i);
        if (matrix.column(i) >= pce_.variables_ || !Fr::is_reduced(value.limb)) return i;
        if (mask != nullptr && !value.is_zero()) pce::set_bit(*mask, matrix.column(i));
      }
      return end;
    });
    if (!fault) return;
    const std::string lead = "entry " + std::to_string(*fault) + ": ";
    if (matrix.column(*fault) < pce_.variables_) {
      fail(part, matrix.values + pce::kValueBytes * *fault, lead + "its value is not below the scalar field's prime");
    }
    fail(part, matrix.columns + kPointerBytes * *fault,
         lead + "found column " + std::to_string(matrix.column(*fault)) + ", expected below " +
             std::to_string(pce_.variables_));
  }

  /// Rising from 0; the last one is the number of entries by construction.
  void check_row_pointers(const Matrix& matrix, std::string_view part) const {
    if (matrix.row_begin(0) != 0) {
      fail(part, matrix.row_pointers, "row pointer 0: found " + std::to_string(matrix.row_begin(0)) + ", expected 0");
    }
    const auto fault = first_failure(pool_, pce_.rows_, kGrain, [&](uint64_t begin, uint64_t end) {
      while (begin < end && matrix.row_begin(begin) <= matrix.row_begin(begin + 1)) ++begin;
      return begin;
    });
    if (!fault) return;
    fail(part, matrix.row_pointers + kPointerBytes * (*fault + 1),
         "row pointer " + std::to_string(*fault + 1) + ": found " + std::to_string(matrix.row_begin(*fault + 1)) +
             ", expected at least " + std::to_string(matrix.row_begin(*fault)));
  }

  /// The last rows: x_i 0 = 0 for each input.
  void check_input_rows() const {
    const auto& [a, b, c] = pce_.matrices_;
    const uint64_t first = pce_.rows_ - pce_.inputs_;
    for (uint64_t i = 0; i < pce_.inputs_; ++i) {
      const uint64_t begin = a.row_begin(first + i);
      if (a.row_begin(first + i + 1) - begin == 1 && a.column(begin) == i && a.value(begin) == Fr::one()) continue;
      fail(pce::kMatrixNames[0], a.row_pointers + kPointerBytes * (first + i),
           "row " + std::to_string(first + i) + " is not that of input " + std::to_string(i) +
               ", expected it alone with coefficient 1");
    }
    for (const size_t m : {size_t{1}, size_t{2}}) {
      const Matrix& matrix = pce_.matrices_[m];
      if (matrix.row_begin(first) == matrix.entries) continue;
      fail(pce::kMatrixNames[m], matrix.row_pointers + kPointerBytes * first,
           "found entries in the rows of the inputs, from row " + std::to_string(first) + " on, expected none");
    }
  }

  void check_density(const pce::DensityRange& range, const MappedDensity& density) const {
    const auto found = [&](uint64_t i) { return load<uint64_t>(density.words + sizeof(uint64_t) * i); };
    const auto fault = first_failure(pool_, range.words(), kGrain, [&](uint64_t begin, uint64_t end) {
      while (begin < end && found(begin) == range.word(begin)) ++begin;
      return begin;
    });
    if (fault) {
      const auto bit = static_cast<uint64_t>(std::countr_zero(found(*fault) ^ range.word(*fault)));
      const uint64_t is = found(*fault) >> bit & 1, expected = 1 - is;
      fail(range.name, density.words + sizeof(uint64_t) * *fault,
           "bit " + std::to_string(64 * *fault + bit) + ": found " + std::to_string(is) + ", expected " +
               std::to_string(expected) + " by the matrix");
    }
    const auto ones = load<uint64_t>(density.ones);
    if (ones != range.ones()) {
      fail(range.name, density.ones,
           "found a number of set bits of " + std::to_string(ones) + ", expected " + std::to_string(range.ones()));
    }
  }

  Pce& pce_;
  const MappedFile& file_;
  CpuPool& pool_;
};

Pce::Pce(const std::string& path, CpuPool& pool) : file_(std::make_shared<const MappedFile>(path)) {
  read_intact(*file_, [&] { Reader(*this, pool).read(); });
}

uint32_t Pce::log2_domain() const { return static_cast<uint32_t>(std::bit_width(rows_ - 1)); }

void Pce::evaluate(CpuPool& pool, std::span<const cuzk_fr> witness, std::span<cuzk_fr> a, std::span<cuzk_fr> b) const {
  const uint64_t domain_size = uint64_t{1} << log2_domain();
  if (witness.size() != variables_ || a.size() != domain_size || b.size() != domain_size) {
    throw Error(ErrorCode::internal, path() + ": evaluation over " + std::to_string(witness.size()) + " values and " +
                                         std::to_string(a.size()) + " rows, expected " + std::to_string(variables_) +
                                         " and " + std::to_string(domain_size));
  }
  pool.parallel((domain_size + kGrain - 1) / kGrain, [&](uint64_t block) {
    const uint64_t end = std::min((block + 1) * kGrain, domain_size);
    for (uint64_t row = block * kGrain; row < end; ++row) {
      const bool used = row < rows_;
      a[row] = used ? std::bit_cast<cuzk_fr>(matrices_[0].evaluate(*file_, row, witness).limb) : cuzk_fr{};
      b[row] = used ? std::bit_cast<cuzk_fr>(matrices_[1].evaluate(*file_, row, witness).limb) : cuzk_fr{};
    }
  });
}

std::optional<uint64_t> Pce::first_violation(CpuPool& pool, const Witness& witness) const {
  require_fit(witness, Curve::bls12_381, variables_, path());
  const auto values = witness.values.span();
  return read_intact(*file_, [&] {
    return first_failure(pool, rows_, kGrain, [&](uint64_t begin, uint64_t end) {
      const auto& [a, b, c] = matrices_;
      for (; begin < end; ++begin) {
        const Fr product = a.evaluate(*file_, begin, values) * b.evaluate(*file_, begin, values);
        if (!(product == c.evaluate(*file_, begin, values))) break;
      }
      return begin;
    });
  });
}

}  // namespace cuzk
