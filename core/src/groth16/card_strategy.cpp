#include "groth16/card_strategy.hpp"

#include <algorithm>
#include <utility>

#include <cuzk/error.hpp>

namespace cuzk::groth16 {
namespace {

constexpr uint32_t kWindows = 16;
constexpr uint64_t kDigitBytes = 8;      // a digit and the point it belongs to
constexpr uint64_t kBuckets = 1U << 15;  // of a window
constexpr uint64_t kMostPiece = 1U << 22;

[[noreturn]] void fail() { throw Error(ErrorCode::internal, "a card that is only planned cannot be worked on"); }

class Card final : public Device {
 public:
  explicit Card(const DeviceModel& model) : model_(model) {}
  std::string name() const override { return "card:0"; }
  std::string plugin() const override { return "model"; }
  cuzk_space space() const override { return {CUZK_SPACE_VENDOR, 0}; }
  cuzk_device_info info() const override {
    cuzk_device_info info{};
    info.struct_size = sizeof info;
    info.space = space();
    info.units = 1;
    info.memory_total = info.memory_free = model_.memory;
    info.name = {model_.name.data(), model_.name.size()};
    return info;
  }
  cuzk_mem alloc(uint64_t) override { fail(); }
  void free(cuzk_mem) noexcept override {}
  bool can_pin() const override { return false; }
  void pin(std::span<std::byte>) override { fail(); }
  void unpin(std::span<std::byte>) noexcept override {}
  void copy(cuzk_mem, cuzk_mem, cuzk_fence, cuzk_fence) override { fail(); }
  cuzk_fence make_fence() override { fail(); }
  void wait(cuzk_fence) override { fail(); }
  void free_fence(cuzk_fence) noexcept override {}

 private:
  const DeviceModel model_;
};

template <class Base>
class Planned : public Base {
 public:
  Planned(const char* name, Role role, uint32_t api_flags) {
    constexpr uint32_t kAll = UINT32_MAX;
    info_ = {.plugin = "model",
             .name = name,
             .summary = {},
             .role = role,
             .space_kinds = kAll,
             .curves = kAll,
             .groups = kAll,
             .max_log2_size = 0,
             .flags = 0,
             .api_flags = api_flags};
  }
  const ComponentInfo& info() const override { return info_; }

 private:
  ComponentInfo info_;
};

class CardStaging final : public Planned<StagingComponent> {
 public:
  CardStaging() : Planned("staging", Role::staging, 0) {}
  cuzk_plan plan(const cuzk_device_info&, uint64_t, uint64_t) const override { return {}; }
  std::unique_ptr<Staging> open(cuzk_space, const cuzk_plan&, cuzk_mem) const override { fail(); }
};

class CardNtt final : public Planned<NttComponent> {
 public:
  CardNtt() : Planned("ntt", Role::ntt, 0) {}
  cuzk_plan plan(const cuzk_device_info&, const cuzk_domain& domain, uint64_t) const override {
    cuzk_plan plan{};
    plan.resident = plan.minimum = kFrBytes << ((domain.log2_size + 1) / 2 + 2);
    return plan;
  }
  std::unique_ptr<Ntt> open(cuzk_space, const cuzk_domain&, const cuzk_plan&, cuzk_mem) const override { fail(); }
};

class CardMsm final : public Planned<MsmComponent> {
 public:
  CardMsm() : Planned("msm", Role::msm, CUZK_MSM_SELECT | CUZK_MSM_FEED | CUZK_MSM_MANY) {}
  cuzk_plan plan_bases(const cuzk_device_info&, const cuzk_query& query, uint64_t limit) const override {
    cuzk_plan plan{};
    const uint64_t bytes = query.count * point_bytes(static_cast<Curve>(query.curve), static_cast<Group>(query.group));
    if (bytes <= limit) plan.resident = bytes;
    return plan;
  }
  cuzk_plan plan_job(const cuzk_device_info&, std::span<const cuzk_query> queries, uint64_t) const override {
    cuzk_plan plan{};
    for (const cuzk_query& query : queries) {
      const uint64_t point = point_bytes(static_cast<Curve>(query.curve), static_cast<Group>(query.group));
      const uint64_t digits = std::min(query.count, kMostPiece) * kWindows * kDigitBytes;
      plan.workspace = std::max(plan.workspace, digits + kWindows * std::min(query.count, kBuckets) * 2 * point);
    }
    plan.minimum = plan.workspace;
    return plan;
  }
  std::unique_ptr<Msm> open(cuzk_space) const override { fail(); }
};

}  // namespace

Strategy card_strategy(const DeviceModel& model, std::shared_ptr<const LockComponent> lock, uint32_t workers) {
  return {{std::make_shared<Card>(model)},
          std::make_shared<CardStaging>(),
          std::make_shared<CardNtt>(),
          std::make_shared<CardMsm>(),
          std::move(lock),
          workers};
}

}  // namespace cuzk::groth16
