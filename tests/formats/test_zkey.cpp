#include "formats/domain.hpp"
#include "oracle.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstring>

#include <cuzk/arith/curves.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk::test {
namespace {

constexpr uint32_t kHeader = 2, kIc = 3, kCoefficients = 4, kA = 5, kB1 = 6, kB2 = 7, kC = 8, kH = 9;

class ZkeyTest : public FormatsTest {
 protected:
  std::shared_ptr<const ProvingKey> open(const std::string& path) { return open_zkey(path, pool_); }
  Image multiplier() const { return Image::parse(file("multiplier", "circuit.zkey")); }
  /// Offsets in the header section.
  size_t r_at() const { return 4 + fp(); }
  size_t counts_at() const { return r_at() + 4 + kFrBytes; }
  size_t alpha1_at() const { return counts_at() + 12; }
  size_t beta2_at() const { return alpha1_at() + 2 * g1(); }
  size_t delta1_at() const { return beta2_at() + 2 * g2(); }
  void refuses(const Damage& damage) {
    expect_damage_refused(multiplier(), damage, [&](const std::string& path) { open(path); });
  }
};
INSTANTIATE_TEST_SUITE_P(Curves, ZkeyTest, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

TEST_P(ZkeyTest, GivesTheShapeOfEveryCircuit) {
  struct Expected {
    std::string circuit;
    uint64_t wires, publics;
    uint32_t log2_domain;
  };
  for (const auto& [circuit, wires, publics, log2] : std::vector<Expected>{{"multiplier", 4, 1, 2},
                                                                           {"nopublic", 5, 0, 2},
                                                                           {"poseidon2", 243, 1, 8},
                                                                           {"multipublic", 236, 9, 8},
                                                                           {"multipublic_O0", 259, 9, 9}}) {
    SCOPED_TRACE(circuit);
    const auto key = open(file(circuit, "circuit.zkey"));
    EXPECT_EQ(key->name, file(circuit, "circuit.zkey"));
    EXPECT_EQ(key->shape.curve, curve());
    EXPECT_EQ(key->shape.variables, wires);
    EXPECT_EQ(key->shape.publics, publics);
    EXPECT_EQ(key->shape.domain.curve, static_cast<uint32_t>(curve()));
    EXPECT_EQ(key->shape.domain.log2_size, log2);
    const std::array<std::array<uint64_t, 2>, kQueries> ranges{
        {{0, uint64_t{1} << log2}, {publics + 1, wires - publics - 1}, {0, wires}, {0, wires}, {0, wires}}};
    for (size_t i = 0; i < kQueries; ++i) {
      EXPECT_EQ(key->queries[i].first, ranges[i][0]);
      EXPECT_EQ(key->queries[i].span, ranges[i][1]);
      EXPECT_EQ(key->queries[i].points->count(), ranges[i][1]);
      EXPECT_TRUE(key->queries[i].select.empty());
      EXPECT_EQ(key->shape.queries[i].count, ranges[i][1]);
      EXPECT_EQ(key->shape.queries[i].first, ranges[i][0]);
      EXPECT_EQ(key->shape.queries[i].span, ranges[i][1]);
      EXPECT_FALSE(key->shape.queries[i].selects);
    }
  }
}

// Roots as snarkjs prints them.
TEST_P(ZkeyTest, GivesTheDomainThatSnarkjsUses) {
  const bool bn = curve() == Curve::bn254;
  const cuzk_domain domain = open(file("multiplier", "circuit.zkey"))->shape.domain;
  EXPECT_EQ(domain.h_basis, static_cast<uint32_t>(CUZK_H_COSET_LAGRANGE));
  EXPECT_EQ(from_montgomery(domain.omega, curve()),
            bn ? Int("21888242871839275217838484774961031246007050428528088939761107053157389710902")
               : Int("3465144826073652318776269530687742778270252468765361963008"));
  EXPECT_EQ(from_montgomery(domain.shift, curve()),
            bn ? Int("19540430494807482326159819597004422086093766032135589407132600596362845576832")
               : Int("28761180743467419819834788392525162889723178799021384024940474588120723734663"));
  EXPECT_EQ(from_montgomery(domain.z_inverse, curve()), 1);
}

TEST(Domain, TakesTheShift25WhereTheFieldHasNoRootOfTheDoubledDomain) {
  const cuzk_domain domain = formats::snarkjs_domain<arith::Bn254>(28);
  EXPECT_EQ(from_montgomery(domain.omega, Curve::bn254),
            Int("19103219067921713944291392827692070036145651957329286315305642004821462161904"));
  EXPECT_EQ(from_montgomery(domain.shift, Curve::bn254), 25);
  EXPECT_EQ(from_montgomery(formats::snarkjs_domain<arith::Bls12381>(32).omega, Curve::bls12_381),
            Int("937917089079007706106976984802249742464848817460758522850752807661925904159"));
}

TEST_P(ZkeyTest, HoldsTheVerificationKeyThatSnarkjsExports) {
  for (const char* circuit : {"multiplier", "nopublic", "multipublic"}) {
    const auto key = open(file(circuit, "circuit.zkey"));
    EXPECT_EQ(verification_key_json(key->verifying_key), read_text(file(circuit, "verification_key.json"))) << circuit;
  }
}

TEST_P(ZkeyTest, GivesPointsAsTheyLie) {
  const std::string path = file("multipublic", "circuit.zkey");
  Image image = Image::parse(path);
  const auto key = open(path);
  const std::array<uint32_t, kQueries> sections{kH, kC, kA, kB1, kB2};
  for (size_t i = 0; i < kQueries; ++i) {
    const PointSource& points = *key->queries[i].points;
    const Bytes& expected = image[sections[i]];
    const size_t bytes = i == static_cast<size_t>(QueryId::b2) ? g2() : g1();
    ASSERT_EQ(points.count() * bytes, expected.size());
    EXPECT_EQ(std::memcmp(points.direct(), expected.data(), expected.size()), 0);
    std::vector<std::byte> some(3 * bytes);
    points.read(5, 3, some.data());
    EXPECT_EQ(std::memcmp(some.data(), &expected[5 * bytes], some.size()), 0);
    points.read(points.count(), 0, nullptr);
    EXPECT_ANY_THROW(points.read(points.count() - 1, 2, some.data()));
    EXPECT_ANY_THROW(points.read(UINT64_MAX, 2, some.data()));
  }
}

TEST_P(ZkeyTest, TakesSectionsInAnyOrderAndSkipsUnknownOnes) {
  Image image = multiplier();
  std::reverse(image.sections.begin(), image.sections.end());
  image.remove(10);
  image.sections.insert(image.sections.begin() + 3, {777, Bytes(13)});
  image.sections.push_back({777, Bytes(5)});
  EXPECT_EQ(open(scratch_.write("reversed.zkey", image.serialize()))->shape.variables, 4U);
}

TEST_P(ZkeyTest, AcceptsInfinityAmongTheQueriesAndIc) {
  Image image = multiplier();
  for (const uint32_t id : {kIc, kA, kB1, kB2, kC, kH})
    std::fill(image[id].begin(), image[id].end(), static_cast<unsigned char>(0));
  EXPECT_EQ(open(scratch_.write("infinity.zkey", image.serialize()))->query(QueryId::h).points->count(), 4U);
}

TEST_P(ZkeyTest, ShowsOpeningAndCheckingApart) {
  HostServices services(2);
  const std::string path = file("poseidon2", "circuit.zkey");
  EXPECT_EQ(open_zkey(path, services)->name, path);
  const std::vector<Event> events = services.timeline().take();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].name, "open key");
  EXPECT_EQ(events[0].bytes, read_text(path).size());
  EXPECT_EQ(events[1].name, "check points");
  EXPECT_LE(events[0].end_ns, events[1].begin_ns);
}

