// Points and proofs in zcash's encoding.

#include "formats/zcash_points.hpp"
#include "params_vectors.hpp"

#include <cstring>

#include <cuzk/arith/subgroup.hpp>
#include <cuzk/arith/xyzz.hpp>
#include <cuzk/error.hpp>
#include <cuzk/formats/bellman_proof.hpp>
#include <cuzk/formats/json.hpp>

namespace cuzk::test {
namespace {

namespace zcash = formats::zcash;
using C = arith::Bls12381;

template <size_t N>
std::array<std::byte, N> as_array(const Bytes& bytes) {
  std::array<std::byte, N> out{};
  EXPECT_EQ(bytes.size(), N);
  std::memcpy(out.data(), bytes.data(), std::min(N, bytes.size()));
  return out;
}

template <class G>
arith::Affine<G> multiple(const std::string& name) {
  const auto g = G::generator();
  if (name == "infinity") return arith::Affine<G>::infinity();
  if (name == "-generator") return -g;
  if (name == "2*generator") return (arith::Xyzz<G>::infinity() + g + g).to_affine();
  EXPECT_EQ(name, "generator");
  return g;
}

template <class G>
void expect_encodings(const nlohmann::json& one) {
  const auto point = multiple<G>(one["point"].get<std::string>());
  const Bytes plain = from_hex(one["uncompressed"].get<std::string>());
  const auto compressed = as_array<zcash::kCompressedBytes<G>>(from_hex(one["compressed"].get<std::string>()));
  const auto* at = reinterpret_cast<const std::byte*>(plain.data());
  EXPECT_EQ(zcash::compress(point), compressed);
  const char* fault = nullptr;
  const auto back = zcash::decompress<G>(compressed, fault);
  if (point.is_infinity()) {  // well encoded, but never part of a proof or key
    EXPECT_STREQ(zcash::fault_of<G>(at), "is the point at infinity");
    EXPECT_STREQ(fault, "is the point at infinity");
    return;
  }
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(*back == point);
  EXPECT_EQ(zcash::fault_of<G>(at), nullptr);
  EXPECT_TRUE(zcash::decode<G>(at) == point);
  Bytes again(plain.size());
  zcash::encode(point, reinterpret_cast<std::byte*>(again.data()));
  EXPECT_EQ(again, plain);
}

TEST(ZcashPoints, HaveTheKnownEncodings) {
  const auto encodings = params_json("encodings.json");
  ASSERT_EQ(encodings["valid"].size(), 8);
  for (const auto& one : encodings["valid"]) {
    SCOPED_TRACE(one.dump());
    one["group"] == "g1" ? expect_encodings<C::G1>(one) : expect_encodings<C::G2>(one);
  }
}

template <class G>
bool accepted(const Bytes& bytes, bool compressed) {
  if (compressed) {
    const char* fault = nullptr;
    const auto point = zcash::decompress<G>(as_array<zcash::kCompressedBytes<G>>(bytes), fault);
    EXPECT_EQ(fault == nullptr, point.has_value());
    return point && arith::in_subgroup(*point);
  }
  const auto* at = reinterpret_cast<const std::byte*>(bytes.data());
  return zcash::fault_of<G>(at) == nullptr && arith::in_subgroup(zcash::decode<G>(at));
}

TEST(ZcashPoints, RefuseWhatAStrictReaderRefuses) {
  const auto encodings = params_json("encodings.json");
  ASSERT_EQ(encodings["invalid"].size(), 22);
  for (const auto& one : encodings["invalid"]) {
    const Bytes bytes = from_hex(one["hex"].get<std::string>());
    const bool compressed = one["form"] == "compressed";
    EXPECT_FALSE(one["group"] == "g1" ? accepted<C::G1>(bytes, compressed) : accepted<C::G2>(bytes, compressed))
        << one.dump();
  }
}

// The check of plain coordinates against that of Montgomery form.
template <class G>
void expect_curve_checks_agree() {
  auto point = arith::Xyzz<G>::infinity();
  for (int i = 0; i < 50; ++i) {
    point += G::generator();
    std::array<std::byte, zcash::kPointBytes<G>> bytes;
    zcash::encode(point.to_affine(), bytes.data());
    for (const size_t at : {bytes.size() / 2 - 1, bytes.size() - 1}) {
      EXPECT_TRUE(zcash::on_curve_plain(zcash::load_plain_point<G>(bytes.data())));
      bytes[at] ^= std::byte{1};
      const auto plain = zcash::load_plain_point<G>(bytes.data());
      const arith::Affine<G> changed{zcash::to_montgomery(plain.x), zcash::to_montgomery(plain.y)};
      EXPECT_EQ(zcash::on_curve_plain(plain), changed.on_curve());
      bytes[at] ^= std::byte{1};
    }
  }
}
TEST(ZcashPoints, CurveChecksAgree) {
  expect_curve_checks_agree<C::G1>();
  expect_curve_checks_agree<C::G2>();
}

class BellmanProofTest : public testing::Test {
 protected:
  void refuses(const Bytes& bytes, const std::string& part) {
    const std::string path = scratch_.write("proof.bin", bytes);
    expect_bad_input([&] { read_bellman_proofs(path); }, path, part);
  }
  const Bytes tiny_ = read_bytes(params_file("tiny/proof.bin")), mixed_ = read_bytes(params_file("mixed/proof.bin"));
  Scratch scratch_;
};

TEST_F(BellmanProofTest, ReadsAndWritesTheSameBytes) {
  Bytes both = tiny_;
  both.insert(both.end(), mixed_.begin(), mixed_.end());
  for (const Bytes& bytes : {tiny_, mixed_, both}) {
    const auto proofs = read_bellman_proofs(scratch_.write("proof.bin", bytes));
    ASSERT_EQ(proofs.size(), bytes.size() / kBellmanProofBytes);
    Bytes again;
    for (const Proof& proof : proofs) into(again)(encode_bellman_proof(proof));
    EXPECT_EQ(again, bytes);
  }
}

TEST_F(BellmanProofTest, ReadsTheOtherYWithTheOtherSign) {
  for (const size_t at : {0U, 48U, 144U}) {
    Bytes bytes = tiny_;
    bytes[at] ^= 0x20;
    const auto proof = std::get<ProofOf<C>>(read_bellman_proofs(scratch_.write("proof.bin", bytes)).at(0));
    const auto good = std::get<ProofOf<C>>(read_bellman_proofs(scratch_.write("proof.bin", tiny_)).at(0));
    EXPECT_TRUE(proof.a == (at == 0 ? -good.a : good.a));
    EXPECT_TRUE(proof.b == (at == 48 ? -good.b : good.b));
    EXPECT_TRUE(proof.c == (at == 144 ? -good.c : good.c));
  }
}

TEST_F(BellmanProofTest, RefusesOtherLengths) {
  for (size_t size = 1; size < tiny_.size(); ++size) {
    refuses(Bytes(tiny_.begin(), tiny_.begin() + static_cast<std::ptrdiff_t>(size)), "expected proofs of 192 bytes");
  }
  Bytes longer = tiny_;
  longer.push_back(0);
  refuses(longer, "found 193 bytes, expected proofs of 192 bytes");
}

TEST_F(BellmanProofTest, RefusesFaultsOfEveryPoint) {
  Bytes two = tiny_;
  two.insert(two.end(), tiny_.begin(), tiny_.end());
  for (const auto& [name, at, size] :
       std::vector<std::tuple<std::string, size_t, size_t>>{{"A", 0, 48}, {"B", 48, 96}, {"C", 144, 48}}) {
    for (const size_t proof : {0U, 1U}) {
      const size_t offset = kBellmanProofBytes * proof + at;
      const std::string where =
          "proof " + std::to_string(proof) + ", offset " + std::to_string(offset) + ": " + name + " ";
      const auto with = [&](const std::function<void(unsigned char*)>& change, const std::string& part) {
        Bytes bytes = two;
        change(&bytes[offset]);
        refuses(bytes, where + part);
      };
      with([](unsigned char* p) { p[0] &= 0x7f; }, "lacks the flag of a compressed point");
      with([](unsigned char* p) { p[0] |= 0x40; }, "is the point at infinity");
      with([](unsigned char* p) { p[0] |= 0x1f; }, "has a coordinate that is not below");
      with(
          [bytes = size](unsigned char* p) {
            std::fill_n(p, bytes, static_cast<unsigned char>(0));
            p[0] = 0xc0;
          },
          "is the point at infinity");
    }
  }
  // Other x: half have no point, the others' points are off the subgroup.
  size_t off_curve = 0, off_subgroup = 0;
  for (const size_t at : {47U, 143U, 191U}) {
    for (unsigned change = 1; change < 16; ++change) {
      Bytes bytes = tiny_;
      bytes[at] = static_cast<unsigned char>(bytes[at] ^ change);
      try {
        read_bellman_proofs(scratch_.write("proof.bin", bytes));
        ADD_FAILURE() << at << " " << change;
      } catch (const Error& error) {
        const std::string message = error.what();
        off_curve += message.find("is not on the curve") != std::string::npos;
        off_subgroup += message.find("is not in the subgroup") != std::string::npos;
      }
    }
  }
  EXPECT_EQ(off_curve + off_subgroup, 45);
  EXPECT_GT(off_curve, 10);
  EXPECT_GT(off_subgroup, 10);
}

TEST_F(BellmanProofTest, EncodesNoProofOfAnotherCurve) {
  const Proof proof = read_proof(circuit_file(Curve::bn254, "multiplier", "proof.json"));
  try {
    encode_bellman_proof(proof);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "found a proof on bn254, expected bls12-381 for bellman's encoding");
  }
}

}  // namespace
}  // namespace cuzk::test
