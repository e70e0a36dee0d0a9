#include "oracle.hpp"
#include "support.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include <cuzk/formats/r1cs.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>

namespace cuzk::test {
namespace {

constexpr uint32_t kHeader = 2, kCoefficients = 4, kH = 9;
constexpr size_t kEntry = 44;

using Rows = std::vector<cuzk_fr>;
struct Evaluated {
  Rows a, b;
};

class MatricesTest : public FormatsTest {
 protected:
  Evaluated evaluate(const std::string& path, const std::vector<cuzk_fr>& witness, uint32_t threads) {
    CpuPool pool(threads);
    const auto key = open_zkey(path, pool);
    const uint64_t rows = key->shape.domain_size();
    const cuzk_fr garbage{{1, 2, 3, 4}};  // must be overwritten in every row
    Evaluated result{Rows(rows, garbage), Rows(rows, garbage)};
    key->matrices->evaluate(pool, witness, result.a, result.b);
    return result;
  }

  std::vector<cuzk_fr> witness_of(const std::string& circuit) {
    const Witness witness = read_wtns(file(circuit, "witness.wtns"), pool_, host_);
    return {witness.values.data(), witness.values.data() + witness.values.size()};
  }

  /// The same from the file's coefficients, term by term, in plain integers.
  std::array<std::vector<Int>, 2> naive(Image image, const std::vector<cuzk_fr>& witness, size_t rows) const {
    const Int r = scalar_prime(curve());
    const Int scale = inverse(montgomery_r(curve()) * montgomery_r(curve()) % r, r);
    const Bytes& bytes = image[kCoefficients];
    std::array<std::vector<Int>, 2> result{std::vector<Int>(rows), std::vector<Int>(rows)};
    for (size_t at = 4; at < bytes.size(); at += kEntry) {
      Int& sum = result.at(get_u32(bytes, at)).at(get_u32(bytes, at + 4));
      sum = (sum + to_int(&bytes[at + 12], 32) * scale % r * to_int(witness.at(get_u32(bytes, at + 8)))) % r;
    }
    return result;
  }

  void expect_rows(const Rows& found, const std::vector<Int>& expected) const {
    ASSERT_EQ(found.size(), expected.size());
    const Int r = scalar_prime(curve()), unscale = inverse(montgomery_r(curve()), r);
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_LT(to_int(found[i]), r) << "row " << i;
      ASSERT_EQ(to_int(found[i]) * unscale % r, expected[i]) << "row " << i;
    }
  }

