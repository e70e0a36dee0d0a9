// Keys of bellman: what is read, what a proof from it is, and what is written.

#include "formats/domain.hpp"
#include "formats/zcash_points.hpp"
#include "groth16/assemble.hpp"
#include "params_vectors.hpp"

#include <algorithm>
#include <cstring>

#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/error.hpp>
#include <cuzk/formats/bellman_proof.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/groth16/verifier.hpp>

namespace cuzk::test {
namespace {

using C = arith::Bls12381;
using Fr = C::Fr;
constexpr Curve kCurve = Curve::bls12_381;

Fr to_fr(const cuzk_fr& montgomery) { return Fr::from_raw(std::bit_cast<Fr::Limbs>(montgomery)); }

class ParamsTest : public testing::TestWithParam<std::string> {
 protected:
  std::string file(const std::string& name) const { return params_file(GetParam() + "/" + name); }
  std::shared_ptr<const ProvingKey> open() { return open_params(file("key.params"), file("circuit.pce"), pool_); }
  Witness witness() { return read_wtns(file("witness.wtns"), pool_, host_); }
  nlohmann::json json(const std::string& name) const { return params_json(GetParam() + "/" + name); }

  Scratch scratch_;
  CpuPool pool_{2};
  HostPool host_;
};
INSTANTIATE_TEST_SUITE_P(Vectors, ParamsTest, testing::Values("tiny", "mixed"),
                         [](const auto& vector) { return vector.param; });

TEST_P(ParamsTest, GivesTheShapeOfTheCircuit) {
  const auto key = open();
  const bool tiny = GetParam() == "tiny";
  const uint64_t inputs = tiny ? 3 : 5, variables = tiny ? 8 : 202, domain = tiny ? 8 : 256;
  EXPECT_EQ(key->name, file("key.params"));
  EXPECT_FALSE(key->insecure);
  EXPECT_EQ(key->shape.curve, kCurve);
  EXPECT_EQ(key->shape.variables, variables);
  EXPECT_EQ(key->shape.publics, inputs - 1);
  EXPECT_EQ(key->shape.domain_size(), domain);

  const auto densities = json("assignment.json");
  const std::string a = std::string(inputs, '1') + densities["a_aux_density"].get<std::string>();
  const std::string b = densities["b_input_density"].get<std::string>() + densities["b_aux_density"].get<std::string>();
  const auto expect_query = [&](QueryId id, uint64_t first, const std::string& dense) {
    SCOPED_TRACE(name(id));
    const KeyQuery& query = key->query(id);
    const KeyShape::Query& shape = key->shape.queries[static_cast<size_t>(id)];
    const auto ones = static_cast<uint64_t>(std::count(dense.begin(), dense.end(), '1'));
    EXPECT_EQ(query.points->count(), ones);
    EXPECT_EQ(query.points->direct(), nullptr);
    EXPECT_EQ(query.first, first);
    EXPECT_EQ(query.span, dense.size());
    EXPECT_EQ(shape.count, ones);
    EXPECT_EQ(shape.first, first);
    EXPECT_EQ(shape.span, dense.size());
    EXPECT_EQ(shape.selects, ones < dense.size());
    ASSERT_EQ(query.select.size(), shape.selects ? (dense.size() + 63) / 64 : 0);
    for (size_t i = 0; i < 64 * query.select.size(); ++i) {
      EXPECT_EQ(query.select[i / 64] >> (i % 64) & 1, i < dense.size() && dense[i] == '1') << i;
    }
  };
  expect_query(QueryId::h, 0, std::string(domain - 1, '1'));
  expect_query(QueryId::l, inputs, std::string(variables - inputs, '1'));
  expect_query(QueryId::a, 0, a);
  expect_query(QueryId::b1, 0, b);
  expect_query(QueryId::b2, 0, b);
}

TEST_P(ParamsTest, HoldsTheVerificationKeyThatSnarkjsReads) {
  const auto key = open();
  EXPECT_EQ(verification_key_json(key->verifying_key),
            verification_key_json(read_verification_key(file("verification_key.json"))));
}

TEST_P(ParamsTest, ReadsPointsInAnyPieces) {
  const auto key = open();
  for (size_t i = 0; i < kQueries; ++i) {
    const PointSource& points = *key->queries[i].points;
    const size_t bytes = point_bytes(kCurve, group_of(static_cast<QueryId>(i)));
    std::vector<std::byte> all(points.count() * bytes), pieces(all.size());
    points.read(0, points.count(), all.data());
    for (uint64_t at = 0; at < points.count(); at += 3) {
      points.read(at, std::min<uint64_t>(3, points.count() - at), pieces.data() + at * bytes);
    }
    EXPECT_EQ(all, pieces);
    points.read(points.count(), 0, nullptr);
    EXPECT_ANY_THROW(points.read(points.count() - 1, 2, all.data()));
    EXPECT_ANY_THROW(points.read(UINT64_MAX, 2, all.data()));
  }
}

/// What a proof goes through, by definition rather than by the engine's components.
struct Proving {
  Proving(const ProvingKey& proving_key, const Witness& full, CpuPool& pool)
      : key(proving_key),
        domain(key.shape.domain),
        n(key.shape.domain_size()),
        witness(full.values.span()),
        a(n),
        b(n) {
    key.matrices->evaluate(pool, witness, a, b);
  }

