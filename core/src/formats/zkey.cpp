#include "formats/bin_file.hpp"
#include "formats/counted.hpp"
#include "formats/domain.hpp"
#include "formats/open_spans.hpp"
#include "formats/points.hpp"
#include "formats/primes.hpp"
#include "formats/read_intact.hpp"
#include "formats/zkey_matrices.hpp"
#include "formats/zkey_sections.hpp"

#include <array>
#include <bit>
#include <utility>

#include <cuzk/arith/subgroup.hpp>
#include <cuzk/error.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {
namespace {

using namespace formats;

using namespace zkey;

constexpr std::array<SectionName, 10> kSections{{{kProtocol, "protocol"},
                                                 {kHeader, "header"},
                                                 {kIc, "IC"},
                                                 {kCoefficients, "coefficients"},
                                                 {kA, "A"},
                                                 {kB1, "B1"},
                                                 {kB2, "B2"},
                                                 {kC, "C"},
                                                 {kH, "H"},
                                                 {kInsecure, "insecure"}}};
constexpr BinFormat kFormat{"zkey", 1, kSections};

void check_protocol(const BinFile& file) {
  SectionReader reader(file.section(kProtocol));
  const uint32_t protocol = reader.u32("protocol");
  if (protocol == 2) reader.fail("found a plonk key, expected groth16");
  if (protocol == 10) reader.fail("found an fflonk key, expected groth16");
  if (protocol != 1) reader.fail("found protocol " + std::to_string(protocol) + ", expected 1 (groth16)");
  reader.expect_end();
}

struct Counts {
  uint64_t variables, publics;
  uint32_t log2_domain;
};

template <class C>
Counts read_counts(SectionReader& reader) {
  const uint64_t variables = reader.u32("number of variables");
  const uint64_t publics = reader.u32("number of public signals");
  if (publics >= variables) {
    reader.fail("found " + counted(publics, "public signal") + " among " + counted(variables, "variable") +
                ", expected fewer than variables");
  }
  const uint32_t domain = reader.u32("domain size");
  if (!std::has_single_bit(domain)) {
    reader.fail("found domain size " + std::to_string(domain) + ", expected a power of two");
  }
  const auto log2 = static_cast<uint32_t>(std::countr_zero(domain));
  constexpr uint32_t kMost = kTwoAdicity<typename C::Fr>;
  if (log2 > kMost) {
    reader.fail("found domain size 2^" + std::to_string(log2) + ", expected at most 2^" + std::to_string(kMost) +
                " on " + std::string(C::kName));
  }
  // Each public signal and the leading one have a row of their own.
  if (publics >= domain) {
    reader.fail("found domain size " + std::to_string(domain) + ", expected more than the " +
                counted(publics, "public signal"));
  }
  return {variables, publics, log2};
}

/// A point of the verification key: valid, in its subgroup, not infinity.
template <class G>
arith::Affine<G> read_key_point(SectionReader& reader, const std::string& what) {
  const auto point = load<arith::Affine<G>>(reader.bytes(sizeof(arith::Affine<G>), what).data());
  if (!is_valid(point)) reader.fail(what + " " + fault_of(point));
  if (point.is_infinity()) reader.fail(what + " is the point at infinity");
  if (!arith::in_subgroup(point)) reader.fail(what + " is not in the subgroup of prime order");
  return point;
}

/// The points of one section.
class SectionPoints final : public PointSource {
 public:
  SectionPoints(std::shared_ptr<const MappedFile> file, std::span<const std::byte> bytes, size_t point_bytes)
      : file_(std::move(file)), bytes_(bytes), point_bytes_(point_bytes) {}

  uint64_t count() const override { return bytes_.size() / point_bytes_; }
  const std::byte* direct() const override { return bytes_.data(); }
  void read(uint64_t first, uint64_t count, std::byte* dst) const override {
    if (first > this->count() || count > this->count() - first) {
      throw Error(ErrorCode::internal, file_->path() + ": points " + std::to_string(first) + " + " +
                                           std::to_string(count) + " asked for, there are " +
                                           std::to_string(this->count()));
    }
    if (count > 0) std::memcpy(dst, bytes_.data() + first * point_bytes_, count * point_bytes_);
  }

 private:
  std::shared_ptr<const MappedFile> file_;
  std::span<const std::byte> bytes_;
  size_t point_bytes_;
};

template <class C>
class ZkeyReader {
 public:
  ZkeyReader(const BinFile& file, CpuPool& pool) : file_(file), pool_(pool) {}

