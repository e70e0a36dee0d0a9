#include "support.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>

#include <cuzk/error.hpp>
#include <cuzk/formats/iden3_writers.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/r1cs.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/groth16/circuit_matrices.hpp>
#include <cuzk/groth16/workload.hpp>

namespace cuzk::test {
namespace {

/// A key's points behind read() alone.
class Encoded final : public PointSource {
 public:
  explicit Encoded(const PointSource& points) : points_(points) {}
  uint64_t count() const override { return points_.count(); }
  const std::byte* direct() const override { return nullptr; }
  void read(uint64_t first, uint64_t count, std::byte* dst) const override { points_.read(first, count, dst); }

 private:
  const PointSource& points_;
};

class WritersTest : public FormatsTest {
 protected:
  /// Writes through pieces, as the writers make them.
  std::string written(const std::string& name, const std::function<void(const ByteSink&)>& write) {
    Bytes bytes;
    write([&](std::span<const std::byte> piece) {
      EXPECT_LE(piece.size(), size_t{1} << 20);
      EXPECT_FALSE(piece.empty());
      const auto* at = reinterpret_cast<const unsigned char*>(piece.data());
      bytes.insert(bytes.end(), at, at + piece.size());
    });
    return scratch_.write(name, bytes);
  }
  Workload workload(const std::string& text) {
    return Workload(parse_workload(text + ",curve=" + std::string(name(curve()))));
  }
  std::shared_ptr<const ProvingKey> key_of(const Workload& made, Conventions conventions = Conventions::snarkjs) {
    return setup(made.circuit(), conventions, made.spec().seed, pool_);
  }
};
INSTANTIATE_TEST_SUITE_P(Curves, WritersTest, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

void expect_same_key(const ProvingKey& found, const ProvingKey& expected) {
  EXPECT_EQ(found.shape.curve, expected.shape.curve);
  EXPECT_EQ(found.shape.variables, expected.shape.variables);
  EXPECT_EQ(found.shape.publics, expected.shape.publics);
  EXPECT_EQ(std::memcmp(&found.shape.domain, &expected.shape.domain, sizeof(cuzk_domain)), 0);
  EXPECT_EQ(verification_key_json(found.verifying_key), verification_key_json(expected.verifying_key));
  EXPECT_EQ(found.blinding.index(), expected.blinding.index());
  EXPECT_EQ(std::memcmp(&found.blinding, &expected.blinding, 4 * fp_bytes(found.shape.curve)), 0);
  for (size_t i = 0; i < kQueries; ++i) {
    const auto id = static_cast<QueryId>(i);
    const PointSource &points = *found.query(id).points, &others = *expected.query(id).points;
    ASSERT_EQ(points.count(), others.count()) << name(id);
    const size_t size = points.count() * point_bytes(found.shape.curve, group_of(id));
    EXPECT_TRUE(std::equal(points.direct(), points.direct() + size, others.direct())) << name(id);
    EXPECT_EQ(found.query(id).first, expected.query(id).first);
    EXPECT_EQ(found.query(id).span, expected.query(id).span);
    EXPECT_TRUE(found.query(id).select.empty());
  }
}

TEST_P(WritersTest, ZkeyIsReadBackAsItWas) {
  for (const char* text : {"dense:4", "dense:7,rows=+1", "porep:7", "porep:13,bits=0.5"}) {
    SCOPED_TRACE(text);
    const Workload made = workload(text);
    const auto key = key_of(made);
    const std::string path =
        written("circuit.zkey", [&](const ByteSink& sink) { write_zkey(*key, *made.circuit(), sink); });
    const auto read = open_zkey(path, pool_);
    EXPECT_TRUE(read->insecure);
    expect_same_key(*read, *key);

    const Witness witness = made.witness(0, pool_, host_);
    const size_t rows = key->shape.domain_size();
    std::vector<cuzk_fr> a(rows), b(rows), c(rows), d(rows);
    key->matrices->evaluate(pool_, witness.values.span(), a, b);
    read->matrices->evaluate(pool_, witness.values.span(), c, d);
    EXPECT_EQ(std::memcmp(a.data(), c.data(), rows * sizeof(cuzk_fr)), 0);
    EXPECT_EQ(std::memcmp(b.data(), d.data(), rows * sizeof(cuzk_fr)), 0);
  }
}

TEST_P(WritersTest, ZkeySaysThatItIsInsecureAndOthersDoNot) {
  EXPECT_FALSE(open_zkey(file("multiplier", "circuit.zkey"), pool_)->insecure);
  const Workload made = workload("dense:4");
  const auto key = key_of(made);
  const std::string path =
      written("circuit.zkey", [&](const ByteSink& sink) { write_zkey(*key, *made.circuit(), sink); });
  Image image = Image::parse(path);
  ASSERT_EQ(image.sections.size(), 11U);
  for (uint32_t id = 1; id <= 10; ++id) EXPECT_EQ(image.sections[id - 1].id, id);
  const Bytes& text = image.sections.back().bytes;
  const std::string said(text.begin(), text.end());
  EXPECT_EQ(said.find("INSECURE"), 0U) << said;
  EXPECT_NE(said.find("secrets of this key are known"), std::string::npos) << said;
  EXPECT_NE(said.find(made.circuit()->name), std::string::npos) << said;
}

/// What keys of other formats do: their points have to be decoded.
TEST_P(WritersTest, ZkeyOfDecodedPointsWithoutTheMark) {
  const Workload made = workload("porep:13");
  const auto key = key_of(made);
  ProvingKey other;
  other.name = "decoded";
  other.shape = key->shape;
  other.verifying_key = key->verifying_key;
  other.blinding = key->blinding;
  for (size_t i = 0; i < kQueries; ++i) {
    other.queries[i] = {
        std::make_unique<Encoded>(*key->queries[i].points), key->queries[i].first, key->queries[i].span, {}};
  }
  const auto read = open_zkey(
      written("circuit.zkey", [&](const ByteSink& sink) { write_zkey(other, *made.circuit(), sink); }), pool_);
  EXPECT_FALSE(read->insecure);
  expect_same_key(*read, *key);
}

TEST_P(WritersTest, ZkeyRefusesWhatItCannotHoldBeforeTheFirstByte) {
  const ByteSink none = [](std::span<const std::byte>) { ADD_FAILURE() << "bytes were written"; };
  const Workload made = workload("porep:6"), other = workload("porep:7");
  const auto refuse = [&](const ProvingKey& key, const Circuit& circuit, const std::string& part) {
    try {
      write_zkey(key, circuit, none);
      ADD_FAILURE() << "written; expected: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refuse(*key_of(made, Conventions::bellman), *made.circuit(), "snarkjs's conventions");
  refuse(*key_of(made), *other.circuit(), "not a key of the circuit");
}

TEST_P(WritersTest, R1csAndWtnsAreReadBackAsTheyWere) {
  for (const char* text : {"dense:6", "porep:12"}) {
    SCOPED_TRACE(text);
    const Workload made = workload(text);
    const Circuit& circuit = *made.circuit();
    const Witness witness = made.witness(0, pool_, host_);
    const R1cs r1cs(written("circuit.r1cs", [&](const ByteSink& sink) { write_r1cs(circuit, sink); }), pool_);
    EXPECT_EQ(r1cs.header().curve, curve());
    EXPECT_EQ(r1cs.header().wires, circuit.variables);
    EXPECT_EQ(r1cs.header().outputs, circuit.publics);
    EXPECT_EQ(r1cs.header().constraints, circuit.constraints());
    const auto expect_row = [&](const LinearCombination& found, const SparseMatrix& matrix, uint64_t row) {
      const uint64_t begin = matrix.row_begin[row];
      ASSERT_EQ(found.size(), matrix.row_begin[row + 1] - begin);
      for (uint32_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].wire, matrix.columns[begin + i]);
        with_curve(curve(), [&]<class C>(std::type_identity<C>) {
          using Fr = typename C::Fr;
          const auto plain = std::bit_cast<typename Fr::Limbs>(found[i].coefficient);
          const cuzk_fr expected = circuit.dictionary[matrix.coefficients[begin + i]];
          EXPECT_EQ(Fr::from_canonical(plain), std::bit_cast<Fr>(expected));
        });
      }
    };
    r1cs.for_each([&](uint64_t row, const Constraint& constraint) {
      expect_row(constraint.a, circuit.a, row);
      expect_row(constraint.b, circuit.b, row);
      expect_row(constraint.c, circuit.c, row);
    });

    Witness read =
        read_wtns(written("witness.wtns", [&](const ByteSink& sink) { write_wtns(witness, sink); }), pool_, host_);
    EXPECT_EQ(read.curve, curve());
    ASSERT_EQ(read.values.size(), witness.values.size());
    EXPECT_EQ(std::memcmp(read.values.data(), witness.values.data(), witness.values.bytes().size()), 0);
    EXPECT_EQ(r1cs.first_violation(pool_, read), std::nullopt);
    read.values.data()[circuit.c.columns[circuit.c.row_begin[9] - 1]].limb[0] ^= 1;
    EXPECT_EQ(r1cs.first_violation(pool_, read), first_violation(pool_, circuit, read));
  }
}

TEST_P(WritersTest, WhatTheSinkThrowsStopsTheWriter) {
  const Workload made = workload("dense:4");
  const auto key = key_of(made);
  int calls = 0;
  const ByteSink full = [&](std::span<const std::byte>) {
    ++calls;
    throw Error(ErrorCode::proof_failed, "disk full");
  };
  EXPECT_THROW(write_zkey(*key, *made.circuit(), full), Error);
  EXPECT_THROW(write_r1cs(*made.circuit(), full), Error);
  EXPECT_THROW(write_wtns(made.witness(0, pool_, host_), full), Error);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace cuzk::test
