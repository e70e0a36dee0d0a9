// Constraint matrices as Filecoin keeps them: read, evaluated, written, and files that are cut or changed.

#include "params_vectors.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include <cuzk/error.hpp>
#include <cuzk/formats/pce.hpp>

namespace cuzk::test {
namespace {

using Fr = arith::Bls12381::Fr;
constexpr Curve kCurve = Curve::bls12_381;

/// Where the parts of a good file are.
struct PceImage {
  explicit PceImage(Bytes file) : bytes(std::move(file)) {
    size_t at = 32;
    for (Matrix& m : matrices) {
      m.pointers = at + 8;
      m.entries = get_u32(bytes, m.pointers + 4 * rows());
      m.columns = m.pointers + 4 * (rows() + 1) + 8;
      m.values = m.columns + 4 * m.entries + 8;
      at = m.values + 32 * m.entries;
    }
    for (Density& d : densities) {
      d.words = at + 8;
      d.bits = d.words + 8 * get_u32(bytes, at);
      at = d.bits + 16;
    }
    EXPECT_EQ(at, bytes.size());
  }
  size_t rows() const { return get_u32(bytes, 16); }

  struct Matrix {
    size_t pointers = 0, columns = 0, values = 0, entries = 0;
  };
  struct Density {
    size_t words = 0, bits = 0;
  };
  Bytes bytes;
  std::array<Matrix, 3> matrices;
  std::array<Density, 3> densities;
};

class PceTest : public testing::Test {
 protected:
  Witness witness(const std::string& name) { return read_wtns(params_file(name + "/witness.wtns"), pool_, host_); }
  void refuses(const Bytes& bytes, const std::string& part) {
    const std::string path = scratch_.write("damaged.pce", bytes);
    expect_bad_input([&] { Pce(path, pool_); }, path, part);
  }
  static void put_u64(Bytes& bytes, size_t at, uint64_t value) { std::memcpy(&bytes.at(at), &value, sizeof value); }
  Pce open(const Circuit& circuit) {
    Bytes bytes;
    write_pce(circuit, pool_, into(bytes));
    return Pce(scratch_.write("circuit.pce", bytes), pool_);
  }

