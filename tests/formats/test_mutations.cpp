// Every field of every section of a good file takes every value that may hurt: the file is refused with one line that
// names it, or what was read is sound. Never a signal (sanitizers see the rest), never more than a second.

#include "support.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include <cuzk/arith/fields.hpp>
#include <cuzk/error.hpp>
#include <cuzk/formats/json.hpp>
#include <cuzk/formats/r1cs.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/groth16/proof.hpp>

namespace cuzk::test {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::chrono::seconds kMostTime{10};
#else
constexpr std::chrono::seconds kMostTime{1};
#endif

using Json = nlohmann::json;

class MutationTest : public FormatsTest {
 protected:
  /// Whether the file is taken; one that is not is refused as it should be.
  bool takes(const std::string& name, const std::string& contents, const std::string& what) {
    const std::string path = scratch_.write(name, contents);
    const auto begin = std::chrono::steady_clock::now();
    bool taken = false;
    try {
      read(name, path);
      taken = true;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << what << ": " << message;
      EXPECT_EQ(message.substr(0, path.size() + 2), path + ": ") << what << ": " << message;
      EXPECT_LT(message.size() - path.size(), 300U) << what << ": " << message;
      EXPECT_TRUE(std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; }))
          << what << ": " << message;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kMostTime) << what;
    ++tried_;
    taken_ += taken;
    return taken;
  }
  bool takes(const std::string& name, const Image& image, const std::string& what) {
    const Bytes bytes = image.serialize();
    return takes(name, std::string(bytes.begin(), bytes.end()), what);
  }

  /// Reads a file and uses all of it, so that sanitizers see what a wrong count would reach.
  void read(const std::string& name, const std::string& path) {
    if (name == "circuit.zkey") use(*open_zkey(path, pool_));
    if (name == "circuit.r1cs") use(R1cs(path, pool_));
    if (name == "witness.wtns") use(read_wtns(path, pool_, host_));
    if (name == "proof.json") read_proof(path);
    if (name == "public.json") read_public(path, curve());
    if (name == "verification_key.json") read_verification_key(path);
  }

  FrVector ones(uint64_t count) {
    FrVector values(host_, count, "a witness of ones");
    std::fill_n(values.data(), count, cuzk_fr{{1, 0, 0, 0}});
    return values;
  }
  void use(const ProvingKey& key) {
    const FrVector witness = ones(key.shape.variables);
    std::vector<cuzk_fr> a(key.shape.domain_size()), b(a.size());
    key.matrices->evaluate(pool_, witness.span(), a, b);
    std::vector<std::byte> point(point_bytes(key.shape.curve, Group::g2));
    for (size_t i = 0; i < kQueries; ++i) {
      const KeyQuery& query = key.queries[i];
      EXPECT_EQ(query.points->count(), query.span);
      EXPECT_LE(query.first + query.span, i == 0 ? a.size() : key.shape.variables);
      if (query.points->count() > 0) query.points->read(query.points->count() - 1, 1, point.data());
    }
    std::visit([&](const auto& vk) { EXPECT_EQ(vk.ic.size(), key.shape.publics + 1); }, key.verifying_key);
    EXPECT_LT(key.shape.publics, key.shape.variables);
  }
  void use(const R1cs& r1cs) {
    if (r1cs.header().wires > 1000) return;  // a count that nothing in the file bounds
    const Witness witness{"ones", r1cs.header().curve, ones(r1cs.header().wires)};
    (void)r1cs.first_violation(pool_, witness);
  }
  void use(const Witness& witness) {
    const auto& modulus = witness.curve == Curve::bn254 ? arith::Bn254Fr::modulus() : arith::Bls12381Fr::modulus();
    for (const cuzk_fr& value : witness.values.span()) {
      EXPECT_TRUE(arith::limbs::less(std::bit_cast<arith::LimbArray<4>>(value), modulus));
    }
  }

  /// Containers: sections moved, missing, twice, renamed, of other lengths, with each other's contents.
  void mutate_container(const std::string& name, const std::string& circuit) {
    const Image good = Image::parse(file(circuit, name));
    ASSERT_TRUE(takes(name, good, "the good file"));
    const auto changed = [&](const std::string& what, const std::function<void(Image&)>& change) {
      Image image = good;
      change(image);
      return takes(name, image, what);
    };
    for (const uint32_t version : {0U, good.version - 1, good.version + 1, 1U << 31, UINT32_MAX}) {
      if (version == good.version) continue;
      EXPECT_FALSE(changed("version", [&](Image& i) { i.version = version; }));
    }
    const Bytes whole = good.serialize();
    for (const uint32_t count : {0U, 1U, get_u32(whole, 8) - 1, get_u32(whole, 8) + 1, 1025U, 1U << 31, UINT32_MAX}) {
      Bytes bytes = whole;
      put_u32(bytes, 8, count);
      takes(name, std::string(bytes.begin(), bytes.end()), "count of sections " + std::to_string(count));
    }
    size_t at = 12;
    for (size_t s = 0; s < good.sections.size(); ++s) {
      const auto& section = good.sections[s];
      const uint64_t length = section.bytes.size();
      const std::string what = "section " + std::to_string(section.id);
      for (const uint64_t wrong :
           {uint64_t{0}, uint64_t{1}, length - 1, length + 1, length + 12, length / 2, 2 * length,
            whole.size() - at - 12, whole.size() - at - 11, whole.size(), uint64_t{UINT32_MAX}, uint64_t{1} << 32,
            uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 11, UINT64_MAX - at - 11, length + (uint64_t{1} << 32)}) {
        Bytes bytes = whole;
        std::memcpy(&bytes[at + 4], &wrong, sizeof wrong);
        takes(name, std::string(bytes.begin(), bytes.end()), what + ", length " + std::to_string(wrong));
      }
      for (const uint32_t id : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 777U, UINT32_MAX}) {
        changed(what + " renamed", [&](Image& i) { i.sections[s].id = id; });
      }
      for (size_t other = 0; other < s; ++other) {
        changed(what + ", contents exchanged",
                [&](Image& i) { std::swap(i.sections[s].bytes, i.sections[other].bytes); });
        EXPECT_TRUE(changed(what + " moved", [&](Image& i) { std::swap(i.sections[s], i.sections[other]); }));
      }
      changed(what + " missing",
              [&](Image& i) { i.sections.erase(i.sections.begin() + static_cast<std::ptrdiff_t>(s)); });
      changed(what + " twice", [&](Image& i) { i.sections.push_back(i.sections[s]); });
      changed(what + " empty", [&](Image& i) { i.sections[s].bytes.clear(); });
      for (const size_t cut : {1U, 4U, 32U, 36U, 44U, 64U, 96U, 128U, 192U}) {
        if (cut > length) continue;
        changed(what + " shorter", [&](Image& i) { i.sections[s].bytes.resize(length - cut); });
        changed(what + " longer", [&](Image& i) { i.sections[s].bytes.resize(length + cut); });
      }
      // Cuts of the file about this section's edges.
      for (const size_t end : {at - 1, at, at + 1, at + 3, at + 4, at + 11, at + 12, at + 13, at + 12 + length / 2}) {
        const bool taken =
            takes(name, std::string(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(end)), "cut");
        EXPECT_FALSE(taken) << "cut at " << end;
      }
      at += 12 + length;
    }
    for (const size_t end :
         {size_t{0}, size_t{3}, size_t{4}, size_t{11}, size_t{12}, whole.size() / 2, whole.size() - 1}) {
      EXPECT_FALSE(takes(name, std::string(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(end)), "cut"));
    }
  }

  /// All aligned 32-bit words of a section's first bytes, one by one; the 64-bit fields are two of them.
  void mutate_words(const std::string& name, const std::string& circuit, uint32_t id, size_t from, size_t to) {
    const Image good = Image::parse(file(circuit, name));
    const size_t size = Image(good)[id].size();
    for (size_t at = from; at + 4 <= std::min(to, size); at += 4) {
      const uint32_t value = get_u32(Image(good)[id], at);
      std::set<uint32_t> words{0,         1,          2,
                               3,         4,          5,
                               8,         10,         31,
                               33,        32,         47,
                               48,        49,         1 << 8,
                               1 << 16,   1U << 28,   1U << 29,
                               1U << 31,  UINT32_MAX, UINT32_MAX - 1,
                               value - 1, value + 1,  value ^ 0x80000000U,
                               ~value};
      words.erase(value);
      for (const uint32_t word : words) {
        Image image = good;
        put_u32(image[id], at, word);
        takes(name, image,
              "section " + std::to_string(id) + ", word at " + std::to_string(at) + " is " + std::to_string(word));
      }
    }
  }

  uint64_t tried_ = 0, taken_ = 0;
  CpuPool pool_{1};
};
INSTANTIATE_TEST_SUITE_P(Curves, MutationTest, testing::Values(Curve::bn254, Curve::bls12_381), curve_test_name);

