#pragma once
/// A JSON file and its fields, each of which knows its name for messages.

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <cuzk/curve.hpp>

namespace cuzk::formats {

/// A value in a parsed file; borrows the file's tree. Every expectation that does not hold is Error bad_input with file
/// and field.
class JsonField {
 public:
  JsonField(const nlohmann::json& value, const std::string& path, std::string name)
      : value_(value), path_(path), name_(std::move(name)) {}

  bool has(const char* key) const;
  JsonField operator[](const char* key) const;                           ///< must be an object with this key
  JsonField operator[](size_t index) const;                              ///< must be an array of more elements
  void expect_only(std::initializer_list<std::string_view> keys) const;  ///< must be an object without others
  size_t array_size() const;                                             ///< must be an array
  void expect_size(size_t size) const;                                   ///< must be an array of this size
  const std::string& text() const;                                       ///< must be a string
  uint64_t count() const;                                                ///< must be a non-negative number
  [[noreturn]] void fail(const std::string& message) const;

 private:
  const nlohmann::json& value_;
  const std::string& path_;
  std::string name_;
};

/// What a file is: an object, or a list of strings.
enum class JsonRoot { object, strings };

/// A whole file, parsed. Error bad_input: more than most_bytes, no JSON, another root, zero bytes, nested or with more
/// names beyond what these files need, a key twice.
class JsonFile {
 public:
  JsonFile(const std::string& path, JsonRoot root, size_t most_bytes);
  JsonField root() const { return {tree_, path_, ""}; }

 private:
  std::string path_;
  nlohmann::json tree_;
};

/// Text of a file for a message: in quotes, one line, no more than its beginning.
std::string shown(std::string_view text);

/// snarkjs's curve names, "bn128" and "bls12381".
const char* snarkjs_name(Curve curve);

}  // namespace cuzk::formats
