#include "formats/json_document.hpp"

#include <algorithm>

#include <cuzk/runtime/device_model.hpp>

namespace cuzk {
namespace {

constexpr const char* kSchema = "cuzk-device-model/1";
constexpr size_t kMostBytes = 64 << 10;
constexpr uint64_t kMostRate = uint64_t{1} << 53;  // numbers of other programs' JSON are doubles

using formats::JsonField;

uint64_t rate(const JsonField& field) {
  const uint64_t value = field.count();
  if (value == 0 || value > kMostRate) {
    field.fail("found " + std::to_string(value) + ", expected 1 to " + std::to_string(kMostRate));
  }
  return value;
}

DeviceModel::MsmRates msm_rates(const JsonField& field) { return {rate(field["g1"]), rate(field["g2"])}; }

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
  DeviceModel model;
  model.name = root["name"].text();
  model.memory = rate(root["memory"]);
  model.latency_ns = root["latency_ns"].count();
  const JsonField copy = root["bytes_per_second"], per_second = root["per_second"];
  model.pinned = rate(copy["pinned"]);
  model.pageable_up = rate(copy["pageable_up"]);
  model.pageable_down = rate(copy["pageable_down"]);
  model.butterflies = rate(per_second["butterflies"]);
  model.products = rate(per_second["products"]);
  model.small_points = rate(per_second["small_points"]);
  model.bn254 = msm_rates(per_second["bn254"]);
  model.bls12_381 = msm_rates(per_second["bls12_381"]);
  model.rows = rate(root["host"]["rows_per_second"]);
  model.finish_ns = root["host"]["finish_ns"].count();
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
