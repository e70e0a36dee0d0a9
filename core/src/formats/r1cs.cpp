#include "formats/bin_file.hpp"
#include "formats/bytes.hpp"
#include "formats/counted.hpp"
#include "formats/first_failure.hpp"
#include "formats/primes.hpp"
#include "formats/read_intact.hpp"

#include <algorithm>
#include <array>

#include <cuzk/error.hpp>
#include <cuzk/formats/r1cs.hpp>
#include <cuzk/groth16/proof.hpp>

namespace cuzk {
namespace {

using namespace formats;

constexpr uint32_t kHeader = 1, kConstraints = 2;
constexpr std::array<SectionName, 2> kSections{{{kHeader, "header"}, {kConstraints, "constraints"}}};
constexpr BinFormat kFormat{"r1cs", 1, kSections};

constexpr uint64_t kCountBytes = 4, kTermBytes = 36;  // {u32 wire, coefficient}
constexpr uint64_t kBlock = 1024;                     // constraints one thread works on at once

R1cs::Header read_header(const Section& section) {
  SectionReader reader(section);
  R1cs::Header header;
  header.curve = read_scalar_prime(reader);
  header.wires = reader.u32("number of wires");
  header.outputs = reader.u32("number of outputs");
  header.public_inputs = reader.u32("number of public inputs");
  header.private_inputs = reader.u32("number of private inputs");
  const uint64_t named = uint64_t{1} + header.outputs + header.public_inputs + header.private_inputs;
  if (named > header.wires) {
    reader.fail("found " + counted(header.wires, "wire") + ", expected at least " + std::to_string(named) +
                ": one, outputs and inputs");
  }
  header.labels = reader.u64("number of labels");
  header.constraints = reader.u32("number of constraints");
  reader.expect_end();
  return header;
}

/// Where every kBlock-th constraint begins; all counts of terms lie within the section, which ends with the last
/// constraint.
std::vector<uint64_t> find_blocks(const Section& section, uint64_t constraints) {
  SectionReader reader(section);
  std::vector<uint64_t> blocks;
  for (uint64_t i = 0; i < constraints; ++i) {
    if (i % kBlock == 0) blocks.push_back(reader.position());
    for (const char* side : {"A", "B", "C"}) {
      const auto field = [&] {
        return "constraint " + std::to_string(i) + " of " + std::to_string(constraints) + ", " + side;
      };
      if (reader.remaining() < kCountBytes) reader.bytes(kCountBytes, field() + ": number of terms");
      const uint64_t terms = reader.u32("number of terms");
      if (reader.remaining() / kTermBytes < terms) {
        reader.fail(field() + ": found " + counted(terms, "term") + ", expected at most " +
                    std::to_string(reader.remaining() / kTermBytes) + " before the section's end");
      }
      reader.bytes(terms * kTermBytes, "terms");
    }
  }
  reader.expect_end();
  return blocks;
}

template <class Fr>
typename Fr::Limbs limbs_of(const cuzk_fr& value) {
  return std::bit_cast<typename Fr::Limbs>(value);
}

/// The first term of a constraint whose wire or coefficient is out of range.
template <class Fr>
std::optional<LinearCombination::Term> bad_term(const Constraint& constraint, uint32_t wires) {
  for (const LinearCombination& sum : {constraint.a, constraint.b, constraint.c}) {
    for (uint32_t i = 0; i < sum.size(); ++i) {
      const auto term = sum[i];
      if (term.wire >= wires || !Fr::is_reduced(limbs_of<Fr>(term.coefficient))) return term;
    }
  }
  return std::nullopt;
}

/// <sum, witness> / R^2 as a field element: plain limbs taken for Montgomery form stand for value / R.
template <class Fr>
Fr evaluate(const MappedFile& file, const LinearCombination& sum, std::span<const cuzk_fr> witness) {
  Fr total;
  for (uint32_t i = 0; i < sum.size(); ++i) {
    const auto term = sum[i];
    if (term.wire >= witness.size()) file.fail_changed();  // checked when the file was opened
    total += Fr::from_raw(limbs_of<Fr>(term.coefficient)) * Fr::from_raw(limbs_of<Fr>(witness[term.wire]));
  }
  return total;
}

template <class Fr>
bool holds(const MappedFile& file, const Constraint& constraint, std::span<const cuzk_fr> witness) {
  const Fr scale = Fr::from_raw({1}).square();  // R^-2, which the product on the left has once more
  return evaluate<Fr>(file, constraint.a, witness) * evaluate<Fr>(file, constraint.b, witness) ==
         evaluate<Fr>(file, constraint.c, witness) * scale;
}

}  // namespace

LinearCombination::Term LinearCombination::operator[](uint32_t i) const {
  const std::byte* at = terms_ + i * kTermBytes;
  return {load<uint32_t>(at), load<cuzk_fr>(at + 4)};
}

Constraint R1cs::next(const std::byte*& at) const {
  const std::byte* const end = constraints_.data() + constraints_.size();
  const auto side = [&] {
    if (end - at < static_cast<std::ptrdiff_t>(kCountBytes)) file_->fail_changed();
    const auto size = load<uint32_t>(at);
    if (static_cast<uint64_t>(end - at) - kCountBytes < size * kTermBytes) file_->fail_changed();
    const LinearCombination sum(at + kCountBytes, size);
    at += kCountBytes + size * kTermBytes;
    return sum;
  };
  const LinearCombination a = side(), b = side(), c = side();
  return {a, b, c};
}

template <class Fails>
std::optional<uint64_t> R1cs::first_of(CpuPool& pool, const Fails& fails) const {
  const auto first_in = [&](uint64_t block) -> std::optional<uint64_t> {
    const std::byte* at = constraints_.data() + blocks_[block];
    const uint64_t end = std::min<uint64_t>((block + 1) * kBlock, header_.constraints);
    for (uint64_t i = block * kBlock; i < end; ++i) {
      if (fails(next(at))) return i;
    }
    return std::nullopt;
  };
  const auto block = first_failure(pool, blocks_.size(), 1, [&](uint64_t begin, uint64_t end) {
    while (begin < end && !first_in(begin)) ++begin;
    return begin;
  });
  return block ? first_in(*block) : std::nullopt;
}

R1cs::R1cs(const std::string& path, CpuPool& pool) : file_(std::make_shared<const MappedFile>(path)) {
  read_intact(*file_, [&] { read(pool); });
}

void R1cs::read(CpuPool& pool) {
  const BinFile file(file_, kFormat);
  header_ = read_header(file.section(kHeader));
  const Section& section = file.section(kConstraints);
  constraints_ = section.bytes();
  blocks_ = find_blocks(section, header_.constraints);

  with_curve(header_.curve, [&](auto c) {
    using Fr = typename decltype(c)::type::Fr;
    const auto fault = first_of(
        pool, [&](const Constraint& constraint) { return bad_term<Fr>(constraint, header_.wires).has_value(); });
    if (!fault) return;
    const std::byte* at = constraints_.data() + blocks_[*fault / kBlock];
    for (uint64_t i = *fault / kBlock * kBlock; i < *fault; ++i) next(at);
    const auto offset = static_cast<uint64_t>(at - constraints_.data());
    const auto term = bad_term<Fr>(next(at), header_.wires);
    const std::string lead = "constraint " + std::to_string(*fault) + ": ";
    if (term->wire < header_.wires) section.fail(offset, lead + "a coefficient is not below the scalar field's prime");
    section.fail(offset, lead + "found wire " + std::to_string(term->wire) + ", expected below " +
                             std::to_string(header_.wires));
  });
}

std::optional<uint64_t> R1cs::first_violation(CpuPool& pool, const Witness& witness) const {
  require_fit(witness, header_.curve, header_.wires, path());
  return read_intact(*file_, [&] {
    return with_curve(header_.curve, [&](auto c) {
      using Fr = typename decltype(c)::type::Fr;
      return first_of(
          pool, [&](const Constraint& constraint) { return !holds<Fr>(*file_, constraint, witness.values.span()); });
    });
  });
}

}  // namespace cuzk