TEST_P(MutationTest, Containers) {
  for (const char* name : {"circuit.zkey", "circuit.r1cs", "witness.wtns"}) {
    for (const char* circuit : {"multiplier", "nopublic"}) mutate_container(name, circuit);
  }
  EXPECT_GT(tried_, 2000U);
}

TEST_P(MutationTest, FieldsOfKeys) {
  const size_t counts = 4 + fp() + 4 + kFrBytes;
  for (const char* circuit : {"multiplier", "nopublic"}) {
    mutate_words("circuit.zkey", circuit, 1, 0, 4);
    mutate_words("circuit.zkey", circuit, 2, 0, 8);                 // n8q, q
    mutate_words("circuit.zkey", circuit, 2, 4 + fp(), 12 + fp());  // n8r, r
    mutate_words("circuit.zkey", circuit, 2, counts, counts + 16);  // counts, alpha1
    mutate_words("circuit.zkey", circuit, 4, 0, 4 + 2 * 44);
    for (const uint32_t points : {3U, 5U, 6U, 7U, 8U, 9U}) mutate_words("circuit.zkey", circuit, points, 0, 8);
  }
  EXPECT_GT(tried_, 1000U);
}

TEST_P(MutationTest, FieldsOfCircuitsAndWitnesses) {
  for (const char* circuit : {"multiplier", "nopublic"}) {
    mutate_words("circuit.r1cs", circuit, 1, 0, 8);
    mutate_words("circuit.r1cs", circuit, 1, 36, 64);
    mutate_words("circuit.r1cs", circuit, 2, 0, 400);
    mutate_words("witness.wtns", circuit, 1, 0, 40);
    mutate_words("witness.wtns", circuit, 2, 0, 160);
  }
  EXPECT_GT(tried_, 1000U);
}

