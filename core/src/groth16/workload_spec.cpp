#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include <cuzk/error.hpp>
#include <cuzk/groth16/workload.hpp>

namespace cuzk {
namespace {

constexpr std::string_view kAnyOptions = "curve, rows, seed", kPorepOptions = "bits, curve, partitions, rows, seed";

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  WorkloadSpec parse() {
    const auto parts = split(text_, ',');
    parse_kind(parts[0]);
    std::vector<std::string_view> seen;
    for (size_t i = 1; i < parts.size(); ++i) {
      const size_t equals = parts[i].find('=');
      const std::string_view option = parts[i].substr(0, equals);
      for (const std::string_view other : seen) {
        if (other == option) fail("option " + std::string(option) + " stands there twice, expected once");
      }
      seen.push_back(option);
      if (equals == std::string_view::npos) fail_option(parts[i]);
      parse_option(option, parts[i].substr(equals + 1));
    }
    return spec_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::usage, "workload '" + std::string(text_) + "': " + what);
  }
  [[noreturn]] void fail_value(std::string_view option, std::string_view found, const std::string& expected) const {
    fail(std::string(option) + ": found '" + std::string(found) + "', expected " + expected);
  }
  [[noreturn]] void fail_option(std::string_view found) const {
    const bool porep = spec_.kind == WorkloadSpec::Kind::porep;
    fail("found option '" + std::string(found) + "', expected NAME=VALUE with a name of " +
         std::string(porep ? kPorepOptions : kAnyOptions));
  }

  void parse_kind(std::string_view part) {
    const size_t colon = part.find(':');
    const std::string_view kind = part.substr(0, colon);
    if (kind == "porep") {
      spec_.kind = WorkloadSpec::Kind::porep;
      spec_.curve = Curve::bls12_381;
      spec_.partitions = 10;
    } else if (kind != "dense") {
      fail("found kind '" + std::string(kind) + "', expected dense:K or porep:K");
    }
    const std::string_view size = colon == std::string_view::npos ? "" : part.substr(colon + 1);
    spec_.log2_rows = whole<uint32_t>("size K of " + std::string(kind) + ":K", size, WorkloadSpec::kLeastLog2,
                                      WorkloadSpec::kMostLog2);
  }

  void parse_option(std::string_view option, std::string_view value) {
    const bool porep = spec_.kind == WorkloadSpec::Kind::porep;
    if (option == "curve") {
      spec_.curve = curve(value);
    } else if (option == "seed") {
      spec_.seed = whole<uint64_t>(option, value, 0, UINT64_MAX);
    } else if (option == "rows") {
      spec_.extra_rows = rows(value);
    } else if (porep && option == "bits") {
      const auto share = parse_number<double>(value);
      if (!share || std::isnan(*share) || *share < 0 || *share > 1) fail_value(option, value, "a share from 0 to 1");
      spec_.bits = *share;
    } else if (porep && option == "partitions") {
      spec_.partitions = whole<uint32_t>(option, value, 1, WorkloadSpec::kMostPartitions);
    } else {
      fail_option(option);
    }
  }

  template <class T>
  T whole(std::string_view option, std::string_view value, T least, T most) const {
    const auto number = parse_number<T>(value);
    if (!number || *number < least || *number > most) {
      fail_value(option, value, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return *number;
  }
  Curve curve(std::string_view value) const {
    for (const Curve known : {Curve::bn254, Curve::bls12_381}) {
      if (value == name(known)) return known;
    }
    fail_value("curve", value, "bn254 or bls12-381");
  }
  int32_t rows(std::string_view value) const {
    if (value == "-1") return -1;
    if (value == "0") return 0;
    if (value == "+1" || value == "1") return 1;
    fail_value("rows", value, "-1, 0 or +1");
  }

  std::string_view text_;
  WorkloadSpec spec_;
};

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

WorkloadSpec parse_workload(std::string_view text) { return Parser(text).parse(); }

std::string to_string(const WorkloadSpec& spec) {
  const bool porep = spec.kind == WorkloadSpec::Kind::porep;
  std::string text = (porep ? "porep:" : "dense:") + std::to_string(spec.log2_rows);
  text += ",curve=" + std::string(name(spec.curve));
  text += ",rows=" + std::string(spec.extra_rows > 0 ? "+1" : spec.extra_rows < 0 ? "-1" : "0");
  text += ",seed=" + std::to_string(spec.seed);
  if (porep) text += ",bits=" + shortest(spec.bits) + ",partitions=" + std::to_string(spec.partitions);
  return text;
}

}  // namespace cuzk
