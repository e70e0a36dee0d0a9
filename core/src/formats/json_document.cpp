#include "formats/json_document.hpp"

#include "formats/counted.hpp"
#include "formats/read_intact.hpp"

#include <algorithm>
#include <set>

#include <cuzk/error.hpp>
#include <cuzk/formats/mapped_file.hpp>

namespace cuzk::formats {
namespace {

constexpr int kMostDepth = 8;       // vk_alphabeta_12 has four levels inside the object
constexpr size_t kMostNames = 256;  // a verification key has about ten

[[noreturn]] void fail_file(const std::string& path, const std::string& message) {
  throw Error(ErrorCode::bad_input, path + ": " + message);
}

nlohmann::json parse(const MappedFile& file, JsonRoot root, size_t most_bytes) {
  using Event = nlohmann::json::parse_event_t;
  const std::string& path = file.path();
  const auto bytes = file.bytes();
  if (bytes.size() > most_bytes) {
    fail_file(path, "found " + counted(bytes.size(), "byte") + ", expected at most " + std::to_string(most_bytes));
  }
  // The parser would take a zero byte for the end.
  const auto zero = std::find(bytes.begin(), bytes.end(), std::byte{0});
  if (zero != bytes.end()) {
    fail_file(path, "no JSON: found a zero byte at offset " + std::to_string(zero - bytes.begin()) + " of " +
                        counted(bytes.size(), "byte"));
  }
  // What cannot be right ends the parse where it stands: large files of nothing else would take long.
  std::set<std::string> keys;
  size_t names = 0, strings = 0;
  const auto check = [&](int depth, Event event, const nlohmann::json& value) {
    if (depth > kMostDepth) fail_file(path, "nested more than " + std::to_string(kMostDepth) + " levels deep");
    const char* kind = event == Event::array_start    ? "array"
                       : event == Event::object_start ? "object"
                                                      : value.type_name();
    if (depth == 0 && event == Event::array_start && root == JsonRoot::object) {
      fail_file(path, std::string("found ") + kind + ", expected an object");
    }
    if (root == JsonRoot::strings && event != Event::array_end) {
      if (depth == 0 && event == Event::object_start)
        fail_file(path, std::string("found ") + kind + ", expected an array");
      if (depth > 0 && !value.is_string()) {
        fail_file(path, "[" + std::to_string(strings) + "]: found " + kind + ", expected a string");
      }
      if (depth > 0) ++strings;
    }
    if (event == Event::key && ++names > kMostNames) {
      fail_file(path, "found more than " + std::to_string(kMostNames) + " names of members");
    }
    if (event == Event::key && depth == 1 && !keys.insert(value.get<std::string>()).second) {
      fail_file(path, shown(value.get_ref<const std::string&>()) + ": found a second time, expected once");
    }
    return true;
  };
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  try {
    return nlohmann::json::parse(text, text + bytes.size(), check);
  } catch (const nlohmann::json::parse_error& error) {
    if (error.byte > bytes.size()) {
      fail_file(path, "no JSON: found the file's end after " + counted(bytes.size(), "byte") + ", expected more");
    }
    fail_file(path,
              "no JSON: syntax error at byte " + std::to_string(error.byte) + " of " + std::to_string(bytes.size()));
  } catch (const nlohmann::json::exception&) {
    fail_file(path, "no JSON: a number is out of range");
  }
}

}  // namespace

bool JsonField::has(const char* key) const { return value_.is_object() && value_.contains(key); }

JsonField JsonField::operator[](const char* key) const {
  if (!value_.is_object()) fail(std::string("found ") + value_.type_name() + ", expected an object");
  if (!value_.contains(key)) fail(std::string(key) + " is missing");
  return {value_[key], path_, name_.empty() ? key : name_ + "." + key};
}

JsonField JsonField::operator[](size_t index) const {
  if (index >= array_size()) {
    fail("found " + counted(array_size(), "element") + ", expected more than " + std::to_string(index));
  }
  return {value_[index], path_, name_ + "[" + std::to_string(index) + "]"};
}

void JsonField::expect_only(std::initializer_list<std::string_view> keys) const {
  if (!value_.is_object()) fail(std::string("found ") + value_.type_name() + ", expected an object");
  for (const auto& [key, value] : value_.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      fail("found " + shown(key) + ", which has no meaning here");
  }
}

size_t JsonField::array_size() const {
  if (!value_.is_array()) fail(std::string("found ") + value_.type_name() + ", expected an array");
  return value_.size();
}

void JsonField::expect_size(size_t size) const {
  if (array_size() == size) return;
  fail("found " + counted(array_size(), "element") + ", expected " + std::to_string(size));
}

const std::string& JsonField::text() const {
  if (!value_.is_string()) fail(std::string("found ") + value_.type_name() + ", expected a string");
  return value_.get_ref<const std::string&>();
}

uint64_t JsonField::count() const {
  if (!value_.is_number_unsigned()) fail("expected a non-negative integer");
  return value_.get<uint64_t>();
}

void JsonField::fail(const std::string& message) const {
  fail_file(path_, name_.empty() ? message : name_ + ": " + message);
}

JsonFile::JsonFile(const std::string& path, JsonRoot root, size_t most_bytes) : path_(path) {
  const MappedFile file(path);
  tree_ = read_intact(file, [&] { return parse(file, root, most_bytes); });
}

std::string shown(std::string_view text) {
  constexpr size_t kMost = 20;
  std::string line(text.substr(0, kMost));
  for (char& c : line) {
    if (c < ' ' || c > '~') c = '?';
  }
  return '"' + line + (text.size() > kMost ? "...\"" : "\"");
}

const char* snarkjs_name(Curve curve) { return curve == Curve::bn254 ? "bn128" : "bls12381"; }

}  // namespace cuzk::formats