/// Values that may stand anywhere in a JSON file in place of others.
std::vector<Json> odd_values(Curve curve) {
  std::vector<Json> odd{nullptr,
                        true,
                        0,
                        1,
                        -1,
                        1.5,
                        UINT64_MAX,
                        Json::array(),
                        Json::object(),
                        Json::array({"1"}),
                        Json::array({"0", "1", "0"}),
                        Json::array({"0", "1", "1"}),
                        {{"a", "b"}}};
  for (const char* text :
       {"", "0", "1", "2", "-1", "+1", "0x1", "01", " 1", "1 ", "1e3", "1.0", "NaN", "\n", "\\", "\xc3\xa4"}) {
    odd.emplace_back(text);
  }
  for (const size_t digits : {77U, 78U, 79U, 115U, 116U, 1000U, 1'000'000U}) odd.emplace_back(std::string(digits, '9'));
  const bool bn = curve == Curve::bn254;
  for (const char* text : {bn ? "21888242871839275222246405745257275088548364400416034343698204186575808495617"
                              : "52435875175126190479447740508185965837690552500527637822603658699938581184513",
                           bn ? "21888242871839275222246405745257275088696311157297823662689037894645226208583"
                              : "4002409555221667393417898925735979206300353535302626600009226541270380103456787",
                           "115792089237316195423570985008687907853269984665640564039457584007913129639936"}) {
    odd.emplace_back(text);
  }
  return odd;
}

