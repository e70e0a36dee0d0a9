#include "oracle.hpp"
#include "support.hpp"

#include <algorithm>

#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>

namespace cuzk::test {
namespace {

class WtnsTest : public FormatsTest {
 protected:
  Witness read(const std::string& path) { return read_wtns(path, pool_, host_); }
};
INSTANTIATE_TEST_SUITE_P(Curves, WtnsTest, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

TEST_P(WtnsTest, GivesCountCurveAndValues) {
  const std::vector<std::pair<std::string, uint64_t>> circuits{
      {"multiplier", 4}, {"nopublic", 5}, {"poseidon2", 243}, {"multipublic", 236}, {"multipublic_O0", 259}};
  for (const auto& [circuit, count] : circuits) {
    const std::string path = file(circuit, "witness.wtns");
    const Witness witness = read(path);
    EXPECT_EQ(witness.name, path);
    EXPECT_EQ(witness.curve, curve());
    ASSERT_EQ(witness.values.size(), count) << circuit;
    const Bytes expected = Image::parse(path)[2];
    EXPECT_EQ(std::memcmp(witness.values.data(), expected.data(), expected.size()), 0) << circuit;
  }
}

TEST_P(WtnsTest, TakesSectionsInAnyOrderAndSkipsUnknownOnes) {
  Image image = Image::parse(file("multiplier", "witness.wtns"));
  std::reverse(image.sections.begin(), image.sections.end());
  image.sections.insert(image.sections.begin(), {777, Bytes(13)});
  image.sections.push_back({777, Bytes(5)});
  EXPECT_EQ(read(scratch_.write("reversed.wtns", image.serialize())).values.size(), 4U);
}

TEST_P(WtnsTest, NamesTheFirstValueOutOfRange) {
  Image image = Image::parse(file("poseidon2", "witness.wtns"));
  const Int r = scalar_prime(curve());
  for (const size_t index : {240U, 17U}) {
    const Int value = to_int(&image[2][32 * index], 32) + r;
    std::fill_n(image[2].begin() + static_cast<std::ptrdiff_t>(32 * index), 32, static_cast<unsigned char>(0));
    export_bits(value, image[2].begin() + static_cast<std::ptrdiff_t>(32 * index), 8, false);
  }
  const std::string path = scratch_.write("large.wtns", image.serialize());
  expect_bad_input([&] { read(path); }, path, "value 17 is not below");
}

TEST_P(WtnsTest, RefusesDamagedFiles) {
  const std::vector<Damage> damages{
      {"magic", [](Image& i) { i.magic = "wtnx"; }, "offset 0: found magic \"wtnx\", expected \"wtns\""},
      {"magic of no characters", [](Image& i) { i.magic[1] = '\x01'; }, "found magic bytes 77 01 6e 73"},
      {"version 1", [](Image& i) { i.version = 1; }, "offset 4: found version 1, expected 2"},
      {"no sections", [](Image& i) { i.sections.clear(); }, "section 1 (header) is missing"},
      {"header missing", [](Image& i) { i.remove(1); }, "section 1 (header) is missing"},
      {"values missing", [](Image& i) { i.remove(2); }, "section 2 (values) is missing"},
      {"values twice", [](Image& i) { i.sections.push_back(i.sections[1]); }, "found a second time, expected once"},
      {"elements of no bytes", [](Image& i) { put_u32(i[1], 0, 0); }, "found elements of 0 bytes, expected 32"},
      {"elements of 31 bytes", [](Image& i) { put_u32(i[1], 0, 31); }, "found elements of 31 bytes, expected 32"},
      {"elements of 2^32-1 bytes", [](Image& i) { put_u32(i[1], 0, UINT32_MAX); }, "elements of 4294967295 bytes"},
      {"other prime", [](Image& i) { i[1][4] ^= 2; }, "a prime of no known curve"},
      {"header short", [](Image& i) { i[1].pop_back(); }, "found 3 bytes before the section's end, expected 4"},
      {"header long", [](Image& i) { i[1].push_back(0); }, "found 1 byte, expected the section's end"},
      {"no values", [](Image& i) { put_u32(i[1], 36, 0), i[2].clear(); }, "found no values"},
      {"count too large", [](Image& i) { put_u32(i[1], 36, 5); }, "found 128 bytes, expected 5 x 32"},
      {"count 2^32-1", [](Image& i) { put_u32(i[1], 36, UINT32_MAX); }, "expected 4294967295 x 32"},
      {"one value missing", [](Image& i) { i[2].resize(96); }, "found 96 bytes, expected 4 x 32"},
      {"half a value more", [](Image& i) { i[2].resize(144); }, "found 144 bytes, expected 4 x 32"},
      {"value 0 is two", [](Image& i) { i[2][0] = 2; }, "value 0 is not one"},
      {"value 0 is 1 + 2^192", [](Image& i) { i[2][24] = 1; }, "value 0 is not one"},
      {"value 3 is 2^256-1", [](Image& i) { std::fill(i[2].end() - 32, i[2].end(), static_cast<unsigned char>(255)); },
       "value 3 is not below"},
  };
  for (const Damage& damage : damages) {
    expect_damage_refused(Image::parse(file("multiplier", "witness.wtns")), damage,
                          [&](const std::string& path) { read(path); });
  }
}

// From the header: the values, which are not even there, are not looked at.
TEST_P(WtnsTest, IsComparedWithItsKeyBeforeAnyValueIsRead) {
  const auto key = open_zkey(file("multiplier", "circuit.zkey"), pool_);
  EXPECT_EQ(read_wtns(file("multiplier", "witness.wtns"), pool_, host_, key.get()).values.size(), 4U);
  const uint64_t held = host_.held();
  const auto refused = [&](Curve of, const std::string& circuit, const std::string& part) {
    Image image = Image::parse(circuit_file(of, circuit, "witness.wtns"));
    image[2].clear();
    const std::string path = scratch_.write("witness.wtns", image.serialize());
    expect_bad_input([&] { read_wtns(path, pool_, host_, key.get()); }, path, part + " for " + key->name);
  };
  const Curve other = curve() == Curve::bn254 ? Curve::bls12_381 : Curve::bn254;
  refused(curve(), "poseidon2", "found 243 values, expected 4");
  refused(other, "multiplier",
          "found a witness on " + std::string(name(other)) + ", expected " + std::string(name(curve())));
  EXPECT_EQ(host_.held(), held);
}

// A refused file keeps nothing of the pool.
TEST_P(WtnsTest, GivesMemoryBackOnFailure) {
  Image image = Image::parse(file("poseidon2", "witness.wtns"));
  image[2][0] = 2;
  const std::string path = scratch_.write("two.wtns", image.serialize());
  expect_bad_input([&] { read(path); }, path, "value 0");
  const uint64_t held = host_.held();
  for (int i = 0; i < 10; ++i) expect_bad_input([&] { read(path); }, path, "value 0");
  EXPECT_EQ(host_.held(), held);
}

}  // namespace
}  // namespace cuzk::test
