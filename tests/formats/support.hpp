#pragma once
/// What the tests of the file formats share: scratch folders, expected errors, and containers taken apart and put
/// together.

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <cuzk/curve.hpp>
#include <cuzk/error.hpp>
#include <cuzk/runtime/cpu_pool.hpp>
#include <cuzk/runtime/host_pool.hpp>

namespace cuzk::test {

using Bytes = std::vector<unsigned char>;

/// snarkjs's names of the two curves, as the vectors' folders are called.
std::string folder_of(Curve curve);
/// tests/vectors/circuits/CURVE/CIRCUIT/FILE.
std::string circuit_file(Curve curve, const std::string& circuit, const std::string& file);
std::string read_text(const std::string& path);

/// A folder of its own, removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// Writes a file and gives its path.
  std::string write(const std::string& name, const std::string& contents) const;
  std::string write(const std::string& name, const Bytes& contents) const;
  std::vector<std::string> names() const;

 private:
  std::string folder_;
};

/// Runs open() and expects Error bad_input with one line that names the path and holds `part`.
void expect_bad_input(const std::function<void()>& open, const std::string& path, const std::string& part);
/// The same of another error.
void expect_error(ErrorCode code, const std::function<void()>& body, const std::string& path, const std::string& part);

/// An iden3 container in pieces. parse() trusts its file.
struct Image {
  struct Section {
    uint32_t id;
    Bytes bytes;
  };
  std::string magic;
  uint32_t version = 0;
  std::vector<Section> sections;

  static Image parse(const std::string& path);
  Bytes serialize() const;
  Bytes& operator[](uint32_t id);  ///< the first section of this id
  void remove(uint32_t id);
};

void put_u32(Bytes& bytes, size_t at, uint32_t value);
uint32_t get_u32(const Bytes& bytes, size_t at);
void append_u32(Bytes& bytes, uint32_t value);

/// A damage done to a good container, and what the message must hold.
struct Damage {
  std::string name;
  std::function<void(Image&)> make;
  std::string message;
};

/// Writes the damaged container and expects open(path) to refuse it.
void expect_damage_refused(Image image, const Damage& damage, const std::function<void(const std::string&)>& open);

/// A test that runs on both curves.
class FormatsTest : public testing::TestWithParam<Curve> {
 protected:
  Curve curve() const { return GetParam(); }
  std::string file(const std::string& circuit, const std::string& name) const {
    return circuit_file(curve(), circuit, name);
  }
  /// Bytes of an Fp element, a G1 and a G2 point.
  size_t fp() const { return fp_bytes(curve()); }
  size_t g1() const { return point_bytes(curve(), Group::g1); }
  size_t g2() const { return point_bytes(curve(), Group::g2); }

  Scratch scratch_;
  CpuPool pool_{2};
  HostPool host_;
};

inline std::string curve_test_name(const testing::TestParamInfo<Curve>& info) { return folder_of(info.param); }

}  // namespace cuzk::test