TEST_P(ZkeyTest, RefusesKeysOfOtherProtocolsByName) {
  refuses({"plonk", [](Image& i) { put_u32(i[1], 0, 2); }, "section 1 (protocol), offset 24: found a plonk key"});
  refuses({"fflonk", [](Image& i) { put_u32(i[1], 0, 10); }, "found an fflonk key, expected groth16"});
  refuses({"unknown", [](Image& i) { put_u32(i[1], 0, 3); }, "found protocol 3, expected 1 (groth16)"});
  refuses({"another file", [&](Image& i) { i = Image::parse(file("multiplier", "circuit.r1cs")); },
           "found magic \"r1cs\", expected \"zkey\""});
}

TEST_P(ZkeyTest, RefusesDamagedContainers) {
  refuses({"version", [](Image& i) { i.version = 99; }, "offset 4: found version 99, expected 1"});
  for (const uint32_t id : {1U, kHeader, kIc, kCoefficients, kA, kB1, kB2, kC, kH}) {
    const std::string start = "section " + std::to_string(id) + " (";
    refuses({"missing", [&](Image& i) { i.remove(id); }, start});
    refuses({"missing", [&](Image& i) { i.remove(id); }, ") is missing"});
    refuses({"twice", [&](Image& i) { i.sections.push_back({id, i[id]}); }, "found a second time, expected once"});
    refuses({"one byte short", [&](Image& i) { i[id].pop_back(); }, start});
    refuses({"one byte long", [&](Image& i) { i[id].push_back(0); }, start});
    refuses({"empty", [&](Image& i) { i[id].clear(); }, start});
  }
}