  /// All but the points of the sections, which check_points() looks at. header: at the counts.
  ProvingKey read(SectionReader& header) const {
    const auto [variables, publics, log2] = read_counts<C>(header);
    const uint64_t domain_size = uint64_t{1} << log2;
    check_sizes(variables, publics, domain_size);
    ProvingKey key;
    key.name = file_.path();
    key.insecure = file_.find(kInsecure) != nullptr;
    key.shape.curve = static_cast<Curve>(C::kId);
    key.shape.variables = variables;
    key.shape.publics = publics;
    key.shape.domain = snarkjs_domain<C>(log2);

    VerifyingKeyOf<C> vk;
    BlindingPointsOf<C> blinding;
    vk.alpha1 = read_key_point<G1>(header, "alpha1");
    blinding.beta1 = read_key_point<G1>(header, "beta1");
    vk.beta2 = read_key_point<G2>(header, "beta2");
    vk.gamma2 = read_key_point<G2>(header, "gamma2");
    blinding.delta1 = read_key_point<G1>(header, "delta1");
    vk.delta2 = read_key_point<G2>(header, "delta2");
    header.expect_end();

    const auto ic = file_.section(kIc).bytes();
    vk.ic.resize(publics + 1);
    std::memcpy(vk.ic.data(), ic.data(), ic.size());
    key.verifying_key = std::move(vk);
    key.blinding = blinding;

    set_query<G1>(key, QueryId::h, kH, 0);
    set_query<G1>(key, QueryId::l, kC, publics + 1);
    set_query<G1>(key, QueryId::a, kA, 0);
    set_query<G1>(key, QueryId::b1, kB1, 0);
    set_query<G2>(key, QueryId::b2, kB2, 0);
    key.matrices =
        open_zkey_matrices(pool_, key.shape.curve, file_.file(), file_.section(kCoefficients), variables, domain_size);
    key.files = {file_.file()};
    return key;
  }

  void check_points() const {
    for (const uint32_t id : {kIc, kA, kB1, kC, kH}) formats::check_points<G1>(pool_, *file_.file(), file_.section(id));
    formats::check_points<G2>(pool_, *file_.file(), file_.section(kB2));
  }

 private:
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  /// First, because it touches no point and makes the counts trustworthy.
  void check_sizes(uint64_t variables, uint64_t publics, uint64_t domain_size) const {
    constexpr uint64_t kG1Bytes = sizeof(arith::Affine<G1>), kG2Bytes = sizeof(arith::Affine<G2>);
    file_.section(kIc).expect_items(publics + 1, kG1Bytes);
    file_.section(kCoefficients);
    file_.section(kA).expect_items(variables, kG1Bytes);
    file_.section(kB1).expect_items(variables, kG1Bytes);
    file_.section(kB2).expect_items(variables, kG2Bytes);
    file_.section(kC).expect_items(variables - publics - 1, kG1Bytes);
    file_.section(kH).expect_items(domain_size, kG1Bytes);
  }

  /// Base i meets the witness value (for h: the row) first + i.
  template <class G>
  void set_query(ProvingKey& key, QueryId id, uint32_t section, uint64_t first) const {
    const auto bytes = file_.section(section).bytes();
    auto source = std::make_unique<SectionPoints>(file_.file(), bytes, sizeof(arith::Affine<G>));
    const uint64_t count = source->count();
    const auto slot = static_cast<size_t>(id);
    key.queries[slot] = {std::move(source), first, count, {}, file_.name(section)};
    key.shape.queries[slot] = {count, first, count, false};
  }

  const BinFile& file_;
  CpuPool& pool_;
};

/// services: takes the spans, or null.
std::shared_ptr<const ProvingKey> open(const std::string& path, CpuPool& pool, HostServices* services) {
  OpenSpans spans(services, "open key");
  const auto mapped = std::make_shared<const MappedFile>(path);
  return read_intact(*mapped, [&] {
    const BinFile file(mapped, kFormat);
    check_protocol(file);
    SectionReader header(file.section(kHeader));
    const Curve base = read_base_prime(header);
    const Curve scalar = read_scalar_prime(header);
    if (base != scalar) {
      header.fail("found the base field of " + std::string(name(base)) + " and the scalar field of " +
                  std::string(name(scalar)) + ", expected those of one curve");
    }
    return with_curve(base, [&](auto c) {
      const ZkeyReader<typename decltype(c)::type> reader(file, pool);
      auto key = std::make_shared<const ProvingKey>(reader.read(header));
      spans.add_bytes(mapped->bytes().size());
      spans.next("check points");
      reader.check_points();
      return key;
    });
  });
}

}  // namespace

std::shared_ptr<const ProvingKey> open_zkey(const std::string& path, CpuPool& pool) {
  return open(path, pool, nullptr);
}

std::shared_ptr<const ProvingKey> open_zkey(const std::string& path, HostServices& services) {
  return open(path, services.cpu(), &services);
}

}  // namespace cuzk