  const PceImage tiny_{read_bytes(params_file("tiny/circuit.pce"))};
  Scratch scratch_;
  CpuPool pool_{3};
  HostPool host_;
};

TEST_F(PceTest, HoldsTheCircuitAndItsDensities) {
  const Pce tiny(params_file("tiny/circuit.pce"), pool_);
  EXPECT_EQ(tiny.inputs(), 3);
  EXPECT_EQ(tiny.variables(), 8);
  EXPECT_EQ(tiny.rows(), 8);
  EXPECT_EQ(tiny.log2_domain(), 3);
  EXPECT_EQ(tiny.in_a(), std::vector<uint64_t>{0b11111111});
  EXPECT_EQ(tiny.in_b(), std::vector<uint64_t>{0b00111001});
  const Pce mixed(params_file("mixed/circuit.pce"), pool_);
  EXPECT_EQ(mixed.rows(), 203);
  EXPECT_EQ(mixed.log2_domain(), 8);
}

TEST_F(PceTest, FindsTheFirstRowThatAWitnessViolates) {
  for (const std::string name : {"tiny", "mixed"}) {
    SCOPED_TRACE(name);
    const Pce pce(params_file(name + "/circuit.pce"), pool_);
    const R1cs r1cs(params_file(name + "/circuit.r1cs"), pool_);
    Witness good = witness(name);
    EXPECT_EQ(pce.first_violation(pool_, good), std::nullopt);
    for (size_t i = 1; i < good.values.size(); ++i) {
      cuzk_fr& value = good.values.data()[i];
      const cuzk_fr kept = value;
      value.limb[0] ^= 1;
      EXPECT_EQ(pce.first_violation(pool_, good), r1cs.first_violation(pool_, good)) << i;
      value = kept;
    }
  }
  const Pce pce(params_file("tiny/circuit.pce"), pool_);
  const Witness other = witness("mixed");
  expect_bad_input([&] { pce.first_violation(pool_, other); }, other.name,
                   "found 202 values, expected 8 for " + pce.path());
}

TEST_F(PceTest, WritesTheBytesOfTheVectors) {
  for (const std::string name : {"tiny", "mixed"}) {
    const R1cs r1cs(params_file(name + "/circuit.r1cs"), pool_);
    Bytes written;
    write_pce(circuit_of(r1cs), pool_, into(written));
    EXPECT_EQ(written, read_bytes(params_file(name + "/circuit.pce"))) << name;
  }
}

TEST_F(PceTest, RefusesToWriteWhatDoesNotFit) {
  Circuit circuit;
  circuit.name = "a circuit";
  Bytes written;
  const auto refused = [&](const std::string& part) {
    expect_error(
        ErrorCode::usage, [&] { write_pce(circuit, pool_, into(written)); }, circuit.name, part);
  };
  circuit.curve = Curve::bn254;
  circuit.variables = 1;
  refused("found a circuit on bn254");
  circuit.curve = kCurve;
  circuit.variables = (uint64_t{1} << 32) + 1;
  refused("found 4294967297 variables, expected at most 4294967295");
  circuit.publics = UINT32_MAX - 1;
  circuit.variables = UINT32_MAX;
  circuit.a.row_begin.push_back(0);
  refused("found 4294967296 rows");
  EXPECT_TRUE(written.empty());
}

TEST_F(PceTest, RefusesVectorsOfOtherLengths) {
  const Pce pce(params_file("tiny/circuit.pce"), pool_);
  std::vector<cuzk_fr> seven(7), eight(8), nine(9);
  EXPECT_ANY_THROW(pce.evaluate(pool_, seven, eight, eight));
  EXPECT_ANY_THROW(pce.evaluate(pool_, eight, nine, eight));
  EXPECT_ANY_THROW(pce.evaluate(pool_, eight, eight, seven));
}

// More rows than one block, one long row, empty rows, inputs and variables across the words of a mask.
TEST_F(PceTest, EvaluatesLargeCircuitsOnAnyNumberOfThreads) {
  constexpr uint32_t kVariables = 1000, kInputs = 70, kRows = 9000;
  std::mt19937_64 random(5);
  Circuit circuit;
  circuit.name = "large";
  circuit.curve = kCurve;
  circuit.variables = kVariables;
  circuit.publics = kInputs - 1;
  const Int r = scalar_prime(kCurve);
  std::vector<Int> coefficients;
  for (int i = 0; i < 50; ++i) {
    const Fr value = i == 0 ? Fr::one() : Fr::from_u64(random()) * Fr::from_u64(random());
    circuit.dictionary.push_back(std::bit_cast<cuzk_fr>(value.limb));
    coefficients.push_back(from_montgomery(circuit.dictionary.back(), kCurve));
  }
  std::vector<Int> values;
  std::vector<cuzk_fr> witness;
  for (uint32_t i = 0; i < kVariables; ++i) {
    const cuzk_fr value = i % 3 == 0 ? cuzk_fr{{i % 2, 0, 0, 0}} : cuzk_fr{{random(), random(), random(), i}};
    witness.push_back(value);
    values.push_back(to_int(value));
  }
  std::vector<Int> a, b;
  std::vector<bool> in_a(kVariables), in_b(kVariables);
  for (uint32_t row = 0; row < kRows; ++row) {
    const auto add = [&](SparseMatrix& matrix, std::vector<Int>& out, std::vector<bool>& dense, uint32_t terms) {
      std::map<uint32_t, uint32_t> entries;
      for (uint32_t i = 0; i < terms; ++i) {
        entries[static_cast<uint32_t>(random() % 600)] = static_cast<uint32_t>(random() % 50);
      }
      Int sum;
      for (const auto& [column, coefficient] : entries) {
        sum += coefficients[coefficient] * values[column];
        dense[column] = true;
      }
      append_row(matrix, entries);
      out.push_back(sum % r);
    };
    add(circuit.a, a, in_a, row == 5000 ? 500 : static_cast<uint32_t>(random() % 3));
    add(circuit.b, b, in_b, row % 100 == 0 ? 2 : 0);
    append_row(circuit.c, {});
  }
  for (uint32_t i = 0; i < kInputs; ++i) {
    a.push_back(values[i]);
    in_a[i] = true;
  }
  const Pce pce = open(circuit);
  EXPECT_EQ(pce.rows(), kRows + kInputs);
  for (size_t i = 0; i < 1024; ++i) {
    EXPECT_EQ(pce.in_a()[i / 64] >> (i % 64) & 1, i < kVariables && in_a[i]) << i;
    EXPECT_EQ(pce.in_b()[i / 64] >> (i % 64) & 1, i < kVariables && in_b[i]) << i;
  }
  for (const uint32_t threads : {1U, 3U}) {
    CpuPool pool(threads);
    const cuzk_fr garbage{{1, 2, 3, 4}};
    std::vector<cuzk_fr> x(16384, garbage), y(16384, garbage);
    pce.evaluate(pool, witness, x, y);
    const Int unscale = inverse(montgomery_r(kCurve), r);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(Int(to_int(x[i]) * unscale % r), i < a.size() ? a[i] : Int(0)) << i;
      ASSERT_EQ(Int(to_int(y[i]) * unscale % r), i < b.size() ? b[i] : Int(0)) << i;
    }
  }
}

TEST_F(PceTest, TakesTheSmallestCircuitAndExplicitZeros) {
  Circuit one;
  one.name = "one";
  one.curve = kCurve;
  one.variables = 1;
  const Pce pce = open(one);
  EXPECT_EQ(pce.log2_domain(), 0);
  std::vector<cuzk_fr> witness{{{1, 0, 0, 0}}}, a(1), b(1);
  pce.evaluate(pool_, witness, a, b);
  EXPECT_EQ(from_montgomery(a[0], kCurve), 1);
  EXPECT_EQ(from_montgomery(b[0], kCurve), 0);

  // Variable 3 stands once in B; with the coefficient zero it is not dense there.
  PceImage image = tiny_;
  const auto& matrix = image.matrices[1];
  size_t entry = 0;
  while (get_u32(image.bytes, matrix.columns + 4 * entry) != 3) ++entry;
  std::fill_n(image.bytes.begin() + static_cast<std::ptrdiff_t>(matrix.values + 32 * entry), 32,
              static_cast<unsigned char>(0));
  refuses(image.bytes, "density of B, auxiliary, offset 1004: bit 0: found 1, expected 0 by the matrix");
  image.bytes[image.densities[2].words] &= 0xfe;
  refuses(image.bytes, "found a number of set bits of 3, expected 2");
  put_u64(image.bytes, image.densities[2].bits + 8, 2);
  EXPECT_EQ(Pce(scratch_.write("zero.pce", image.bytes), pool_).in_b(), std::vector<uint64_t>{0b00110001});
}

TEST_F(PceTest, RefusesDamagedHeaders) {
  const auto set = [&](size_t at, uint32_t value, const std::string& part) {
    Bytes bytes = tiny_.bytes;
    put_u32(bytes, at, value);
    refuses(bytes, part);
  };
  set(0, 0x01454350, "header, offset 0: found magic bytes 50 43 45 01");
  set(4, 1, "header, offset 4: found version 1, expected 2");
  set(8, 0, "header, offset 8: found no inputs");
  set(8, UINT32_MAX, "header, offset 12: found 4294967300 variables, expected at most 2^32");
  set(12, UINT32_MAX, "header, offset 12: found 4294967298 variables, expected at most 2^32");
  set(16, 2, "header, offset 16: found 2 rows, expected at least one for each of the 3 inputs");
  for (const uint32_t rows : {7U, 9U, UINT32_MAX}) {
    set(16, rows, "matrix A, offset 32: found 9 row pointers, expected " + std::to_string(uint64_t{rows} + 1));
  }
  set(20, 19, "header, offset 20: found 19 entries in all, expected 20");
  set(24, 1, "header, offset 20: found 4294967316 entries in all, expected 20");
  set(28, 1, "header, offset 28: found the header's last field not zero");
  set(8, 4, "density of B, inputs, offset 980: found 3 bits, expected 4");
  set(8, 2, "density of B, inputs, offset 980: found 3 bits, expected 2");
  set(12, 6, "density of A, auxiliary, offset 948: found 5 bits, expected 6");
  set(12, 4, "density of A, auxiliary, offset 948: found 5 bits, expected 4");
}

TEST_F(PceTest, RefusesDamagedMatrices) {
  for (size_t m = 0; m < 3; ++m) {
    const PceImage::Matrix& matrix = tiny_.matrices[m];
    const std::string part = std::string("matrix ") + "ABC"[m] + ", offset ";
    const auto with = [&](const std::function<void(Bytes&)>& change, const std::string& message) {
      Bytes bytes = tiny_.bytes;
      change(bytes);
      refuses(bytes, message);
    };
    for (const size_t at : {matrix.pointers - 8, matrix.columns - 8, matrix.values - 8}) {
      const uint64_t count = get_u32(tiny_.bytes, at);
      for (const uint64_t other : {count - 1, count + 1, uint64_t{0}, uint64_t{1} << 32, uint64_t{1} << 59,
                                   (uint64_t{1} << 62) + count, (uint64_t{1} << 61) + count, UINT64_MAX}) {
        with([&](Bytes& b) { put_u64(b, at, other); }, part + std::to_string(at) + ": found " + std::to_string(other));
      }
    }
    with([&](Bytes& b) { put_u32(b, matrix.pointers, 1); }, "row pointer 0: found 1, expected 0");
    with([&](Bytes& b) { put_u32(b, matrix.pointers + 12, UINT32_MAX); },
         "row pointer 4: found " + std::to_string(get_u32(tiny_.bytes, matrix.pointers + 16)) +
             ", expected at least 4294967295");
    for (const uint32_t last : {0U, static_cast<uint32_t>(matrix.entries + 1), UINT32_MAX}) {
      with([&](Bytes& b) { put_u32(b, matrix.pointers + 32, last); },
           "found " + std::to_string(matrix.entries) + " columns, expected " + std::to_string(last));
    }
    for (const uint32_t column : {8U, UINT32_MAX}) {
      with([&](Bytes& b) { put_u32(b, matrix.columns + 4, column); },
           part + std::to_string(matrix.columns + 4) + ": entry 1: found column " + std::to_string(column) +
               ", expected below 8");
    }
    const Int prime = scalar_prime(kCurve);
    for (const Int& value : {prime, Int((Int(1) << 256) - 1)}) {
      with(
          [&](Bytes& b) {
            const auto at = b.begin() + static_cast<std::ptrdiff_t>(matrix.values + 64);
            std::fill_n(at, 32, static_cast<unsigned char>(0));
            export_bits(value, at, 8, false);
          },
          part + std::to_string(matrix.values + 64) + ": entry 2: its value is not below");
    }
  }
}

TEST_F(PceTest, RefusesOtherRowsOfTheInputs) {
  const PceImage::Matrix& a = tiny_.matrices[0];
  Bytes bytes = tiny_.bytes;
  put_u32(bytes, a.columns + 4 * (a.entries - 2), 2);  // the row of input 1
  refuses(bytes, "row 6 is not that of input 1");
  bytes = tiny_.bytes;
  bytes[a.values + 32 * (a.entries - 1)] ^= 1;  // the coefficient of input 2
  refuses(bytes, "row 7 is not that of input 2");
  bytes = tiny_.bytes;
  put_u32(bytes, a.pointers + 4 * 5, 5);  // row 4's last entry moves to the row of input 0
  refuses(bytes, "row 5 is not that of input 0");
  for (const size_t m : {1U, 2U}) {
    bytes = tiny_.bytes;
    const PceImage::Matrix& matrix = tiny_.matrices[m];
    put_u32(bytes, matrix.pointers + 4 * 5, static_cast<uint32_t>(matrix.entries - 1));
    refuses(bytes, "found entries in the rows of the inputs, from row 5 on, expected none");
  }
}

TEST_F(PceTest, RefusesOtherDensities) {
  const std::array<std::string, 3> names{"density of A, auxiliary", "density of B, inputs", "density of B, auxiliary"};
  const std::array<uint64_t, 3> bits{5, 3, 5};
  for (size_t d = 0; d < 3; ++d) {
    const PceImage::Density& density = tiny_.densities[d];
    const auto set = [&](size_t at, uint64_t value, const std::string& part) {
      Bytes bytes = tiny_.bytes;
      put_u64(bytes, at, value);
      refuses(bytes, names[d] + ", offset " + std::to_string(at) + ": " + part);
    };
    for (const uint64_t words : {uint64_t{0}, uint64_t{2}, (uint64_t{1} << 61) + 1, UINT64_MAX}) {
      set(density.words - 8, words, "found " + std::to_string(words) + " words, expected 1");
    }
    for (const uint64_t other : {bits[d] - 1, bits[d] + 1, uint64_t{64}, UINT64_MAX}) {
      set(density.bits, other, "found " + std::to_string(other) + " bits, expected " + std::to_string(bits[d]));
    }
    const uint64_t word = tiny_.bytes[density.words];
    for (uint64_t bit = 0; bit < 64; ++bit) {
      const bool is = (word >> bit & 1) != 0;
      set(density.words, word ^ (uint64_t{1} << bit),
          "bit " + std::to_string(bit) + ": found " + (is ? "0, expected 1" : "1, expected 0") + " by the matrix");
    }
    const uint64_t ones = tiny_.bytes[density.bits + 8];
    for (const uint64_t other : {ones - 1, ones + 1, UINT64_MAX}) {
      set(density.bits + 8, other, "found a number of set bits of " + std::to_string(other));
    }
  }
  Bytes bytes = tiny_.bytes;
  bytes.push_back(0);
  refuses(bytes, "end, offset 1028: found 1 byte");
}

TEST_F(PceTest, RefusesFilesCutAnywhere) {
  for (size_t size = 1; size < tiny_.bytes.size(); ++size) {
    refuses(Bytes(tiny_.bytes.begin(), tiny_.bytes.begin() + static_cast<std::ptrdiff_t>(size)), ", offset ");
  }
}

// A byte of a coefficient or column may give the matrices of another circuit, which must then evaluate; all others are
// refused.
TEST_F(PceTest, SurvivesAnyChangedByte) {
  const Witness full = witness("tiny");
  std::vector<cuzk_fr> a(8), b(8);
  for (size_t at = 0; at < tiny_.bytes.size(); ++at) {
    const bool entry = std::any_of(tiny_.matrices.begin(), tiny_.matrices.end(), [&](const PceImage::Matrix& m) {
      return (at >= m.columns && at < m.columns + 4 * m.entries) || (at >= m.values && at < m.values + 32 * m.entries);
    });
    const bool pointer = std::any_of(tiny_.matrices.begin(), tiny_.matrices.end(), [&](const PceImage::Matrix& m) {
      return at >= m.pointers && at < m.pointers + 4 * (tiny_.rows() + 1);
    });
    for (const unsigned change : {0x01U, 0x04U, 0x80U, 0xffU}) {
      Bytes bytes = tiny_.bytes;
      bytes[at] = static_cast<unsigned char>(bytes[at] ^ change);
      const std::string path = scratch_.write("changed.pce", bytes);
      try {
        const auto key = open_params(params_file("tiny/key.params"), path, pool_);
        EXPECT_TRUE(entry || pointer) << at << " " << change;
        key->matrices->evaluate(pool_, full.values.span(), a, b);
        Pce(path, pool_).first_violation(pool_, full);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace cuzk::test
