#include "support.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <cuzk/error.hpp>

namespace cuzk::test {
namespace {

template <class T>
T read_value(std::istream& in) {
  T value{};
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

template <class T>
void append(Bytes& bytes, T value) {
  const auto* at = reinterpret_cast<const unsigned char*>(&value);
  bytes.insert(bytes.end(), at, at + sizeof value);
}

}  // namespace

std::string folder_of(Curve curve) { return curve == Curve::bn254 ? "bn128" : "bls12381"; }

std::string circuit_file(Curve curve, const std::string& circuit, const std::string& file) {
  return std::string(CUZK_TEST_VECTORS) + "/circuits/" + folder_of(curve) + "/" + circuit + "/" + file;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "cuzk-formats-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Scratch::write(const std::string& name, const std::string& contents) const {
  // A new file: some file systems flush one that is truncated and written again, which takes milliseconds.
  std::filesystem::remove(path(name));
  std::ofstream(path(name), std::ios::binary) << contents;
  return path(name);
}

std::string Scratch::write(const std::string& name, const Bytes& contents) const {
  return write(name, std::string(contents.begin(), contents.end()));
}

std::vector<std::string> Scratch::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void expect_error(ErrorCode code, const std::function<void()>& body, const std::string& path, const std::string& part) {
  try {
    body();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), code) << message;
    EXPECT_EQ(message.substr(0, path.size() + 2), path + ": ") << message;
    EXPECT_NE(message.find(part), std::string::npos) << message << "\nexpected it to hold: " << part;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size() - path.size(), 300U) << message;
    return;
  }
  ADD_FAILURE() << path << " was accepted; expected: " << part;
}

void expect_bad_input(const std::function<void()>& open, const std::string& path, const std::string& part) {
  expect_error(ErrorCode::bad_input, open, path, part);
}

Image Image::parse(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path);
  Image image;
  image.magic.resize(4);
  in.read(image.magic.data(), 4);
  image.version = read_value<uint32_t>(in);
  const auto count = read_value<uint32_t>(in);
  for (uint32_t i = 0; i < count; ++i) {
    Section section{read_value<uint32_t>(in), {}};
    section.bytes.resize(read_value<uint64_t>(in));
    in.read(reinterpret_cast<char*>(section.bytes.data()), static_cast<std::streamsize>(section.bytes.size()));
    image.sections.push_back(std::move(section));
  }
  return image;
}

Bytes Image::serialize() const {
  Bytes out(magic.begin(), magic.end());
  append(out, version);
  append(out, static_cast<uint32_t>(sections.size()));
  for (const Section& section : sections) {
    append(out, section.id);
    append(out, static_cast<uint64_t>(section.bytes.size()));
    out.insert(out.end(), section.bytes.begin(), section.bytes.end());
  }
  return out;
}

Bytes& Image::operator[](uint32_t id) {
  const auto found = std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.id == id; });
  if (found == sections.end()) throw std::runtime_error("no section " + std::to_string(id));
  return found->bytes;
}

void Image::remove(uint32_t id) {
  std::erase_if(sections, [&](const Section& s) { return s.id == id; });
}

void put_u32(Bytes& bytes, size_t at, uint32_t value) { std::memcpy(&bytes.at(at), &value, sizeof value); }

uint32_t get_u32(const Bytes& bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, &bytes.at(at), sizeof value);
  return value;
}

void append_u32(Bytes& bytes, uint32_t value) { append(bytes, value); }

void expect_damage_refused(Image image, const Damage& damage, const std::function<void(const std::string&)>& open) {
  SCOPED_TRACE(damage.name);
  const Scratch scratch;
  damage.make(image);
  const std::string path = scratch.write("damaged", image.serialize());
  expect_bad_input([&] { open(path); }, path, damage.message);
}

}  // namespace cuzk::test
