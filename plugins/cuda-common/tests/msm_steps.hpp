#pragma once
/// How long each step of an MSM takes: the kernels of one job over one query with resident bases, as Msm::Job enqueues
/// them, with an event between any two.

#include "../msm/kernels.hpp"
#include "memory.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace cuzk::cuda {

class MsmSteps {
 public:
  /// All memory is on device 0; scalars in Montgomery form. The query's bases are of `plan`, its plan of plan_bases().
  MsmSteps(const cuzk_query& query, const cuzk_plan& plan, cuzk_mem workspace, const void* scalars, const void* bases)
      : query_(query),
        shape_(Budget::from(plan).shape(query)),
        workspace_(Workspace::lay_out(workspace.data, {&query_, 1}, {&shape_, 1}, Budget::from(plan).shared, false)),
        source_{scalars, true, {nullptr, nullptr, query.span}},
        bases_(bases),
        stream_(kSpace) {}

  /// A line of the form "step 1.234 ms, ..."; of a job that is not one piece nothing but the counting.
  std::string run() {
    mark("");
    check(cudaMemsetAsync(workspace_.totals, 0, kLengthClasses * sizeof(uint32_t), stream_), "cudaMemsetAsync");
    count_lengths(stream_, query_.curve, source_, recoding(query_.curve, shape_.width, shape_.stride), query_.count,
                  shape_.log2_block, workspace_.lengths[0], workspace_.totals);
    mark("count");
    std::vector<uint32_t> totals(kLengthClasses);
    check(cudaMemcpyAsync(totals.data(), workspace_.totals, totals.size() * sizeof(totals[0]), cudaMemcpyDeviceToHost,
                          stream_),
          "cudaMemcpyAsync");
    stream_.synchronize();
    const Profile profile = profile_of(totals);
    shape_ = shape_.narrowed(profile);
    mark("bring and cut");
    if (shape_.in_one_piece(profile)) add_up(profile);
    stream_.synchronize();
    return report();
  }

 private:
  void add_up(const Profile& profile) {
    const PointKernels& kernels = point_kernels(query_.curve, query_.group);
    const Recoding cut = recoding(query_.curve, shape_.width, shape_.stride);
    for (unsigned window = 0; window < shape_.windows; window += shape_.group) {
      const WindowRange windows = shape_.group_from(window);
      const EntryBound bound = EntryBound::of(shape_, windows);
      const Piece piece = whole_piece(shape_, profile, bound, query_.count);
      if (piece.entries == 0) continue;
      entries_ += piece.entries;
      make_entries(stream_, query_.curve,
                   {.source = source_,
                    .recoding = cut,
                    .piece = piece,
                    .windows = windows,
                    .table_points = static_cast<uint32_t>(query_.count),
                    .log2_block = shape_.log2_block,
                    .slots = workspace_.slots,
                    .keys = workspace_.keys[0],
                    .values = workspace_.values[0]},
                   workspace_.lengths[0], bound);
      mark("entries");
      const auto buckets = static_cast<uint32_t>(windows.count * shape_.window_buckets());
      const SortedEntries sorted =
          sort_entries(stream_, workspace_, piece.entries, buckets, shape_.log2_run(piece.entries));
      mark("sort");
      find_starts(stream_, sorted, workspace_.starts);
      mark("starts");
      kernels.accumulate(stream_, sorted, bases_, workspace_.partials);
      mark("accumulate");
      kernels.combine(stream_, sorted, workspace_.starts, workspace_.crowded, workspace_.partials,
                      workspace_.buckets[0] + windows.first * shape_.window_buckets() * shape_.point_xyzz, true);
      mark("combine");
    }
    kernels.reduce(stream_, shape_, workspace_.buckets[0], workspace_.ranges, workspace_.sums);
    mark("reduce");
  }

  void mark(const char* step) {
    names_.emplace_back(step);
    events_.emplace_back(0, cudaEventDefault);
    check(cudaEventRecord(events_.back(), stream_), "cudaEventRecord");
  }

  std::string report() const {
    std::string line = std::to_string(entries_) + " entries, width " + std::to_string(shape_.width) + ", " +
                       std::to_string(shape_.windows) + " windows";
    for (size_t i = 1; i < events_.size(); ++i) {
      float ms = 0;
      check(cudaEventElapsedTime(&ms, events_[i - 1], events_[i]), "cudaEventElapsedTime");
      char text[64];
      std::snprintf(text, sizeof text, ", %s %.3f ms", names_[i].c_str(), static_cast<double>(ms));
      line += text;
    }
    return line;
  }

  const cuzk_query query_;
  Shape shape_;
  const Workspace workspace_;
  const ScalarSource source_;
  const void* bases_;
  uint64_t entries_ = 0;
  Stream stream_;
  std::vector<std::string> names_;
  std::vector<Event> events_;
};

}  // namespace cuzk::cuda
