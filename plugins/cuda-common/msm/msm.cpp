#include "msm.hpp"

#include <string>

#include <cuzk/sdk/error.hpp>
#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {
namespace {

[[noreturn]] void bad(const std::string& what) { throw sdk::Error(CUZK_BAD_ARGUMENT, what); }

void require_memory(const cuzk_mem& memory, uint64_t bytes, const char* what) {
  if (memory.bytes < bytes || (bytes != 0 && memory.data == nullptr)) {
    bad(std::string(what) + ": " + std::to_string(memory.bytes) + " bytes, or null, expected " + std::to_string(bytes));
  }
}

}  // namespace

const PointKernels& point_kernels(uint32_t curve, uint32_t group) {
  static_cast<void>(affine_bytes(curve, group));  // throws for what is unknown
  if (curve == CUZK_BN254) return group == CUZK_G1 ? kBn254G1 : kBn254G2;
  return group == CUZK_G1 ? kBls12381G1 : kBls12381G2;
}

cuzk_plan Msm::plan_bases(const cuzk_device_info&, const cuzk_query& query, uint64_t limit) {
  const uint64_t bytes = query.count * affine_bytes(query.curve, query.group);
  cuzk_plan plan{};
  if (bytes <= limit) plan.resident = bytes;
  return plan;
}

cuzk_plan Msm::plan_job(const cuzk_device_info& device, std::span<const cuzk_query> queries, uint64_t limit) {
  return plan_msm(device.units, queries, limit);
}

Msm::Msm(cuzk_space space) : space_(space), stream_(space) {
  const DeviceGuard guard(space);
  load_entry_kernels(stream_);
  for (const PointKernels* kernels : {&kBn254G1, &kBn254G2, &kBls12381G1, &kBls12381G2}) kernels->load();
}

Msm::Bases::Bases(const cuzk_query& query, cuzk_mem resident)
    : curve_(query.curve), group_(query.group), count_(query.count), data_(static_cast<std::byte*>(resident.data)) {
  require_memory(resident, count_ * affine_bytes(curve_, group_), "resident memory");
}

void Msm::load(const cuzk_call& call, const cuzk_query& query, cuzk_mem resident, cuzk_mem chunk, uint64_t first,
               uint64_t count, cuzk_fence after, cuzk_fence chunk_free, std::unique_ptr<Bases>& bases) {
  sdk::host().throw_if_cancelled(call);
  const DeviceGuard guard(space_);
  const uint64_t size = affine_bytes(query.curve, query.group);
  auto made = bases == nullptr ? std::make_unique<Bases>(query, resident) : nullptr;
  Bases& target = made == nullptr ? *bases : *made;
  if (first != target.loaded_ || count > target.count_ - first) {
    bad("points " + std::to_string(first) + " and " + std::to_string(count) + " on, expected those from " +
        std::to_string(target.loaded_) + " of " + std::to_string(target.count_));
  }
  require_memory(chunk, count * size, "a chunk of points");
  wait_on(stream_, after);
  try {
    check(cudaMemcpyAsync(target.data_ + first * size, chunk.data, count * size, cudaMemcpyDeviceToDevice, stream_),
          "cudaMemcpyAsync");
    record(chunk_free, stream_);
    stream_.synchronize();
  } catch (...) {
    stream_.drain();
    throw;
  }
  target.loaded_ += count;
  if (made != nullptr) bases = std::move(made);
}

const std::byte* Msm::resident(const cuzk_query& query, uint32_t index) {
  if (query.bases == nullptr) return nullptr;
  const Bases& bases = *static_cast<const Bases*>(query.bases);
  if (bases.curve_ != query.curve || bases.group_ != query.group || bases.count_ != query.count ||
      bases.loaded_ != bases.count_) {
    bad("query " + std::to_string(index) + ": " + std::to_string(bases.loaded_) + " loaded bases of curve " +
        std::to_string(bases.curve_) + ", group " + std::to_string(bases.group_) + ", expected " +
        std::to_string(query.count) + " of curve " + std::to_string(query.curve) + ", group " +
        std::to_string(query.group));
  }
  return bases.data_;
}

std::unique_ptr<Msm::Job> Msm::start(const cuzk_call& call, cuzk_vec scalars, std::span<const cuzk_query> queries,
                                     const cuzk_plan& plan) {
  return std::make_unique<Job>(*this, call, scalars, queries, plan);
}

}  // namespace cuzk::cuda