TEST_P(ZkeyTest, RefusesSectionLengthsBeyondTheFile) {
  const Bytes good = multiplier().serialize();
  // Section 1 begins at 12, section 2 at 28; their lengths stand 4 bytes further.
  for (const size_t at : {16U, 32U}) {
    for (const uint64_t length :
         {UINT64_MAX, UINT64_MAX - 11, UINT64_MAX - 31, uint64_t{1} << 63, good.size() - at - 7}) {
      Bytes bytes = good;
      std::memcpy(&bytes[at], &length, sizeof length);
      const std::string path = scratch_.write("length.zkey", bytes);
      expect_bad_input([&] { open(path); }, path, "before the file's end, expected " + std::to_string(length));
    }
  }
  Bytes bytes = good;
  for (const auto& [count, part] : std::vector<std::pair<uint32_t, std::string>>{
           {1024, "found 0 bytes, expected the header of section 11 of 1024"},
           {1025, "offset 8: found 1025 sections, expected at most 1024"},
           {UINT32_MAX, "offset 8: found 4294967295 sections, expected at most 1024"}}) {
    put_u32(bytes, 8, count);
    const std::string path = scratch_.write("count.zkey", bytes);
    expect_bad_input([&] { open(path); }, path, part);
  }
}

TEST_P(ZkeyTest, RefusesDamagedHeaders) {
  const size_t counts = counts_at();
  const auto set = [](size_t at, uint32_t value) { return [=](Image& i) { put_u32(i[kHeader], at, value); }; };
  refuses({"q of no bytes", set(0, 0), "base field: found elements of 0 bytes, expected 32 (bn254) or 48"});
  refuses(
      {"q of another length", set(0, static_cast<uint32_t>(80 - fp())), "base field: found a prime of no known curve"});
  refuses({"q changed", [](Image& i) { i[kHeader][4] ^= 2; }, "base field: found a prime of no known curve"});
  refuses(
      {"r of 2^32-1 bytes", set(r_at(), UINT32_MAX), "scalar field: found elements of 4294967295 bytes, expected 32"});
  refuses(
      {"r changed", [&](Image& i) { i[kHeader][r_at() + 9] ^= 2; }, "scalar field: found a prime of no known curve"});
  refuses({"r of the other curve",
           [&](Image& i) {
             const Curve other = curve() == Curve::bn254 ? Curve::bls12_381 : Curve::bn254;
             export_bits(scalar_prime(other), i[kHeader].begin() + static_cast<std::ptrdiff_t>(r_at() + 4), 8, false);
           },
           "expected those of one curve"});
  refuses({"5 variables", set(counts, 5), "section 5 (A)"});
  refuses({"2^32-1 variables", set(counts, UINT32_MAX), "expected 4294967295 x"});
  refuses({"no variables", set(counts, 0), "expected fewer than variables"});
  refuses({"no public signals", set(counts + 4, 0), "section 3 (IC)"});
  refuses({"4 public signals", set(counts + 4, 4), "found 4 public signals among 4 variables"});
  refuses({"2^32-1 public signals", set(counts + 4, UINT32_MAX), "found 4294967295 public signals among 4"});
  refuses({"domain 0", set(counts + 8, 0), "found domain size 0, expected a power of two"});
  refuses({"domain 3", set(counts + 8, 3), "found domain size 3, expected a power of two"});
  refuses({"domain 1", set(counts + 8, 1), "found domain size 1, expected more than the 1 public signal"});
  refuses({"domain 8", set(counts + 8, 8), "section 9 (H)"});
  refuses({"domain 2^31", set(counts + 8, 1U << 31),
           curve() == Curve::bn254 ? "found domain size 2^31, expected at most 2^28 on bn254" : "section 9 (H)"});
}

