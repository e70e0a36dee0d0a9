#include "msm.hpp"

#include "multiples.hpp"
#include "multiples_kernels.hpp"

#include <algorithm>
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

const MultiplesKernels& multiples_kernels(uint32_t curve, uint32_t group) {
  static_cast<void>(affine_bytes(curve, group));  // throws for what is unknown
  if (curve == CUZK_BN254) return group == CUZK_G1 ? kBn254G1Multiples : kBn254G2Multiples;
  return group == CUZK_G1 ? kBls12381G1Multiples : kBls12381G2Multiples;
}

cuzk_plan Msm::plan_bases(const cuzk_device_info& device, const cuzk_query& query, uint64_t limit) {
  return cuda::plan_bases(device.memory_total, query, limit);
}

cuzk_plan Msm::plan_job(const cuzk_device_info& device, std::span<const cuzk_query> queries, uint64_t limit) {
  return plan_msm(device.units, queries, limit);
}

cuzk_plan Msm::plan_multiples(const cuzk_device_info&, uint32_t curve, uint32_t group, uint64_t count, uint64_t limit) {
  return cuda::plan_multiples(curve, group, count, limit);
}

Msm::Msm(cuzk_space space)
    : space_(space),
      stream_(space),
      side_(space, true),
      added_(index_of(space), cudaEventDisableTiming),
      summed_(index_of(space), cudaEventDisableTiming),
      spans_(space, stream_) {
  const DeviceGuard guard(space);
  load_entry_kernels(stream_);
  for (const PointKernels* kernels : {&kBn254G1, &kBn254G2, &kBls12381G1, &kBls12381G2}) kernels->load();
  for (const MultiplesKernels* kernels :
       {&kBn254G1Multiples, &kBn254G2Multiples, &kBls12381G1Multiples, &kBls12381G2Multiples}) {
    kernels->load();
  }
}

Msm::Bases::Bases(const cuzk_query& query, cuzk_mem resident)
    : curve_(query.curve),
      group_(query.group),
      tables_(BaseTables::of(query)),
      count_(query.count),
      data_(static_cast<std::byte*>(resident.data)) {
  require_memory(resident, BaseTables::bytes(query, tables_.count), "resident memory");
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
  const auto workspace = TablesWorkspace::lay_out(call.workspace.data, query);
  if (target.tables_.count > 1) require_memory(call.workspace, workspace.bytes, "a workspace");
  wait_on(stream_, after);
  try {
    spans_.measure(call, CUZK_SPAN_KERNEL, "load bases", 0, [&] {
      check(cudaMemcpyAsync(target.data_ + first * size, chunk.data, count * size, cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync");
    });
    record(chunk_free, stream_);
    make_tables(target, query, workspace, first, count);
    stream_.synchronize();
  } catch (...) {
    stream_.drain();
    throw;
  }
  target.loaded_ += count;
  if (made != nullptr) bases = std::move(made);
}

void Msm::make_tables(const Bases& bases, const cuzk_query& query, const TablesWorkspace& workspace, uint64_t first,
                      uint64_t count) const {
  const uint64_t size = affine_bytes(query.curve, query.group);
  const MultiplesKernels& kernels = multiples_kernels(query.curve, query.group);
  for (unsigned table = 1; table < bases.tables_.count; ++table) {
    for (uint64_t done = 0; done < count; done += workspace.points) {
      std::byte* const from = bases.data_ + ((table - 1) * bases.count_ + first + done) * size;
      kernels.shift(stream_, {.points = from,
                              .doublings = bases.tables_.stride,
                              .count = static_cast<uint32_t>(std::min(count - done, workspace.points)),
                              .out = from + bases.count_ * size,
                              .zzz = workspace.zzz,
                              .before = workspace.before});
    }
  }
}

const std::byte* Msm::resident(const cuzk_query& query, uint32_t index) {
  const BaseTables tables = BaseTables::of(query);
  if (query.bases == nullptr) {
    if (tables.count > 1)
      bad("query " + std::to_string(index) + ": planned with tables, but its bases were not loaded");
    return nullptr;
  }
  const Bases& bases = *static_cast<const Bases*>(query.bases);
  if (bases.tables_.stride != tables.stride) {
    bad("query " + std::to_string(index) + ": bases with tables " + std::to_string(bases.tables_.stride) +
        " bits apart, planned are " + std::to_string(tables.stride));
  }
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

void Msm::multiples(const cuzk_call& call, uint32_t group, const void* point, cuzk_vec scalars, const cuzk_plan& plan,
                    cuzk_mem out, cuzk_fence done) {
  sdk::host().throw_if_cancelled(call);
  const auto shape = MultiplesShape::from(plan, scalars.curve, group, scalars.count);
  if (point == nullptr) bad("no point to multiply");
  if (scalars.form != CUZK_MONTGOMERY && scalars.form != CUZK_CANONICAL) {
    bad("scalars in form " + std::to_string(scalars.form) + ", expected 0 (Montgomery) or 1 (canonical)");
  }
  require_memory(scalars.mem, shape.count * sizeof(cuzk_fr), "scalars");
  require_memory(out, shape.count * affine_bytes(shape.curve, group), "memory for multiples");
  const auto workspace = MultiplesWorkspace::lay_out(call.workspace.data, shape);
  require_memory(call.workspace, workspace.bytes, "a workspace");
  const MultiplesKernels& kernels = multiples_kernels(shape.curve, group);
  const std::vector<std::byte> base = base_table(shape.curve, group, point);

  MultiplesTask task{};
  task.table = workspace.base_table;
  task.recoding = recoding(shape.curve, MultiplesShape::kBaseWidth);
  task.zzz = workspace.zzz;
  task.before = workspace.before;
  const DeviceGuard guard(space_);
  wait_on(stream_, scalars.ready);
  try {
    check(cudaMemcpyAsync(workspace.base_table, base.data(), base.size(), cudaMemcpyHostToDevice, stream_),
          "cudaMemcpyAsync");
    spans_.measure(call, CUZK_SPAN_KERNEL, "multiples", 0, [&] {
      if (shape.table_entries() != 0) {
        task.entry_width = shape.width;
        task.count = static_cast<uint32_t>(shape.table_entries());
        task.out = workspace.table;
        kernels.multiply(stream_, task);
        task.table = workspace.table;
        task.recoding = recoding(shape.curve, shape.width);
      }
      if (shape.count != 0) {
        task.scalars = scalars.mem.data;
        task.montgomery = scalars.form == CUZK_MONTGOMERY;
        task.count = static_cast<uint32_t>(shape.count);
        task.out = out.data;
        kernels.multiply(stream_, task);
      }
    });
    record(done, stream_);
    stream_.synchronize();  // `base` is ordinary memory
  } catch (...) {
    stream_.drain();
    throw;
  }
}

}  // namespace cuzk::cuda
