#include "formats/json_document.hpp"

#include <algorithm>

#include <cuzk/runtime/device_model.hpp>

namespace cuzk {
namespace {

constexpr const char* kSchema = "cuzk-device-model/1";
constexpr size_t kMostBytes = 64 << 10;
constexpr uint64_t kMost = uint64_t{1} << 53;  // numbers of other programs' JSON are doubles
// Sums of times over a thousand of the largest partitions stay below 2^64 ns.
constexpr uint64_t kLeastRate = 1'000'000, kMostLatencyNs = 1'000'000'000, kMostFinishNs = 1'000'000'000'000;

using formats::JsonField;

uint64_t within(const JsonField& field, uint64_t least, uint64_t most) {
  const uint64_t value = field.count();
  if (value < least || value > most) {
    field.fail("found " + std::to_string(value) + ", expected " + std::to_string(least) + " to " +
               std::to_string(most));
  }
  return value;
}

uint64_t rate(const JsonField& field) { return within(field, kLeastRate, kMost); }

DeviceModel::MsmRates msm_rates(const JsonField& field) {
  field.expect_only({"g1", "g2"});
  return {rate(field["g1"]), rate(field["g2"])};
}

uint64_t nanoseconds(double amount, uint64_t per_second) {
  return static_cast<uint64_t>(1e9 * amount / static_cast<double>(per_second));
}

}  // namespace

uint64_t DeviceModel::prepare_ns(uint64_t rows_of_domain) const {
  return nanoseconds(static_cast<double>(rows_of_domain), rows);
}

uint64_t DeviceModel::copy_ns(uint64_t bytes, Way way, bool page_locked) const {
  const uint64_t speed = page_locked ? pinned : way == Way::up ? pageable_up : pageable_down;
  return latency_ns + nanoseconds(static_cast<double>(bytes), speed);
}

uint64_t DeviceModel::transform_ns(uint32_t log2_size) const {
  const double n = static_cast<double>(uint64_t{1} << log2_size);
  return latency_ns + nanoseconds(n / 2 * log2_size, butterflies);
}

uint64_t DeviceModel::product_ns(uint64_t elements) const {
  return latency_ns + nanoseconds(static_cast<double>(elements), products);
}

uint64_t DeviceModel::quotient_ab_ns(const cuzk_domain& domain) const {
  return 4 * transform_ns(domain.log2_size) + product_ns(uint64_t{1} << domain.log2_size);
}

uint64_t DeviceModel::quotient_c_ns(const cuzk_domain& domain) const {
  const uint64_t transforms = domain.h_basis == CUZK_H_MONOMIAL ? 3 : 2;
  return transforms * transform_ns(domain.log2_size) + product_ns(uint64_t{1} << domain.log2_size);
}

uint64_t DeviceModel::msm_ns(Curve curve, Group group, uint64_t points, double small) const {
  const MsmRates& rates = curve == Curve::bn254 ? bn254 : bls12_381;
  const double n = static_cast<double>(points);
  return latency_ns + nanoseconds(n * (1 - small), group == Group::g1 ? rates.g1 : rates.g2) +
         nanoseconds(n * small, small_points);
}

DeviceModel read_device_model(const std::string& path) {
  const formats::JsonFile file(path, formats::JsonRoot::object, kMostBytes);
  const JsonField root = file.root();
  if (root["schema"].text() != kSchema) {
    root["schema"].fail("found " + formats::shown(root["schema"].text()) + ", expected " + kSchema);
  }
  root.expect_only({"schema", "name", "memory", "latency_ns", "bytes_per_second", "per_second", "host"});
  DeviceModel model;
  model.name = root["name"].text();
  model.memory = within(root["memory"], 1, kMost);
  model.latency_ns = within(root["latency_ns"], 0, kMostLatencyNs);
  const JsonField copy = root["bytes_per_second"], per_second = root["per_second"], host = root["host"];
  copy.expect_only({"pinned", "pageable_up", "pageable_down"});
  per_second.expect_only({"butterflies", "products", "small_points", "bn254", "bls12_381"});
  host.expect_only({"rows_per_second", "finish_ns"});
  model.pinned = rate(copy["pinned"]);
  model.pageable_up = rate(copy["pageable_up"]);
  model.pageable_down = rate(copy["pageable_down"]);
  model.butterflies = rate(per_second["butterflies"]);
  model.products = rate(per_second["products"]);
  model.small_points = rate(per_second["small_points"]);
  model.bn254 = msm_rates(per_second["bn254"]);
  model.bls12_381 = msm_rates(per_second["bls12_381"]);
  model.rows = rate(host["rows_per_second"]);
  model.finish_ns = within(host["finish_ns"], 0, kMostFinishNs);
  return model;
}

ModelEngines::Interval ModelEngines::run(Engine engine, uint64_t ready_ns, uint64_t duration_ns,
                                         uint64_t not_before_ns) {
  const std::lock_guard lock(mutex_);
  const uint64_t begin = std::max(ready_ns, busy_until_[engine]);
  const uint64_t end = std::max(begin + duration_ns, not_before_ns);
  busy_until_[engine] = end;
  return {begin, end};
}

}  // namespace cuzk
