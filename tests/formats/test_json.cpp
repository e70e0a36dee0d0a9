#include "formats/decimal.hpp"
#include "oracle.hpp"
#include "support.hpp"

#include <nlohmann/json.hpp>
#include <random>

#include <cuzk/formats/json.hpp>

namespace cuzk::test {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> kCircuits{"multiplier", "nopublic", "poseidon2", "multipublic", "multipublic_O0"};

class JsonTest : public FormatsTest {
 protected:
  Json proof() const { return Json::parse(read_text(file("multiplier", "proof.json"))); }
  Json key() const { return Json::parse(read_text(file("multiplier", "verification_key.json"))); }
  void refuses_proof_text(const std::string& text, const std::string& part) {
    const std::string path = scratch_.write("proof.json", text);
    expect_bad_input([&] { read_proof(path); }, path, part);
  }
  void refuses_proof(const std::function<void(Json&)>& damage, const std::string& part) {
    Json json = proof();
    damage(json);
    refuses_proof_text(json.dump(), part);
  }
  void refuses_key(const std::function<void(Json&)>& damage, const std::string& part) {
    Json json = key();
    damage(json);
    const std::string path = scratch_.write("verification_key.json", json.dump());
    expect_bad_input([&] { read_verification_key(path); }, path, part);
  }
  void refuses_public(const std::string& text, const std::string& part) {
    const std::string path = scratch_.write("public.json", text);
    expect_bad_input([&] { read_public(path, curve()); }, path, part);
  }
  /// A coordinate's alias, the same residue.
  std::string plus_q(const Json& coordinate) const {
    return Int(Int(coordinate.get<std::string>()) + base_prime(curve())).str();
  }
};
INSTANTIATE_TEST_SUITE_P(Curves, JsonTest, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

TEST_P(JsonTest, WritesTheBytesOfSnarkjs) {
  for (const std::string& circuit : kCircuits) {
    SCOPED_TRACE(circuit);
    const Proof proof = read_proof(file(circuit, "proof.json"));
    EXPECT_EQ(curve_of(proof), curve());
    EXPECT_EQ(proof_json(proof), read_text(file(circuit, "proof.json")));
    const VerifyingKey key = read_verification_key(file(circuit, "verification_key.json"));
    EXPECT_EQ(curve_of(key), curve());
    EXPECT_EQ(verification_key_json(key), read_text(file(circuit, "verification_key.json")));
    EXPECT_EQ(public_json(read_public(file(circuit, "public.json"), curve())), read_text(file(circuit, "public.json")));
  }
}

TEST_P(JsonTest, ReadsAndWritesInfinity) {
  Json json = proof();
  json["pi_a"] = {"0", "1", "0"};
  json["pi_b"] = Json::parse(R"([["0", "0"], ["1", "0"], ["0", "0"]])");
  const Proof read = read_proof(scratch_.write("infinity.json", json.dump()));
  std::visit([](const auto& p) { EXPECT_TRUE(p.a.is_infinity() && p.b.is_infinity() && !p.c.is_infinity()); }, read);
  EXPECT_EQ(Json::parse(proof_json(read)), json);
}

TEST_P(JsonTest, ReadsPublicSignals) {
  const Int most = scalar_prime(curve()) - 1;
  const PublicSignals signals =
      read_public(scratch_.write("public.json", "[\"0\",\"1\",\"" + most.str() + "\"]"), curve());
  ASSERT_EQ(signals.size(), 3U);
  EXPECT_EQ(to_int(signals[0]), 0);
  EXPECT_EQ(to_int(signals[1]), 1);
  EXPECT_EQ(to_int(signals[2]), most);
  EXPECT_TRUE(read_public(scratch_.write("empty.json", std::string("[]")), curve()).empty());
}

TEST_P(JsonTest, RefusesPublicSignalsThatAreNoCanonicalNumbers) {
  const Int r = scalar_prime(curve());
  for (const std::string& text :
       {r.str(), Int(r + 5).str(), Int((Int(1) << 256) + 1).str(), std::string("-1"), std::string("+1"),
        std::string("0x10"), std::string(""), std::string(" 1"), std::string("1 "), std::string("01"),
        std::string("1e3"), std::string("1.0"), std::string("banana"), std::string(100'000, '9')}) {
    refuses_public(Json{"7", text}.dump(), "[1]: expected decimal digits of a value below the scalar field's prime (" +
                                               std::string(name(curve())) + ")");
  }
  refuses_public("[1]", "[0]: found number, expected a string");
  refuses_public("[null]", "[0]: found null, expected a string");
  refuses_public("{}", "found object, expected an array");
  refuses_public("\"1\"", "found string, expected an array");
}

TEST_P(JsonTest, RefusesWhatIsNoJson) {
  const std::string good = proof().dump();
  refuses_proof_text("", "the file is empty");
  refuses_proof_text(" ", "no JSON");
  refuses_proof_text(good.substr(0, good.size() - 1), "no JSON: found the file's end after " +
                                                          std::to_string(good.size() - 1) + " bytes, expected more");
  refuses_proof_text(good + "x", "no JSON: syntax error at byte");
  refuses_proof_text("{\"a\":" + std::string(200'000, '['), "nested more than 8 levels deep");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  refuses_proof_text(deep, "nested more than 8 levels deep");
  refuses_proof_text("{\"a\":1e999999}", "no JSON: a number is out of range");
  refuses_proof_text("{\"protocol\":\"groth16\",\"protocol\":\"groth16\"}", "\"protocol\": found a second time");
  refuses_proof_text(R"({"a\nb\u00e4":1,"a\nb\u00e4":2})", "\"a?b??\": found a second time");
  refuses_proof_text(R"({"protocol":"two\nlines"})", "protocol: found \"two?lines\", expected groth16");
  refuses_proof_text("{\"\xff\":1}", "no JSON");
  refuses_proof_text("[]", "found array, expected an object");
  refuses_proof_text("[" + std::string(500'000, '['), "found array, expected an object");
  std::string names = "{\"a\":{";
  for (int i = 0; i < 300; ++i) names += "\"" + std::to_string(i) + "\":0,";
  refuses_proof_text(names, "found more than 256 names of members");
  refuses_proof_text("{}", "protocol is missing");
}

// The parser takes a zero byte for the end of its input; nothing may hide behind one, nor inside.
TEST_P(JsonTest, RefusesZeroBytesAnywhere) {
  const std::string garbage("\0junk", 5), zero(1, '\0');
  for (const char* name : {"proof.json", "verification_key.json", "public.json"}) {
    const std::string text = read_text(file("multiplier", name));
    for (const std::string& damaged :
         {text + garbage, text + zero, zero + text, text + "\n" + garbage, text.substr(0, 9) + zero + text.substr(9)}) {
      const std::string path = scratch_.write(name, damaged);
      expect_bad_input(
          [&] {
            if (std::string(name) == "proof.json") {
              read_proof(path);
            } else if (std::string(name) == "public.json") {
              read_public(path, curve());
            } else {
              read_verification_key(path);
            }
          },
          path, "no JSON: found a zero byte at offset");
    }
  }
}

TEST_P(JsonTest, ComparesTheCountOfSignalsWithTheKeys) {
  const SignalCount one{1, "vk.json"};
  EXPECT_EQ(read_public(scratch_.write("one.json", std::string("[\"7\"]")), curve(), one).size(), 1U);
  const auto refused = [&](const std::string& text, const std::string& part) {
    const std::string path = scratch_.write("public.json", text);
    expect_bad_input([&] { read_public(path, curve(), one); }, path, part);
  };
  refused("[]", "found 0 public signals, expected 1 for vk.json");
  refused("[\"7\", \"8\"]", "found 2 public signals, expected 1 for vk.json");
  refused("[\"7\"" + std::string(1'000'000, ' ') + "]", "found 1000005 bytes, expected at most ");
  // As many as there are, as long as they can be, indented.
  const std::string longest = (scalar_prime(curve()) - 1).str();
  Json many = Json::array();
  for (int i = 0; i < 1000; ++i) many.push_back(longest);
  const std::string path = scratch_.write("many.json", many.dump(32));
  EXPECT_EQ(read_public(path, curve(), SignalCount{1000, "vk.json"}).size(), 1000U);
}

TEST_P(JsonTest, RefusesProofsLargerThanAnyNeeds) {
  refuses_proof_text(proof().dump() + std::string(1 << 20, ' '), "bytes, expected at most 1048576");
}

TEST_P(JsonTest, RefusesDamagedProofs) {
  for (const char* name : {"pi_a", "pi_b", "pi_c"}) {
    refuses_proof([&](Json& j) { j.erase(name); }, std::string(name) + " is missing");
    refuses_proof([&](Json& j) { j[name] = "1"; }, std::string(name) + ": found string, expected an array");
    refuses_proof([&](Json& j) { j[name].erase(2); }, std::string(name) + ": found 2 elements, expected 3");
    refuses_proof([&](Json& j) { j[name] = {"1"}; }, std::string(name) + ": found 1 element, expected 3");
    refuses_proof([&](Json& j) { j[name].push_back("1"); }, std::string(name) + ": found 4 elements, expected 3");
  }
  refuses_proof([](Json& j) { j["pi_a"][0] = "banana"; }, "pi_a[0]: expected decimal digits");
  refuses_proof([](Json& j) { j["pi_a"][0] = std::string(100'000, '1'); }, "pi_a[0]: expected decimal digits");
  refuses_proof([](Json& j) { j["pi_a"][2] = 1; }, "pi_a[2]: found number, expected a string");
  refuses_proof([&](Json& j) { j["pi_a"][0] = plus_q(j["pi_a"][0]); }, "pi_a[0]: expected decimal digits");
  refuses_proof([&](Json& j) { j["pi_b"][1][1] = plus_q(j["pi_b"][1][1]); }, "pi_b[1][1]: expected decimal digits");
  refuses_proof([](Json& j) { j["pi_b"][1].push_back("0"); }, "pi_b[1]: found 3 elements, expected 2");
  refuses_proof([](Json& j) { j["pi_b"][0] = "1"; }, "pi_b[0]: found string, expected an array");
  refuses_proof([](Json& j) { j["pi_a"][0] = "3"; }, "pi_a: the point is not on the curve");
  refuses_proof([](Json& j) { std::swap(j["pi_b"][0][0], j["pi_b"][0][1]); }, "pi_b: the point is not on the curve");
  refuses_proof([](Json& j) { j["pi_a"] = {"0", "0", "1"}; }, "pi_a: the point is not on the curve");
  refuses_proof([](Json& j) { j["pi_a"][2] = "5"; }, "pi_a: expected an affine point");
  refuses_proof([](Json& j) { j["pi_a"][2] = "0"; }, "pi_a: expected an affine point");
  refuses_proof([](Json& j) { j["pi_a"] = {"0", "0", "0"}; }, "pi_a: expected an affine point");
  refuses_proof([](Json& j) { j["protocol"] = "plonk"; }, "protocol: found \"plonk\", expected groth16");
  refuses_proof([](Json& j) { j["protocol"] = 16; }, "protocol: found number, expected a string");
  refuses_proof([](Json& j) { j["curve"] = "bls377"; }, "curve: found \"bls377\", expected bn128 or bls12381");
  refuses_proof([&](Json& j) { j["curve"] = curve() == Curve::bn254 ? "bls12381" : "bn128"; }, "pi_a");
}

// Points on the curve whose order is not r: BN254's G1 has none, in BLS12-381's (0, 2) has order 3.
using SubgroupJsonTest = JsonTest;
INSTANTIATE_TEST_SUITE_P(Curves, SubgroupJsonTest, testing::Values(Curve::bls12_381), curve_test_name);

TEST_P(SubgroupJsonTest, RefusesPointsOutsideG1) {
  refuses_proof([](Json& j) { j["pi_a"] = {"0", "2", "1"}; }, "pi_a: the point is not in the subgroup");
  refuses_key([](Json& j) { j["IC"][1] = {"0", "2", "1"}; }, "IC[1]: the point is not in the subgroup");
}

TEST_P(JsonTest, TakesAProofWithoutCurveForOneOnBn128) {
  Json json = proof();
  json.erase("curve");
  const std::string path = scratch_.write("proof.json", json.dump());
  if (curve() == Curve::bn254) {
    EXPECT_EQ(curve_of(read_proof(path)), Curve::bn254);
  } else {
    expect_bad_input([&] { read_proof(path); }, path, "below the base field's prime (bn254)");
  }
}

TEST_P(JsonTest, RefusesDamagedVerificationKeys) {
  for (const char* name : {"vk_alpha_1", "vk_beta_2", "vk_gamma_2", "vk_delta_2"}) {
    const bool g2 = name[std::string(name).size() - 1] == '2';
    const Json zero = g2 ? Json::array({"0", "0"}) : Json("0"), one = g2 ? Json::array({"1", "0"}) : Json("1");
    refuses_key([&](Json& j) { j.erase(name); }, std::string(name) + " is missing");
    refuses_key(
        [&](Json& j) {
          j[name] = Json::array({zero, one, zero});
        },
        std::string(name) + ": the point is infinity");
    refuses_key([&](Json& j) { j[name][1] = one; }, std::string(name) + ": the point is not on the curve");
  }
  refuses_key([](Json& j) { j.erase("IC"); }, "IC is missing");
  refuses_key([](Json& j) { j["IC"] = Json::array(); }, "IC: found no points, expected at least one");
  refuses_key([](Json& j) { j["IC"].erase(1); }, "nPublic: found 1, expected 0, one less than the points of IC");
  refuses_key([](Json& j) { j["IC"][1][0] = "3"; }, "IC[1]: the point is not on the curve");
  refuses_key([](Json& j) { j["nPublic"] = 5; }, "nPublic: found 5, expected 1");
  refuses_key([](Json& j) { j["nPublic"] = -1; }, "nPublic: expected a non-negative integer");
  refuses_key([](Json& j) { j["nPublic"] = "1"; }, "nPublic: expected a non-negative integer");
  refuses_key([](Json& j) { j.erase("curve"); }, "curve is missing");
  refuses_key([](Json& j) { j["curve"] = std::string(1'000, 'x'); },
              "curve: found \"xxxxxxxxxxxxxxxxxxxx...\", expected");
  refuses_key([](Json& j) { j["protocol"] = "fflonk"; }, "protocol: found \"fflonk\", expected groth16");
}

TEST_P(JsonTest, DoesNotReadWhatFollowsFromTheRest) {
  Json json = key();
  json["vk_alphabeta_12"] = "anything";
  read_verification_key(scratch_.write("vk.json", json.dump()));
  json.erase("vk_alphabeta_12");
  json["IC"][1] = {"0", "1", "0"};  // an unused public signal
  read_verification_key(scratch_.write("vk.json", json.dump()));
}

TEST(Decimal, RoundTripsLikeAnIndependentLibrary) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1'000; ++i) {
    arith::LimbArray<6> limbs{};
    for (uint64_t& limb : limbs) limb = random() >> (random() % 64);
    if (i % 3 == 0) limbs[5] = limbs[4] = 0;
    const Int value = to_int(limbs.data(), sizeof limbs);
    EXPECT_EQ(formats::to_decimal(limbs), value.str());
    EXPECT_EQ(formats::parse_decimal<6>(value.str()), limbs);
  }
  const Int over = Int(1) << 256;
  EXPECT_EQ(formats::parse_decimal<4>(over.str()), std::nullopt);
  EXPECT_EQ(formats::to_decimal(*formats::parse_decimal<4>(Int(over - 1).str())), Int(over - 1).str());
  EXPECT_EQ(formats::to_decimal(arith::LimbArray<4>{}), "0");
}

}  // namespace
}  // namespace cuzk::test
