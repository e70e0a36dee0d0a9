#include "oracle.hpp"
#include "support.hpp"

#include <algorithm>

#include <cuzk/formats/r1cs.hpp>
#include <cuzk/formats/wtns.hpp>

namespace cuzk::test {
namespace {

constexpr uint32_t kHeader = 1, kConstraints = 2;

class R1csTest : public FormatsTest {
 protected:
  R1cs open(const std::string& path) { return {path, pool_}; }
  Image multiplier() const { return Image::parse(file("multiplier", "circuit.r1cs")); }
  Witness witness(const std::string& circuit) { return read_wtns(file(circuit, "witness.wtns"), pool_, host_); }
  void refuses(const Damage& damage) {
    expect_damage_refused(multiplier(), damage, [&](const std::string& path) { open(path); });
  }
};
INSTANTIATE_TEST_SUITE_P(Curves, R1csTest, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

TEST_P(R1csTest, GivesTheHeaderOfEveryCircuit) {
  struct Expected {
    const char* circuit;
    uint32_t constraints, wires, outputs, public_inputs, private_inputs;
  };
  for (const auto& e : {Expected{"multiplier", 1, 4, 1, 0, 2}, Expected{"nopublic", 2, 5, 0, 0, 3},
                        Expected{"multipublic", 230, 236, 4, 5, 3}}) {
    const R1cs r1cs = open(file(e.circuit, "circuit.r1cs"));
    const R1cs::Header& header = r1cs.header();
    EXPECT_EQ(header.curve, curve());
    EXPECT_EQ(header.constraints, e.constraints) << e.circuit;
    EXPECT_EQ(header.wires, e.wires) << e.circuit;
    EXPECT_EQ(header.outputs, e.outputs) << e.circuit;
    EXPECT_EQ(header.public_inputs, e.public_inputs) << e.circuit;
    EXPECT_EQ(header.private_inputs, e.private_inputs) << e.circuit;
    uint64_t visited = 0;
    r1cs.for_each([&](uint64_t i, const Constraint&) { EXPECT_EQ(i, visited++); });
    EXPECT_EQ(visited, e.constraints) << e.circuit;
  }
}

TEST_P(R1csTest, AcceptsTheWitnessesOfItsCircuit) {
  for (const char* circuit : {"multiplier", "nopublic", "multipublic"}) {
    EXPECT_EQ(open(file(circuit, "circuit.r1cs")).first_violation(pool_, witness(circuit)), std::nullopt) << circuit;
  }
}

// The first violation as plain integers find it, for each wire changed in turn.
TEST_P(R1csTest, NamesTheFirstViolatedConstraint) {
  const Int r = scalar_prime(curve());
  const R1cs r1cs = open(file("multipublic", "circuit.r1cs"));
  Witness changed = witness("multipublic");
  for (uint64_t wire = 1; wire < changed.values.size(); wire += 3) {
    cuzk_fr& value = changed.values.data()[wire];
    const cuzk_fr before = value;
    value = {{wire, 1, 2, 3}};
    const auto sum = [&](const LinearCombination& terms) {
      Int total;
      for (uint32_t i = 0; i < terms.size(); ++i) {
        total += to_int(terms[i].coefficient) * to_int(changed.values.data()[terms[i].wire]);
      }
      return total;
    };
    std::optional<uint64_t> expected;
    r1cs.for_each([&](uint64_t i, const Constraint& c) {
      if (!expected && (sum(c.a) * sum(c.b) - sum(c.c)) % r != 0) expected = i;
    });
    EXPECT_EQ(r1cs.first_violation(pool_, changed), expected) << "wire " << wire;
    value = before;
  }
}

// More constraints than one block: x * x = x for all, and one that differs.
TEST_P(R1csTest, FindsViolationsInAnyBlock) {
  Image image = multiplier();
  constexpr uint32_t kCount = 5'000;
  const auto append_square = [](Bytes& bytes, uint32_t product) {
    for (const uint32_t wire : {1U, 1U, product}) {
      append_u32(bytes, 1);
      append_u32(bytes, wire);
      for (int i = 0; i < 8; ++i) append_u32(bytes, i == 0 ? 1 : 0);
    }
  };
  Witness values = witness("multiplier");
  values.values.data()[1] = values.values.data()[0];  // one, so that only wire 2 differs
  put_u32(image[kHeader], 60, kCount);
  for (const uint32_t violated : {0U, 1U, 1'023U, 1'024U, 3'333U, kCount - 1}) {
    Bytes& bytes = image[kConstraints];
    bytes.clear();
    for (uint32_t i = 0; i < kCount; ++i) append_square(bytes, i >= violated && i % 3 == violated % 3 ? 2 : 1);
    const R1cs r1cs = open(scratch_.write("many.r1cs", image.serialize()));
    EXPECT_EQ(r1cs.first_violation(pool_, values), violated);
  }
}

TEST_P(R1csTest, RefusesWitnessesOfOtherCircuitsAndCurves) {
  const R1cs r1cs = open(file("multiplier", "circuit.r1cs"));
  const Witness other = witness("nopublic");
  expect_bad_input([&] { (void)r1cs.first_violation(pool_, other); }, other.name, "expected 4 for");
  const Curve other_curve = curve() == Curve::bn254 ? Curve::bls12_381 : Curve::bn254;
  const Witness foreign = read_wtns(circuit_file(other_curve, "multiplier", "witness.wtns"), pool_, host_);
  expect_bad_input([&] { (void)r1cs.first_violation(pool_, foreign); }, foreign.name, r1cs.path());
}

TEST_P(R1csTest, TakesSectionsInAnyOrderAndSkipsUnknownOnes) {
  Image image = multiplier();
  std::reverse(image.sections.begin(), image.sections.end());
  image.remove(3);
  image.sections.insert(image.sections.begin(), {777, Bytes(13)});
  EXPECT_EQ(open(scratch_.write("reversed.r1cs", image.serialize())).header().wires, 4U);
}

TEST_P(R1csTest, RefusesDamagedFiles) {
  const auto header = [](size_t at, uint32_t value) { return [=](Image& i) { put_u32(i[kHeader], at, value); }; };
  const auto constraint = [](size_t at, uint32_t value) {
    return [=](Image& i) { put_u32(i[kConstraints], at, value); };
  };
  refuses({"magic", [](Image& i) { i.magic = "r1cx"; }, "found magic \"r1cx\", expected \"r1cs\""});
  refuses({"version", [](Image& i) { i.version = 2; }, "found version 2, expected 1"});
  refuses({"header missing", [](Image& i) { i.remove(kHeader); }, "section 1 (header) is missing"});
  refuses({"constraints missing", [](Image& i) { i.remove(kConstraints); }, "section 2 (constraints) is missing"});
  refuses({"constraints twice", [](Image& i) { i.sections.push_back({2, i[2]}); }, "found a second time"});
  refuses({"no bytes", header(0, 0), "found elements of 0 bytes, expected 32"});
  refuses({"prime", [](Image& i) { i[kHeader][4] ^= 2; }, "a prime of no known curve"});
  refuses({"no wires", header(36, 0), "found 0 wires, expected at least 4"});
  refuses({"outputs", header(40, UINT32_MAX), "found 4 wires, expected at least 4294967298"});
  refuses({"public inputs", header(44, 1'000), "found 4 wires, expected at least 1004"});
  refuses({"private inputs", header(48, 3), "found 4 wires, expected at least 5"});
  refuses({"too many constraints", header(60, UINT32_MAX), "constraint 1 of 4294967295, A"});
  refuses({"no constraints", header(60, 0), "found 120 bytes, expected the section's end"});
  refuses({"header long", [](Image& i) { i[kHeader].push_back(0); }, "expected the section's end"});
  refuses({"terms", constraint(0, UINT32_MAX), "constraint 0 of 1, A: found 4294967295 terms, expected at most 3"});
  refuses({"one term more", constraint(80, 2), "constraint 0 of 1, C: found 2 terms, expected at most 1"});
  refuses({"one term less", constraint(80, 0), "found 36 bytes, expected the section's end"});
  refuses({"wire", constraint(4, 4), "constraint 0: found wire 4, expected below 4"});
  refuses({"wire of C", constraint(84, UINT32_MAX), "constraint 0: found wire 4294967295, expected below 4"});
  refuses({"coefficient",
           [](Image& i) { std::fill_n(i[kConstraints].begin() + 48, 32, static_cast<unsigned char>(255)); },
           "constraint 0: a coefficient is not below"});
}

}  // namespace
}  // namespace cuzk::test
