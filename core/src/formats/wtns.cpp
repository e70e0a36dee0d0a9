#include "formats/bin_file.hpp"
#include "formats/bytes.hpp"
#include "formats/counted.hpp"
#include "formats/first_failure.hpp"
#include "formats/primes.hpp"
#include "formats/read_intact.hpp"

#include <array>

#include <cuzk/error.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/groth16/proof.hpp>

namespace cuzk {
namespace {

using namespace formats;

constexpr uint32_t kHeader = 1, kValues = 2;
constexpr std::array<SectionName, 2> kSections{{{kHeader, "header"}, {kValues, "values"}}};
constexpr BinFormat kFormat{"wtns", 2, kSections};
constexpr uint64_t kGrain = 4096;

template <class Fr>
std::optional<uint64_t> copy_values(CpuPool& pool, const Section& section, std::span<cuzk_fr> values) {
  const std::byte* source = section.bytes().data();
  return first_failure(pool, values.size(), kGrain, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      const auto value = load<typename Fr::Limbs>(source + i * sizeof(cuzk_fr));
      if (!Fr::is_reduced(value)) return i;
      std::memcpy(&values[i], &value, sizeof value);
    }
    return end;
  });
}

Witness read(const BinFile& file, CpuPool& pool, HostPool& host, const ProvingKey* key) {
  SectionReader header(file.section(kHeader));
  const Curve curve = read_scalar_prime(header);
  if (key != nullptr && curve != key->shape.curve) {
    header.fail("found a witness on " + std::string(name(curve)) + ", expected " + std::string(name(key->shape.curve)) +
                " for " + key->name);
  }
  const uint64_t count = header.u32("number of values");
  if (count == 0) header.fail("found no values, expected at least the leading one");
  if (key != nullptr && count != key->shape.variables) {
    header.fail("found " + counted(count, "value") + ", expected " + std::to_string(key->shape.variables) + " for " +
                key->name);
  }
  header.expect_end();

  const Section& section = file.section(kValues);
  section.expect_items(count, sizeof(cuzk_fr));
  Witness witness{file.path(), curve, FrVector(host, count, "witness " + file.path())};
  const auto fault = with_curve(
      curve, [&](auto c) { return copy_values<typename decltype(c)::type::Fr>(pool, section, witness.values.span()); });
  if (fault) {
    section.fail(*fault * sizeof(cuzk_fr), "value " + std::to_string(*fault) +
                                               " is not below the scalar field's prime (" + std::string(name(curve)) +
                                               ")");
  }
  const auto& [l0, l1, l2, l3] = witness.values.data()[0].limb;
  if (l0 != 1 || (l1 | l2 | l3) != 0) section.fail(0, "value 0 is not one");
  return witness;
}

}  // namespace

Witness read_wtns(const std::string& path, CpuPool& pool, HostPool& host, const ProvingKey* key) {
  const auto file = std::make_shared<const MappedFile>(path);
  return read_intact(*file, [&] { return read(BinFile(file, kFormat), pool, host, key); });
}

}  // namespace cuzk