  static Fr power(const Fr& base, uint64_t exponent) { return base.pow(std::span(&exponent, 1)); }
  /// Of the polynomial with these values on shift <omega>.
  std::vector<Fr> coefficients(const std::vector<Fr>& values, const Fr& shift) const {
    const Fr root = to_fr(domain.omega).inverse(), back = shift.inverse(), scale = Fr::from_u64(n).inverse();
    std::vector<Fr> out(n);
    for (uint64_t i = 0; i < n; ++i) {
      const Fr step = power(root, i);
      Fr x = Fr::one();
      for (uint64_t k = 0; k < n; ++k, x *= step) out[i] += values[k] * x;
      out[i] *= scale * power(back, i);
    }
    return out;
  }
  std::vector<Fr> on_coset(const std::vector<Fr>& values) const {
    const auto polynomial = coefficients(values, Fr::one());
    std::vector<Fr> out(n);
    Fr x = to_fr(domain.shift);
    for (Fr& value : out) {
      for (uint64_t i = n; i-- > 0;) value = value * x + polynomial[i];
      x *= to_fr(domain.omega);
    }
    return out;
  }
  std::vector<Fr> quotient() const {
    std::vector<Fr> x, y, z;
    for (uint64_t i = 0; i < n; ++i) {
      x.push_back(to_fr(a[i]));
      y.push_back(to_fr(b[i]));
      z.push_back(x[i] * y[i]);
    }
    x = on_coset(x), y = on_coset(y), z = on_coset(z);
    for (uint64_t i = 0; i < n; ++i) x[i] = (x[i] * y[i] - z[i]) * to_fr(domain.z_inverse);
    return coefficients(x, to_fr(domain.shift));
  }

  template <class G>
  arith::Affine<G> sum(QueryId id, const std::vector<Fr>& h) const {
    const KeyQuery& query = key.query(id);
    std::vector<arith::Affine<G>> points(query.points->count());
    query.points->read(0, points.size(), reinterpret_cast<std::byte*>(points.data()));
    auto total = arith::Xyzz<G>::infinity();
    auto point = points.begin();
    for (uint64_t i = 0; i < query.span; ++i) {
      if (!query.select.empty() && (query.select[i / 64] >> (i % 64) & 1) == 0) continue;
      const Fr::Limbs scalar =
          id == QueryId::h ? h[query.first + i].to_canonical() : std::bit_cast<Fr::Limbs>(witness[query.first + i]);
      total += arith::scalar_mul(*point++, scalar);
    }
    EXPECT_EQ(point, points.end());
    return total.to_affine();
  }
  groth16::Points sums(const std::vector<Fr>& h) const {
    groth16::Points points;
    for (size_t i = 0; i < kQueries; ++i) {
      const auto id = static_cast<QueryId>(i);
      points[i].emplace_back();
      const auto put = [&](const auto& sum) { std::memcpy(points[i][0].bytes.data(), &sum, sizeof sum); };
      group_of(id) == Group::g1 ? put(sum<C::G1>(id, h)) : put(sum<C::G2>(id, h));
    }
    return points;
  }

