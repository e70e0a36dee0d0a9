#include "groth16/fences.hpp"
#include "groth16/queries.hpp"
#include "groth16/staging_ring.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <cuzk/error.hpp>
#include <cuzk/format_bytes.hpp>
#include <cuzk/groth16/device_multiples.hpp>
#include <cuzk/groth16/proof.hpp>
#include <cuzk/runtime/device_queue.hpp>
#include <cuzk/runtime/ledger.hpp>

namespace cuzk {
namespace {

using namespace groth16;

constexpr uint64_t kFillGrain = 512;

/// Bytes for chunks of one size, each the larger of the two groups'.
struct Sizes {
  uint64_t chunk = 0, scalars = 0, points = 0, workspace = 0, unmanaged = 0, pinned = 0;
  std::array<cuzk_plan, 2> plans{};  // G1, G2

  uint64_t total() const { return scalars + points + workspace + unmanaged; }
};

size_t index_of(Group group) { return group == Group::g1 ? 0 : 1; }

}  // namespace

struct DeviceMultiples::Impl {
  Impl(HostServices& host, const Strategy& opened, Curve of, uint64_t most, std::optional<uint64_t> limit)
      : services(host),
        strategy(opened),
        curve(of),
        device(strategy.devices.front()),
        claim(services.spaces().take(device->space(), device->name())),
        ledger(device, limit),
        staging_plan(strategy.staging->plan(device->info(), largest_move(most), ledger.available())),
        sizes(fitting(most)),
        pinning(services, locker_of(strategy)),
        queue(services, device->name(), device->space(), strategy.lock->open(1), strategy.lock->info().full_name(), 1,
              1),
        fences(device) {
    const bool adopts = strategy.staging->adopts() && device->host_addressable();
    staging_own = ledger.book(align(staging_plan.unmanaged), "staging");
    own = ledger.book(sizes.unmanaged, "what making multiples allocates itself");
    scalars = adopts ? ledger.book(sizes.scalars, "scalars") : ledger.take(sizes.scalars, "scalars");
    points = ledger.take(sizes.points, "multiples");
    workspace = ledger.take(sizes.workspace, "workspace of multiples");
    HostPool& pool = services.memory();
    host_scalars = FrVector(pool, sizes.chunk, "scalars of multiples");
    ring = staging_ring(pool, *strategy.staging, staging_plan.pinned);
    pinned = HostBlock(pool, sizes.pinned, "page-locked memory of the components");
    staging = strategy.staging->open(device->space(), staging_plan, ring.memory(staging_plan.pinned));
    msm = strategy.msm->open(device->space());
  }

  uint64_t largest_move(uint64_t most) const {
    return std::clamp(most, kLeastChunk, kMostChunk) * point_bytes(curve, Group::g2);
  }

  Sizes sizes_of(uint64_t chunk, uint64_t capacity) const {
    const cuzk_device_info info = device->info();
    Sizes out;
    out.chunk = chunk;
    out.scalars = align(chunk * kFrBytes);
    out.points = align(chunk * point_bytes(curve, Group::g2));
    const uint64_t taken = out.scalars + out.points;
    for (const Group group : {Group::g1, Group::g2}) {
      const cuzk_plan plan =
          strategy.msm->plan_multiples(info, static_cast<uint32_t>(curve), static_cast<uint32_t>(group), chunk,
                                       capacity < taken ? 0 : capacity - taken);
      out.workspace = std::max(out.workspace, align(plan.workspace));
      out.unmanaged = std::max(out.unmanaged, align(plan.unmanaged));
      out.pinned = std::max(out.pinned, plan.pinned);
      out.plans[index_of(group)] = plan;
    }
    return out;
  }

  /// The largest chunk that there is room for.
  Sizes fitting(uint64_t most) const {
    const uint64_t available = ledger.available(), own_of_staging = align(staging_plan.unmanaged);
    const uint64_t capacity = available < own_of_staging ? 0 : available - own_of_staging;
    uint64_t chunk = std::clamp(most, kLeastChunk, kMostChunk);
    for (;;) {
      const Sizes tried = sizes_of(chunk, capacity);
      if (tried.total() <= capacity) return tried;
      if (chunk == kLeastChunk) {
        throw Error(ErrorCode::out_of_memory, device->name() + ": " + std::to_string(chunk) +
                                                  " multiples at a time take " + format_bytes(tried.total()) + ", " +
                                                  format_bytes(capacity) + " are left");
      }
      chunk = std::max(chunk / 2, kLeastChunk);
    }
  }