  /// The multiplier's key with another domain, whose H points are all infinity, and these coefficients.
  Image synthetic(uint32_t domain, const std::vector<std::array<uint32_t, 3>>& places, std::mt19937_64& random) const {
    Image image = Image::parse(file("multiplier", "circuit.zkey"));
    put_u32(image[kHeader], 4 + fp() + 4 + kFrBytes + 8, domain);
    image[kH].assign(domain * g1(), 0);
    Bytes& bytes = image[kCoefficients];
    bytes.clear();
    append_u32(bytes, static_cast<uint32_t>(places.size()));
    for (const auto& [matrix, row, wire] : places) {
      append_u32(bytes, matrix);
      append_u32(bytes, row);
      append_u32(bytes, wire);
      for (int i = 0; i < 8; ++i)
        append_u32(bytes, static_cast<uint32_t>(random()) >> (i == 7 ? 4 : 0));  // < 2^252 < r
    }
    return image;
  }
};
INSTANTIATE_TEST_SUITE_P(Curves, MatricesTest, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

/// The entries of section 4 in another order.
void reorder(Bytes& bytes, const std::function<void(std::vector<Bytes>&)>& change) {
  std::vector<Bytes> entries;
  for (auto at = bytes.begin() + 4; at != bytes.end(); at += kEntry) entries.emplace_back(at, at + kEntry);
  change(entries);
  auto out = bytes.begin() + 4;
  for (const Bytes& entry : entries) out = std::copy(entry.begin(), entry.end(), out);
}

bool same(const Rows& a, const Rows& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(cuzk_fr)) == 0;
}

TEST_P(MatricesTest, EvaluateLikePlainIntegersInAnyOrder) {
  for (const char* circuit : {"multiplier", "nopublic", "poseidon2", "multipublic", "multipublic_O0"}) {
    SCOPED_TRACE(circuit);
    const std::string path = file(circuit, "circuit.zkey");
    Image image = Image::parse(path);
    const auto witness = witness_of(circuit);
    const Evaluated sorted = evaluate(path, witness, 2);
    const auto expected = naive(image, witness, sorted.a.size());
    expect_rows(sorted.a, expected[0]);
    expect_rows(sorted.b, expected[1]);

    std::mt19937 random(7);
    for (const auto& change : std::vector<std::function<void(std::vector<Bytes>&)>>{
             [](auto& entries) { std::reverse(entries.begin(), entries.end()); },
             [&](auto& entries) { std::shuffle(entries.begin(), entries.end(), random); }}) {
      reorder(image[kCoefficients], change);
      const Evaluated other = evaluate(scratch_.write("reordered.zkey", image.serialize()), witness, 2);
      EXPECT_TRUE(same(other.a, sorted.a));
      EXPECT_TRUE(same(other.b, sorted.b));
    }
  }
}

// The .r1cs has the same matrices in plain form, without the rows of the public signals.
TEST_P(MatricesTest, AgreeWithTheConstraintsOfTheCircuit) {
  for (const char* circuit : {"multiplier", "nopublic", "multipublic"}) {
    SCOPED_TRACE(circuit);
    const R1cs r1cs(file(circuit, "circuit.r1cs"), pool_);
    const auto witness = witness_of(circuit);
    const Evaluated found = evaluate(file(circuit, "circuit.zkey"), witness, 2);
    std::vector<Int> a(found.a.size()), b(found.b.size());
    const auto sum = [&](const LinearCombination& terms) {
      Int total;
      for (uint32_t i = 0; i < terms.size(); ++i)
        total += to_int(terms[i].coefficient) * to_int(witness[terms[i].wire]);
      return Int(total % scalar_prime(curve()));
    };
    r1cs.for_each([&](uint64_t i, const Constraint& constraint) {
      a[i] = sum(constraint.a);
      b[i] = sum(constraint.b);
    });
    const uint64_t publics = r1cs.header().outputs + r1cs.header().public_inputs;
    for (uint64_t i = 0; i <= publics; ++i) a[r1cs.header().constraints + i] = to_int(witness[i]);
    // snarkjs may have swapped A and B of a constraint: their product is what counts.
    expect_rows(found.a, a);
    expect_rows(found.b, b);
  }
}

// Long rows, empty rows at both ends and between, more entries than one range, on several numbers of threads.
TEST_P(MatricesTest, CutRowsBetweenThreads) {
  std::mt19937_64 random(11);
  constexpr uint32_t kDomain = 1U << 14;
  std::vector<std::array<uint32_t, 3>> places;
  const auto add = [&](uint32_t row, int count) {
    for (int i = 0; i < count; ++i) {
      places.push_back({static_cast<uint32_t>(random() & 1U), row, static_cast<uint32_t>(random() & 3U)});
    }
  };
  for (uint32_t row = 100; row < kDomain - 100; ++row) add(row, static_cast<int>(random() % 4));
  add(5'000, 9'000);
  std::sort(places.begin(), places.end(), [](const auto& x, const auto& y) { return x[1] < y[1]; });
  const Int r = scalar_prime(curve());
  std::vector<cuzk_fr> witness{{{1, 0, 0, 0}}, {{0, 0, 0, 0}}, {{2, 0, 0, 1}}, {{~uint64_t{0}, 5, 0, 1U << 30}}};
  Image image = synthetic(kDomain, places, random);
  const auto expected = naive(image, witness, kDomain);
  for (const bool shuffled : {false, true}) {
    if (shuffled) reorder(image[kCoefficients], [&](auto& e) { std::shuffle(e.begin(), e.end(), random); });
    const std::string path = scratch_.write("synthetic.zkey", image.serialize());
    const Evaluated one = evaluate(path, witness, 1);
    expect_rows(one.a, expected[0]);
    expect_rows(one.b, expected[1]);
    for (const uint32_t threads : {2U, 7U}) {
      const Evaluated more = evaluate(path, witness, threads);
      EXPECT_TRUE(same(more.a, one.a)) << threads;
      EXPECT_TRUE(same(more.b, one.b)) << threads;
    }
  }
}

TEST_P(MatricesTest, EvaluateOneLongRowAndNoCoefficientsAtAll) {
  std::mt19937_64 random(13);
  const std::vector<cuzk_fr> witness{{{1, 0, 0, 0}}, {{1, 0, 0, 0}}, {{0, 0, 0, 0}}, {{3, 0, 0, 0}}};
  std::vector<std::array<uint32_t, 3>> places;
  for (uint32_t i = 0; i < 20'000; ++i) places.push_back({0, 7, i % 4});
  for (const auto& entries : {places, std::vector<std::array<uint32_t, 3>>{}}) {
    const Image image = synthetic(8, entries, random);
    const Evaluated found = evaluate(scratch_.write("row.zkey", image.serialize()), witness, 3);
    const auto expected = naive(image, witness, 8);
    expect_rows(found.a, expected[0]);
    expect_rows(found.b, expected[1]);
  }
}

TEST_P(MatricesTest, RefuseVectorsOfOtherLengths) {
  const auto key = open_zkey(file("multiplier", "circuit.zkey"), pool_);
  std::vector<cuzk_fr> three(3), four(4), five(5);
  EXPECT_ANY_THROW(key->matrices->evaluate(pool_, three, four, four));
  EXPECT_ANY_THROW(key->matrices->evaluate(pool_, four, five, four));
  EXPECT_ANY_THROW(key->matrices->evaluate(pool_, four, four, three));
}

}  // namespace
}  // namespace cuzk::test