  const ProvingKey& key;
  const cuzk_domain domain;
  const uint64_t n;
  std::span<const cuzk_fr> witness;
  std::vector<cuzk_fr> a, b;
};

/// Gives r, then s.
groth16::RandomSource blinding(const nlohmann::json& assignment) {
  return [values = std::array{Int(assignment["r"].get<std::string>()), Int(assignment["s"].get<std::string>())},
          turn = size_t{0}](void* dst, size_t bytes) mutable -> std::ptrdiff_t {
    auto* out = static_cast<unsigned char*>(dst);
    for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(values.at(turn) >> (8 * i) & 255);
    ++turn;
    return static_cast<std::ptrdiff_t>(bytes);
  };
}

template <class G>
std::string compressed(const groth16::Points& points, QueryId id) {
  arith::Affine<G> point;
  std::memcpy(&point, points[static_cast<size_t>(id)][0].bytes.data(), sizeof point);
  std::string digits;
  for (const std::byte b : formats::zcash::compress(point)) {
    digits += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
    digits += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15U];
  }
  return digits;
}

TEST_P(ParamsTest, GivesEveryIntermediateValueAndTheProof) {
  const auto key = open();
  const Witness full = witness();
  const auto assignment = json("assignment.json"), intermediate = json("intermediate.json");
  const Proving proving(*key, full, pool_);

  ASSERT_EQ(assignment["a"].size(), GetParam() == "tiny" ? 8U : 203U);
  for (size_t i = 0; i < proving.n; ++i) {
    const auto expected = [&](const char* side) {
      return i < assignment[side].size() ? Int(assignment[side][i].get<std::string>()) : Int(0);
    };
    EXPECT_EQ(from_montgomery(proving.a[i], kCurve), expected("a")) << i;
    EXPECT_EQ(from_montgomery(proving.b[i], kCurve), expected("b")) << i;
  }

  const auto h = proving.quotient();
  const auto& coefficients = intermediate["h_coefficients"];
  ASSERT_EQ(coefficients.size(), proving.n - 1);
  EXPECT_TRUE(h.back().is_zero());
  for (size_t i = 0; i < coefficients.size(); ++i) {
    EXPECT_EQ(to_int(std::bit_cast<cuzk_fr>(h[i].to_canonical())), Int(coefficients[i].get<std::string>())) << i;
  }

  const auto sums = proving.sums(h);
  const auto& expected = intermediate["sums"];
  EXPECT_EQ(compressed<C::G1>(sums, QueryId::h), expected["h_g1"].get<std::string>());
  EXPECT_EQ(compressed<C::G1>(sums, QueryId::l), expected["l_g1"].get<std::string>());
  EXPECT_EQ(compressed<C::G1>(sums, QueryId::a), expected["a_g1"].get<std::string>());
  EXPECT_EQ(compressed<C::G1>(sums, QueryId::b1), expected["b_g1"].get<std::string>());
  EXPECT_EQ(compressed<C::G2>(sums, QueryId::b2), expected["b_g2"].get<std::string>());

  const Proof proof = groth16::assemble(*key, sums, blinding(assignment));
  const auto encoded = encode_bellman_proof(proof);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(encoded.data()), encoded.size()), read_text(file("proof.bin")));
  EXPECT_TRUE(verify(key->verifying_key, full.values.span().subspan(1, key->shape.publics), proof));
}

TEST_P(ParamsTest, WritesTheBytesThatItRead) {
  Bytes written;
  write_params(*open(), into(written));
  EXPECT_EQ(written, read_bytes(file("key.params")));
}

// Well formed, but the key of no circuit: the proof's own check finds it.
TEST_P(ParamsTest, AKeyOfOtherPointsGivesNoProof) {
  const Bytes good = read_bytes(file("key.params"));
  const auto key = open();
  const auto expect_no_proof = [&](const std::string& what, const std::function<void(Bytes&)>& change) {
    Bytes bytes = good;
    change(bytes);
    const auto other = open_params(scratch_.write("other.params", bytes), file("circuit.pce"), pool_);
    const Witness full = witness();
    const Proving proving(*other, full, pool_);
    const Proof proof = groth16::assemble(*other, proving.sums(proving.quotient()), blinding(json("assignment.json")));
    EXPECT_FALSE(verify(other->verifying_key, full.values.span().subspan(1, other->shape.publics), proof)) << what;
  };
  const auto exchange = [](Bytes& bytes, size_t vector, size_t count) {
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(vector);
    std::swap_ranges(first, first + 96, first + static_cast<std::ptrdiff_t>(96 * (count - 1)));
  };
  const size_t h = key->query(QueryId::h).points->count(), b = key->query(QueryId::b1).points->count();
  const size_t b2_at = good.size() - 192 * b;
  expect_no_proof("h", [&](Bytes& bytes) { exchange(bytes, 864 + 4 + 96 * (key->shape.publics + 1) + 4, h); });
  expect_no_proof("b_g1", [&](Bytes& bytes) { exchange(bytes, b2_at - 4 - 96 * b, b); });
  expect_no_proof("b_g2", [&](Bytes& bytes) {
    const auto encodings = params_json("encodings.json");
    for (const auto& one : encodings["invalid"]) {
      if (one["group"] != "g2" || one["form"] != "uncompressed") continue;
      if (one["why"] != "on the curve, outside the subgroup") continue;
      std::ranges::copy(from_hex(one["hex"].get<std::string>()), bytes.begin() + static_cast<std::ptrdiff_t>(b2_at));
    }
    EXPECT_NE(bytes, good);
  });
}