/// Runs visit(pointer) for the root and all below it.
void each_place(const Json& json, const Json::json_pointer& at,
                const std::function<void(const Json::json_pointer&)>& visit) {
  visit(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) each_place(value, at / key, visit);
  } else if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) each_place(json[i], at / i, visit);
  }
}

TEST_P(MutationTest, ValuesOfJsonFiles) {
  const std::vector<Json> odd = odd_values(curve());
  for (const char* name : {"proof.json", "public.json", "verification_key.json"}) {
    Json good = Json::parse(read_text(file("multiplier", name)));
    if (good.is_object()) good.erase("vk_alphabeta_12");  // not read
    ASSERT_TRUE(takes(name, good.dump(), "the good file"));
    each_place(good, Json::json_pointer(), [&](const Json::json_pointer& at) {
      const std::string what = std::string(name) + " at " + at.to_string();
      for (const Json& value : odd) {
        if (value.is_string() && value.get_ref<const std::string&>().size() > 100'000 && at.to_string().size() > 12)
          continue;
        Json json = good;
        json[at] = value;
        takes(name, json.dump(-1, ' ', false, Json::error_handler_t::replace),
              what + " is " + value.dump().substr(0, 40));
      }
      if (at.empty()) return;
      Json less = good;
      Json& parent = less[at.parent_pointer()];
      if (parent.is_array()) {
        parent.erase(std::stoul(at.back()));
      } else {
        parent.erase(at.back());
      }
      takes(name, less.dump(), what + " missing");
      if (good[at].is_array()) {
        Json more = good;
        more[at].push_back(more[at].back());
        takes(name, more.dump(), what + " longer");
      }
    });
  }
  EXPECT_GT(tried_, 1000U);
}

TEST_P(MutationTest, TextOfJsonFiles) {
  const auto repeat = [](const std::string& part, size_t times) {
    std::string text;
    for (size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  const std::vector<std::string> odd{" ",
                                     "\n",
                                     "null",
                                     "[",
                                     "]",
                                     "{",
                                     "}",
                                     "\"",
                                     "[]",
                                     "{}",
                                     "[[]]",
                                     "[,]",
                                     "[1,]",
                                     "{\"a\":1,}",
                                     "{a:1}",
                                     "[\"\\ud800\"]",
                                     "// x\n[]",
                                     "/* */[]",
                                     "[NaN]",
                                     "[Infinity]",
                                     "[-]",
                                     "[1e999999999]",
                                     "[1" + std::string(1'000'000, '0') + "]",
                                     "[0." + std::string(1'000'000, '0') + "1]",
                                     "[-" + std::string(1'000'000, '9') + "]",
                                     "[1e" + std::string(1'000'000, '9') + "]",
                                     "\xef\xbb\xbf",
                                     "\xef\xbb\xbf[]",
                                     "\xff\xfe[\0]\0",
                                     std::string(1'000'000, '['),
                                     std::string(1'000'000, ' '),
                                     repeat("{\"a\":", 200'000),
                                     repeat("[[],", 200'000),
                                     "[" + repeat("[],", 300'000) + "[]]",
                                     "[" + repeat("1,", 500'000) + "1]",
                                     "[" + repeat("\"1\",", 200'000) + "\"1\"]",
                                     "{" + repeat("\"a\":1,", 150'000) + "\"a\":1}",
                                     "\"" + std::string(1'000'000, 'x') + "\"",
                                     "\"" + repeat("\\u0041", 150'000)};
  for (const char* name : {"proof.json", "public.json", "verification_key.json"}) {
    const std::string good = read_text(file("multiplier", name));
    for (const std::string& text : odd) {
      takes(name, text, text.substr(0, 30));
      for (const size_t at :
           {size_t{0}, size_t{1}, good.find(':') + 1, good.size() / 2, good.size() - 1, good.size()}) {
        if (text.size() > 1000 && at % 2 == 1) continue;
        takes(name, good.substr(0, at) + text + good.substr(at), "with " + text.substr(0, 30));
      }
    }
    EXPECT_FALSE(takes(name, good + "x", "garbage behind"));
    EXPECT_FALSE(takes(name, good + good, "twice"));
  }
}

}  // namespace
}  // namespace cuzk::test