  void bring_scalars(uint64_t ticket, cuzk_vec& vec) {
    Lease lease = queue.stage(ticket, 0);
    const Settled settled{fences};
    const auto values = host_scalars.bytes().first(vec.count * kFrBytes);
    staging->upload(lease, vec.mem, values, services.memory().pinned(values), {}, fences.record(Fences::witness));
    fences.wait(Fences::witness);
    lease.finish();
  }

  void one_chunk(Group group, const std::byte* point, uint64_t count, std::byte* out) {
    const uint64_t ticket = queue.draw_ticket(0);
    Span span(services, "multiples", device->name(), ticket);
    const uint64_t bytes = count * point_bytes(curve, group);
    span.add_bytes(bytes);
    cuzk_mem memory = scalars.memory();
    memory.bytes = count * kFrBytes;
    cuzk_vec vec{memory, count, static_cast<uint32_t>(curve), CUZK_MONTGOMERY, {}};
    bring_scalars(ticket, vec);

    Lease lease = queue.compute(ticket, 0);
    const Settled settled{fences};
    const cuzk_plan& plan = sizes.plans[index_of(group)];
    const Lease step = lease.with(workspace.part(0, plan.workspace), pinned.memory(plan.pinned));
    const cuzk_mem made = points.part(0, bytes);
    msm->multiples(step, static_cast<uint32_t>(group), point, vec, plan, made, fences.record(Fences::a));
    staging->download(step, {out, bytes}, services.memory().pinned({out, bytes}), made, fences.after(Fences::a),
                      fences.record(Fences::b));
    fences.wait_all();
    lease.finish();
  }

  HostServices& services;
  const Strategy strategy;
  const Curve curve;
  const std::shared_ptr<Device> device;
  const SpaceClaims::Claim claim;
  Ledger ledger;
  const cuzk_plan staging_plan;
  const Sizes sizes;
  const HostPool::Pinning pinning;
  Ledger::Region staging_own, own, scalars, points, workspace;
  FrVector host_scalars;
  HostBlock ring, pinned;
  DeviceQueue queue;
  Fences fences;
  std::unique_ptr<Staging> staging;
  std::unique_ptr<Msm> msm;
};

bool DeviceMultiples::offered(const Strategy& strategy) {
  return strategy.msm->offers_multiples() && runs_on(*strategy.msm, *strategy.devices.front());
}

DeviceMultiples::DeviceMultiples(HostServices& services, const Strategy& strategy, Curve curve, uint64_t most,
                                 std::optional<uint64_t> device_memory)
    : impl_(std::make_unique<Impl>(services, strategy, curve, most, device_memory)) {}

DeviceMultiples::~DeviceMultiples() = default;

void DeviceMultiples::multiply(Group group, const std::byte* point, uint64_t count, const Fill& fill, std::byte* out) {
  Impl& impl = *impl_;
  const uint64_t size = point_bytes(impl.curve, group);
  for (uint64_t first = 0; first < count; first += impl.sizes.chunk) {
    if (impl.services.cancelled(0)) {
      throw Error(ErrorCode::cancelled, impl.device->name() + ": cancelled before multiple " + std::to_string(first) +
                                            " of " + std::to_string(count));
    }
    const uint64_t now = std::min(impl.sizes.chunk, count - first);
    auto* const scalars = reinterpret_cast<std::byte*>(impl.host_scalars.data());
    impl.services.cpu().ranges(now, kFillGrain, [&](uint64_t begin, uint64_t end) {
      fill(first + begin, {scalars + begin * kFrBytes, (end - begin) * kFrBytes});
    });
    impl.one_chunk(group, point, now, out + first * size);
  }
}

uint64_t DeviceMultiples::chunk() const { return impl_->sizes.chunk; }

std::string DeviceMultiples::where() const {
  return impl_->device->name() + " by " + impl_->strategy.msm->info().full_name();
}

}  // namespace cuzk