TEST(Domain, OfBellmanComesFromSeven) {
  const Int r = scalar_prime(kCurve);
  const auto domain = formats::bellman_domain<C>(32);
  EXPECT_EQ(domain.curve, static_cast<uint32_t>(CUZK_BLS12_381));
  EXPECT_EQ(domain.h_basis, static_cast<uint32_t>(CUZK_H_MONOMIAL));
  EXPECT_EQ(from_montgomery(domain.omega, kCurve),
            Int("0x16a2a19edfe81f20d09b681922c813b4b63683508c2280b93829971f439f0d2b"));
  EXPECT_EQ(from_montgomery(formats::bellman_domain<C>(3).omega, kCurve),
            Int("0x345766f603fa66e78c0625cd70d77ce2b38b21c28713b7007228fd3397743f7a"));
  for (const uint32_t log2 : {0U, 1U, 3U, 27U, 32U}) {
    const auto one = formats::bellman_domain<C>(log2);
    const Int n = Int(1) << log2;
    EXPECT_EQ(one.log2_size, log2);
    EXPECT_EQ(from_montgomery(one.shift, kCurve), 7);
    EXPECT_EQ(from_montgomery(one.omega, kCurve), Int(powm(Int(7), Int((r - 1) / n), r)));
    const Int z = Int(powm(Int(7), n, r)) - 1;
    EXPECT_EQ(Int(from_montgomery(one.z_inverse, kCurve) * z % r), 1);
  }
}

TEST(WriteParams, RefusesKeysOfOtherConventions) {
  CpuPool pool(1);
  const auto refused = [](const ProvingKey& key, const std::string& part) {
    Bytes written;
    expect_error(
        ErrorCode::usage, [&] { write_params(key, into(written)); }, key.name, part);
    EXPECT_TRUE(written.empty());
  };
  refused(*open_zkey(circuit_file(Curve::bn254, "multiplier", "circuit.zkey"), pool), "found a key on bn254");
  refused(*open_zkey(circuit_file(kCurve, "multiplier", "circuit.zkey"), pool), "found h not over powers of tau");

  const auto changed = [&](auto&& change) {
    // The reader gives a const key; a test may take it apart.
    auto key = std::const_pointer_cast<ProvingKey>(
        open_params(params_file("mixed/key.params"), params_file("mixed/circuit.pce"), pool));
    change(*key);
    return key;
  };
  const auto query = [](ProvingKey& key, QueryId id) -> KeyQuery& { return key.queries[static_cast<size_t>(id)]; };
  refused(*changed([](ProvingKey& key) { key.shape.domain.omega = formats::snarkjs_domain<C>(8).omega; }),
          "found a domain of another root of unity");
  refused(*changed([&](ProvingKey& key) { query(key, QueryId::h).span += 1; }), "query h: found another range");
  refused(*changed([&](ProvingKey& key) { query(key, QueryId::l).first = 0; }), "query l: found another range");
  refused(*changed([&](ProvingKey& key) { query(key, QueryId::a).select[0] &= ~uint64_t{2}; }),
          "query a: found another range");
  refused(*changed([&](ProvingKey& key) { query(key, QueryId::b2).select[0] ^= 2; }), "query b2: found another range");
}

/// The points of another source, but one that is infinity.
class WithInfinity final : public PointSource {
 public:
  WithInfinity(std::unique_ptr<const PointSource> base, uint64_t at) : base_(std::move(base)), at_(at) {}
  uint64_t count() const override { return base_->count(); }
  const std::byte* direct() const override { return nullptr; }
  void read(uint64_t first, uint64_t count, std::byte* dst) const override {
    base_->read(first, count, dst);
    if (first <= at_ && at_ < first + count) std::memset(dst + 96 * (at_ - first), 0, 96);
  }

 private:
  std::unique_ptr<const PointSource> base_;
  uint64_t at_;
};

TEST(WriteParams, RefusesInfinityAndStopsWithItsSink) {
  CpuPool pool(1);
  const auto key = std::const_pointer_cast<ProvingKey>(
      open_params(params_file("mixed/key.params"), params_file("mixed/circuit.pce"), pool));
  EXPECT_THROW(write_params(*key, [](std::span<const std::byte>) { throw std::runtime_error("full"); }),
               std::runtime_error);
  auto& l = key->queries[static_cast<size_t>(QueryId::l)].points;
  l = std::make_unique<WithInfinity>(std::move(l), 17);
  Bytes written;
  expect_error(
      ErrorCode::usage, [&] { write_params(*key, into(written)); }, key->name,
      "vector l, point 17 is the point at infinity");
}

}  // namespace
}  // namespace cuzk::test
