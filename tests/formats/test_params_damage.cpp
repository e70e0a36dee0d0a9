// Keys of bellman that are cut, changed or of another circuit.

#include "params_vectors.hpp"

#include <algorithm>

#include <cuzk/error.hpp>

namespace cuzk::test {
namespace {

constexpr size_t kLead = 864, kG1 = 96, kG2 = 192;
constexpr const char* kVectors[] = {"ic", "h", "l", "a", "b_g1", "b_g2"};
constexpr size_t kBG2 = 5;

/// A key taken apart.
struct ParamsImage {
  struct Vector {
    uint32_t count;
    Bytes points;
  };
  Bytes lead;
  std::vector<Vector> vectors;
  Bytes tail;

  static ParamsImage parse(const Bytes& bytes) {
    const auto cut = [&](size_t at, size_t size) {
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      return Bytes(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    ParamsImage image{cut(0, kLead), {}, {}};
    size_t at = kLead;
    for (size_t v = 0; v < std::size(kVectors); ++v) {
      const uint32_t count = __builtin_bswap32(get_u32(bytes, at));
      image.vectors.push_back({count, cut(at + 4, count * point_size(v))});
      at += 4 + image.vectors[v].points.size();
    }
    EXPECT_EQ(at, bytes.size());
    return image;
  }
  static size_t point_size(size_t vector) { return vector == kBG2 ? kG2 : kG1; }
  Bytes serialize() const {
    Bytes out = lead;
    for (const Vector& vector : vectors) {
      append_u32(out, __builtin_bswap32(vector.count));
      out.insert(out.end(), vector.points.begin(), vector.points.end());
    }
    out.insert(out.end(), tail.begin(), tail.end());
    return out;
  }
  size_t count_offset(size_t vector) const {
    size_t at = kLead;
    for (size_t v = 0; v < vector; ++v) at += 4 + vectors[v].points.size();
    return at;
  }
};

/// A big-endian coordinate plus the base field's prime.
void add_prime(unsigned char* at) {
  Int value;
  for (size_t i = 0; i < 48; ++i) value = value << 8 | at[i];
  value += base_prime(Curve::bls12_381);
  for (size_t i = 48; i-- > 0; value >>= 8) at[i] = static_cast<unsigned char>(value & 255);
}

/// What can be wrong with the point at `at`, of `size` bytes, and what the message says.
struct PointFault {
  const char* message;
  std::function<void(unsigned char* at, size_t size)> make;
};
const std::vector<PointFault>& point_faults() {
  const auto infinity = [](unsigned char* at, size_t size) {
    std::fill_n(at, size, static_cast<unsigned char>(0));
    at[0] = 0x40;
  };
  static const std::vector<PointFault> faults{
      {"has the flag of a compressed point", [](unsigned char* at, size_t) { at[0] |= 0x80; }},
      {"has the flag of a compressed point", [](unsigned char* at, size_t) { at[0] |= 0xe0; }},
      {"is the point at infinity", [](unsigned char* at, size_t) { at[0] |= 0x40; }},
      {"is the point at infinity", infinity},
      {"has the sign flag", [](unsigned char* at, size_t) { at[0] |= 0x20; }},
      {"is all zero", [](unsigned char* at, size_t size) { std::fill_n(at, size, static_cast<unsigned char>(0)); }},
      {"has a coordinate that is not below", [](unsigned char* at, size_t size) { add_prime(at + size / 2); }},
      {"has a coordinate that is not below", [](unsigned char* at, size_t size) { add_prime(at + size - 48); }},
      {"has a coordinate that is not below", [](unsigned char* at, size_t size) { at[size / 2] |= 0x20; }},
      {"has a coordinate that is not below",
       [](unsigned char* at, size_t) {
         at[0] = 0x1f;
         std::fill_n(at + 1, 47, static_cast<unsigned char>(255));
       }},
      {"is not on the curve", [](unsigned char* at, size_t size) { at[size - 1] ^= 1; }},
      {"is not on the curve", [](unsigned char* at, size_t size) { at[size / 2 - 1] ^= 1; }},
  };
  return faults;
}

class ParamsDamageTest : public testing::Test {
 protected:
  std::string pce() const { return params_file("tiny/circuit.pce"); }
  ParamsImage tiny() const { return ParamsImage::parse(good_); }
  void refuses(const ParamsImage& image, const std::string& part) { refuses(image.serialize(), part); }
  void refuses(const Bytes& bytes, const std::string& part) {
    const std::string path = scratch_.write("damaged.params", bytes);
    expect_bad_input([&] { open_params(path, pce(), pool_); }, path, part);
  }

  const Bytes good_ = read_bytes(params_file("tiny/key.params"));
  Scratch scratch_;
  CpuPool pool_{1};
};

TEST_F(ParamsDamageTest, TheImageIsFaithful) {
  EXPECT_EQ(tiny().serialize(), good_);
  EXPECT_NE(open_params(scratch_.write("good.params", good_), pce(), pool_), nullptr);
}

TEST_F(ParamsDamageTest, RefusesCountsThatAreNotTheCircuits) {
  const ParamsImage image = tiny();
  for (size_t v = 0; v < image.vectors.size(); ++v) {
    const uint32_t count = image.vectors[v].count;
    const size_t bytes = ParamsImage::point_size(v);
    const std::string where =
        std::string("vector ") + kVectors[v] + ", offset " + std::to_string(image.count_offset(v)) + ": found ";
    for (const uint32_t other : {count - 1, count + 1, 0U, 0x7fffffffU, 0x80000000U, UINT32_MAX}) {
      ParamsImage damaged = image;
      damaged.vectors[v].count = other;
      const std::string found = std::to_string(other) + (other == 1 ? " point" : " points") + ", expected ";
      refuses(damaged, where + found + std::to_string(count) + " for " + pce());
    }
    // Well formed, but for another circuit.
    ParamsImage less = image, more = image;
    less.vectors[v].count -= 1;
    less.vectors[v].points.resize((count - 1) * bytes);
    refuses(less, where);
    more.vectors[v].count += 1;
    more.vectors[v].points.insert(more.vectors[v].points.end(), image.vectors[v].points.begin(),
                                  image.vectors[v].points.begin() + static_cast<std::ptrdiff_t>(bytes));
    refuses(more, where);
  }
}

TEST_F(ParamsDamageTest, RefusesTheKeyOfAnotherCircuit) {
  const std::string path = params_file("mixed/key.params");
  expect_bad_input([&] { open_params(path, pce(), pool_); }, path,
                   "vector ic, offset 864: found 5 points, expected 3 for " + pce());
}

TEST_F(ParamsDamageTest, RefusesMissingFilesByName) {
  for (const bool key : {true, false}) {
    const std::string good = params_file(key ? "tiny/circuit.pce" : "tiny/key.params"), none = scratch_.path("none");
    expect_bad_input([&] { key ? open_params(none, good, pool_) : open_params(good, none, pool_); }, none, "open");
  }
}

TEST_F(ParamsDamageTest, RefusesFilesCutAnywhere) {
  for (size_t size = 1; size < good_.size(); ++size) {
    const std::string part = size < kLead     ? "expected at least the 864"
                             : size < 864 + 4 ? "vector ic, offset 864: number of points: found "
                                              : "vector ";
    refuses(Bytes(good_.begin(), good_.begin() + static_cast<std::ptrdiff_t>(size)), part);
  }
}

TEST_F(ParamsDamageTest, RefusesWhatFollowsTheKey) {
  ParamsImage image = tiny();
  image.tail = {0};
  refuses(image, "offset 4248: found 1 byte, expected the file's end");
  image.tail.resize(5000);
  refuses(image, "offset 4248: found 5000 bytes, expected the file's end");
}

TEST_F(ParamsDamageTest, RefusesEveryFaultOfEveryPoint) {
  const ParamsImage image = tiny();
  for (const PointFault& fault : point_faults()) {
    for (size_t v = 0; v < image.vectors.size(); ++v) {
      const size_t bytes = ParamsImage::point_size(v);
      for (size_t i = 0; i < image.vectors[v].count; ++i) {
        ParamsImage damaged = image;
        fault.make(&damaged.vectors[v].points[i * bytes], bytes);
        refuses(damaged, std::string("vector ") + kVectors[v] + ", offset " +
                             std::to_string(image.count_offset(v) + 4 + i * bytes) + ": point " + std::to_string(i) +
                             " " + fault.message);
      }
    }
    size_t at = 0;
    for (const char* name : {"alpha1", "beta1", "beta2", "gamma2", "delta1", "delta2"}) {
      const size_t bytes = name[std::string(name).size() - 1] == '2' ? kG2 : kG1;
      ParamsImage damaged = image;
      fault.make(&damaged.lead[at], bytes);
      refuses(damaged,
              "verification key, offset " + std::to_string(at) + ": " + std::string(name) + " " + fault.message);
      at += bytes;
    }
  }
}

// The order of a .zkey.
TEST_F(ParamsDamageTest, RefusesC0BeforeC1) {
  ParamsImage image = tiny();
  auto& points = image.vectors[kBG2].points;
  for (const std::ptrdiff_t at : {0, 96}) {
    std::swap_ranges(points.begin() + at, points.begin() + at + 48, points.begin() + at + 48);
  }
  refuses(image, "vector b_g2, offset 3480: point 0 is not on the curve");
}

TEST_F(ParamsDamageTest, NamesTheFirstOfManyFaults) {
  ParamsImage image = tiny();
  for (size_t i = 5; i < 8; ++i) image.vectors[3].points[i * kG1 + 95] ^= 1;
  image.vectors[kBG2].points[191] ^= 1;
  refuses(image,
          "vector a, offset " + std::to_string(image.count_offset(3) + 4 + 5 * kG1) + ": point 5 is not on the curve");
}

TEST_F(ParamsDamageTest, RefusesVerificationKeysOffTheSubgroup) {
  Bytes g1, g2;
  const auto encodings = params_json("encodings.json");
  for (const auto& one : encodings["invalid"]) {
    if (one["why"] != "on the curve, outside the subgroup" || one["form"] != "uncompressed") continue;
    (one["group"] == "g1" ? g1 : g2) = from_hex(one["hex"].get<std::string>());
  }
  ASSERT_EQ(g1.size(), kG1);
  ASSERT_EQ(g2.size(), kG2);
  size_t at = 0;
  for (const std::string name : {"alpha1", "beta1", "beta2", "gamma2", "delta1", "delta2"}) {
    const Bytes& point = name.back() == '2' ? g2 : g1;
    ParamsImage image = tiny();
    std::copy(point.begin(), point.end(), image.lead.begin() + static_cast<std::ptrdiff_t>(at));
    refuses(image, name + " is not in the subgroup of prime order");
    at += point.size();
  }
}

// No byte is without meaning.
TEST_F(ParamsDamageTest, RefusesAnyChangedByte) {
  for (size_t at = 0; at < good_.size(); at += 5) {
    Bytes bytes = good_;
    bytes[at] = static_cast<unsigned char>(bytes[at] ^ (1U << (at % 8)));
    refuses(bytes, "offset ");
  }
}

}  // namespace
}  // namespace cuzk::test