TEST_P(ZkeyTest, RefusesBadPointsOfTheVerificationKey) {
  const std::vector<std::pair<std::string, size_t>> points{{"alpha1", alpha1_at()}, {"beta1", alpha1_at() + g1()},
                                                           {"beta2", beta2_at()},   {"gamma2", beta2_at() + g2()},
                                                           {"delta1", delta1_at()}, {"delta2", delta1_at() + g1()}};
  for (const auto& [name, at] : points) {
    const size_t bytes = name.back() == '2' ? g2() : g1();
    const auto fill = [&, start = at](unsigned char value) {
      return [=](Image& i) { std::fill_n(i[kHeader].begin() + static_cast<std::ptrdiff_t>(start), bytes, value); };
    };
    refuses({"off the curve", [&, start = at](Image& i) { i[kHeader][start + bytes - 20] ^= 1; },
             (name + " is not on the curve")});
    refuses({"infinity", fill(0), (name + " is the point at infinity")});
    refuses({"all ones", fill(255), (name + " has a coordinate that is not below")});
  }
}

TEST_P(ZkeyTest, NamesTheFirstBadPointOfASection) {
  const std::string path = file("poseidon2", "circuit.zkey");
  for (const uint32_t id : {kIc, kA, kB1, kB2, kC, kH}) {
    Image image = Image::parse(path);
    const size_t bytes = id == kB2 ? g2() : g1();
    const size_t last = image[id].size() / bytes - 1;
    const std::string section = "section " + std::to_string(id) + " (";
    std::fill_n(image[id].end() - static_cast<std::ptrdiff_t>(bytes), bytes, static_cast<unsigned char>(255));
    const auto refused = [&](const std::string& part) {
      const std::string bad = scratch_.write("bad.zkey", image.serialize());
      expect_bad_input([&] { open(bad); }, bad, part);
      expect_bad_input([&] { open(bad); }, bad, section);
    };
    refused("point " + std::to_string(last) + " has a coordinate that is not below");
    image[id][bytes / 2] ^= 1;  // y of point 0, which is infinity or becomes another
    refused("point 0 is not on the curve");
  }
}

TEST_P(ZkeyTest, RefusesCoordinatesNotReduced) {
  Image image = multiplier();
  const size_t bytes = fp();
  size_t at = 0;
  while (to_int(&image[kA][at], bytes) == 0) at += g1();
  const Int alias = to_int(&image[kA][at], bytes) + base_prime(curve());
  std::fill_n(image[kA].begin() + static_cast<std::ptrdiff_t>(at), bytes, static_cast<unsigned char>(0));
  export_bits(alias, image[kA].begin() + static_cast<std::ptrdiff_t>(at), 8, false);
  const std::string path = scratch_.write("alias.zkey", image.serialize());
  expect_bad_input([&] { open(path); }, path, "has a coordinate that is not below");
}

TEST_P(ZkeyTest, RefusesBadCoefficients) {
  const auto set = [](size_t at, uint32_t value) {
    return [=](Image& i) { put_u32(i[kCoefficients], 4 + 44 * 1 + at, value); };  // of entry 1
  };
  refuses({"matrix C", set(0, 2), "coefficient 1: found matrix 2, expected below 2"});
  refuses({"constraint", set(4, 4), "coefficient 1: found constraint 4, expected below 4"});
  refuses({"constraint", set(4, UINT32_MAX), "coefficient 1: found constraint 4294967295, expected below 4"});
  refuses({"wire", set(8, 4), "coefficient 1: found wire 4, expected below 4"});
  refuses({"value", [](Image& i) { std::fill_n(i[kCoefficients].begin() + 60, 32, static_cast<unsigned char>(255)); },
           "coefficient 1: its value is not below the scalar field's prime"});
  refuses({"count 2^32-1", [](Image& i) { put_u32(i[kCoefficients], 0, UINT32_MAX); }, "expected 4 + 4294967295 x 44"});
  refuses(
      {"count one less", [](Image& i) { put_u32(i[kCoefficients], 0, 3); }, "found 180 bytes, expected 4 + 3 x 44"});
}

}  // namespace
}  // namespace cuzk::test
