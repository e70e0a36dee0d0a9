#include "join.hpp"
#include "msm.hpp"

#include <algorithm>
#include <string>

#include <cuzk/sdk/error.hpp>
#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {
namespace {

constexpr uint64_t kScalarBytes = sizeof(cuzk_fr);

[[noreturn]] void bad(const std::string& what) { throw sdk::Error(CUZK_BAD_ARGUMENT, what); }

std::string query_name(uint32_t index) { return "query " + std::to_string(index) + ": "; }

}  // namespace

template <class Body>
void Msm::Job::settled(Body&& body) {
  try {
    body();
  } catch (...) {
    drain();
    throw;
  }
}

Msm::Job::Job(const Msm& msm, const cuzk_call& call, const cuzk_vec& scalars, std::span<const cuzk_query> queries,
              const cuzk_plan& plan)
    : msm_(msm), scalars_(scalars), asked_(queries), alike_(first_alike(queries)) {
  sdk::host().throw_if_cancelled(call);
  if (scalars.form != CUZK_MONTGOMERY && scalars.form != CUZK_CANONICAL) {
    bad("scalars in form " + std::to_string(scalars.form) + ", expected 0 (Montgomery) or 1 (canonical)");
  }
  if (scalars.mem.bytes / kScalarBytes < scalars.count || (scalars.count != 0 && scalars.mem.data == nullptr)) {
    bad(std::to_string(scalars.count) + " scalars in " + std::to_string(scalars.mem.bytes) + " bytes, or null");
  }
  const Budget budget = Budget::from(plan);
  for (uint32_t q = 0; q < queries.size(); ++q) {
    check_scalars(queries[q], q);
    shapes_.push_back(budget.shape(queries[q]));
  }
  workspace_ = Workspace::lay_out(call.workspace.data, queries, shapes_, budget.shared, budget.apart);
  apart_ = budget.apart;
  groups_ = groups_of(queries, budget.shared);
  // Those in G2 take longest to sum up.
  std::stable_partition(groups_.begin(), groups_.end(), [&](const std::vector<uint32_t>& group) {
    return std::any_of(group.begin(), group.end(), [&](uint32_t q) { return queries[q].group == CUZK_G2; });
  });
  if (call.workspace.bytes < workspace_.bytes || call.workspace.data == nullptr) {
    bad("a workspace of " + std::to_string(call.workspace.bytes) + " bytes, or null, expected " +
        std::to_string(workspace_.bytes));
  }
  for (uint32_t q = 0; q < queries.size(); ++q) queries_.push_back(prepare(q));
  const DeviceGuard guard(msm_.space_);
  wait_on(msm_.stream_, scalars.ready);
  settled([&] {
    msm_.spans_.measure(call, CUZK_SPAN_KERNEL, "count scalars", 0, [&] { count_scalars(); });
    const auto masked = [](const Query& query) { return query.source.selection.mask != nullptr; };
    if (std::any_of(queries_.begin(), queries_.end(), masked)) cut();
  });
}

void Msm::Job::check_scalars(const cuzk_query& query, uint32_t index) const {
  if (query.curve != scalars_.curve) {
    bad(query_name(index) + "bases of curve " + std::to_string(query.curve) + ", scalars of curve " +
        std::to_string(scalars_.curve));
  }
  if (query.first > scalars_.count || query.span > scalars_.count - query.first) {
    bad(query_name(index) + "scalars " + std::to_string(query.first) + " and " + std::to_string(query.span) +
        " on, but there are " + std::to_string(scalars_.count));
  }
  if (query.select.data == nullptr || query.span == 0) {
    if (query.count != query.span) {
      bad(query_name(index) + std::to_string(query.count) + " bases for " + std::to_string(query.span) +
          " scalars and no mask");
    }
  } else if (const uint64_t bytes = Selection::words(query.span) * sizeof(uint64_t); query.select.bytes < bytes) {
    bad(query_name(index) + "a mask of " + std::to_string(query.select.bytes) + " bytes, expected " +
        std::to_string(bytes));
  }
}

Msm::Job::Query Msm::Job::prepare(uint32_t index) const {
  const cuzk_query& query = asked_[index];
  const void* mask = query.span == 0 ? nullptr : query.select.data;
  Query out{};
  out.recoding = recoding(query.curve, shapes_[index].width, shapes_[index].stride);
  out.source.scalars = static_cast<const std::byte*>(scalars_.mem.data) + query.first * kScalarBytes;
  out.source.montgomery = scalars_.form == CUZK_MONTGOMERY;
  out.source.selection = {static_cast<const uint64_t*>(mask), workspace_.ranks[alike_[index]], query.span};
  out.kernels = &point_kernels(query.curve, query.group);
  out.resident = Msm::resident(query, index);
  out.buckets = workspace_.buckets[index];
  return out;
}

void Msm::Job::count_scalars() {
  const cudaStream_t stream = msm_.stream_;
  check(cudaMemsetAsync(workspace_.totals, 0, queries_.size() * kLengthClasses * sizeof(uint32_t), stream),
        "cudaMemsetAsync");
  for (uint32_t q = 0; q < queries_.size(); ++q) {
    if (alike_[q] != q) continue;
    const ScalarSource& source = queries_[q].source;
    if (source.selection.mask != nullptr) make_ranks(stream, source.selection, workspace_.ranks[q]);
    count_lengths(stream, scalars_.curve, source, queries_[q].recoding, asked_[q].count, shapes_[q].log2_block,
                  workspace_.lengths[q], workspace_.totals + q * kLengthClasses);
  }
}

namespace {
template <class T>
void bring(cudaStream_t stream, std::span<T> to, const T* from) {
  if (to.empty()) return;
  check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
}
}  // namespace

void Msm::Job::cut() {
  const cudaStream_t stream = msm_.stream_;
  std::vector<uint32_t> selected(queries_.size()), totals(queries_.size() * kLengthClasses);
  bring<uint32_t>(stream, totals, workspace_.totals);
  for (uint32_t q = 0; q < queries_.size(); ++q) {
    const Selection& selection = queries_[q].source.selection;
    if (alike_[q] != q || selection.mask == nullptr) continue;
    bring<uint32_t>(stream, {&selected[q], 1}, selection.ranks + Selection::blocks(selection.span));
  }
  msm_.stream_.synchronize();
  for (uint32_t q = 0; q < queries_.size(); ++q) {
    Query& query = queries_[q];
    if (query.source.selection.mask != nullptr && selected[alike_[q]] != asked_[q].count) {
      bad(query_name(q) + std::to_string(asked_[q].count) + " bases, but the mask selects " +
          std::to_string(selected[alike_[q]]));
    }
    profiles_.push_back(profile_of(std::span(totals).subspan(alike_[q] * kLengthClasses, kLengthClasses)));
    shapes_[q] = shapes_[q].narrowed(profiles_[q]);
    query.recoding = recoding(scalars_.curve, shapes_[q].width, shapes_[q].stride);
  }
  bring_lengths();
  cut_ = true;
}

void Msm::Job::bring_lengths() {
  lengths_.resize(queries_.size());
  bool any = false;
  for (uint32_t q = 0; q < queries_.size(); ++q) {
    if (queries_[q].resident != nullptr && shapes_[q].in_one_piece(profiles_[q])) continue;
    std::vector<uint16_t>& lengths = lengths_[alike_[q]];
    if (!lengths.empty()) continue;
    lengths.resize(shapes_[q].blocks(asked_[q].count) * kLengthClasses);
    bring<uint16_t>(msm_.stream_, lengths, workspace_.lengths[alike_[q]]);
    any = true;
  }
  if (any) msm_.stream_.synchronize();
}

Piece Msm::Job::next(uint32_t index, const EntryBound& bound, uint64_t at, uint64_t end) const {
  const std::vector<uint16_t>& lengths = lengths_[alike_[index]];
  if (lengths.empty()) return whole_piece(shapes_[index], profiles_[index], bound, asked_[index].count);
  return next_piece(shapes_[index], lengths, bound, at, end);
}

void Msm::Job::drain() const noexcept {
  msm_.stream_.drain();
  msm_.side_.drain();
}

Msm::Job::~Job() {
  if (!ended_) drain();  // end() has waited; by then the stream may be another job's
}

void Msm::Job::feed(const cuzk_call& call, uint32_t index, cuzk_mem chunk, uint64_t first, uint64_t count,
                    cuzk_fence after, cuzk_fence chunk_free) {
  if (index >= queries_.size()) {
    bad("query " + std::to_string(index) + ", the job has " + std::to_string(queries_.size()));
  }
  const Query& query = queries_[index];
  const cuzk_query& asked = asked_[index];
  if (query.resident != nullptr) bad(query_name(index) + "points for bases that were loaded");
  if (ended_ || first != query.fed || count > asked.count - first) {
    bad(query_name(index) + "points " + std::to_string(first) + " and " + std::to_string(count) +
        " on, expected those from " + std::to_string(query.fed) + " of " + std::to_string(asked.count));
  }
  if (count != 0 && (chunk.data == nullptr || chunk.bytes / affine_bytes(asked.curve, asked.group) < count)) {
    bad(std::to_string(count) + " points in " + std::to_string(chunk.bytes) + " bytes, or null");
  }
  // The queries share the buckets.
  for (uint32_t q = 0; q < queries_.size(); ++q) {
    if (q != index && queries_[q].fed != 0 && queries_[q].fed != asked_[q].count) {
      bad(query_name(index) + "points before all of query " + std::to_string(q) + " came");
    }
  }
  const DeviceGuard guard(msm_.space_);
  wait_on(msm_.stream_, after);
  settled([&] {
    msm_.spans_.measure(call, CUZK_SPAN_KERNEL, "msm feed", 0, [&] {
      accumulate(call, {&index, 1}, static_cast<const std::byte*>(chunk.data), count);
    });
    record(chunk_free, msm_.stream_);
  });
}

void Msm::Job::accumulate(const cuzk_call& call, std::span<const uint32_t> group, const std::byte* bases,
                          uint64_t count) {
  if (!cut_) cut();
  const uint32_t one = group.front();
  const Shape& shape = shapes_[one];
  const uint64_t first = queries_[one].fed, end = first + count;
  for (unsigned window = 0; window < shape.windows; window += shape.group) {
    const WindowRange windows = shape.group_from(window);
    const EntryBound bound = EntryBound::of(shape, windows);
    for (uint64_t at = first; at < end;) {
      sdk::host().throw_if_cancelled(call);
      const Piece piece = next(one, bound, at, end);
      const auto base_of = [&](uint32_t q) {
        const uint64_t size = affine_bytes(asked_[q].curve, asked_[q].group);
        return bases == nullptr ? queries_[q].resident + at * size : bases + (at - first) * size;
      };
      if (piece.entries != 0) accumulate_piece(group, base_of, piece, windows, bound);
      at += piece.count;
    }
  }
  for (const uint32_t q : group) queries_[q].fed += count;
  if (count != 0 && queries_[one].fed == asked_[one].count) reduce(group);
}

template <class BaseOf>
void Msm::Job::accumulate_piece(std::span<const uint32_t> group, const BaseOf& base_of, const Piece& piece,
                                WindowRange windows, const EntryBound& bound) {
  const cudaStream_t stream = msm_.stream_;
  const uint32_t one = group.front();
  const Shape& shape = shapes_[one];
  make_entries(stream, scalars_.curve,
               {.source = queries_[one].source,
                .recoding = queries_[one].recoding,
                .piece = piece,
                .windows = windows,
                .table_points = static_cast<uint32_t>(asked_[one].count),
                .log2_block = shape.log2_block,
                .slots = workspace_.slots,
                .keys = workspace_.keys[0],
                .values = workspace_.values[0]},
               workspace_.lengths[alike_[one]], bound);
  const auto buckets = static_cast<uint32_t>(windows.count * shape.window_buckets());
  const SortedEntries sorted = sort_entries(stream, workspace_, piece.entries, buckets, shape.log2_run(piece.entries));
  find_starts(stream, sorted, workspace_.starts);
  for (const uint32_t q : group) {
    Query& query = queries_[q];
    query.kernels->accumulate(stream, sorted, base_of(q), workspace_.partials);
    query.kernels->combine(stream, sorted, workspace_.starts, workspace_.crowded, workspace_.partials,
                           query.buckets + windows.first * shape.window_buckets() * shapes_[q].point_xyzz,
                           !query.begun[windows.first]);
    query.begun.set(windows.first);
  }
}

void Msm::Job::reduce(std::span<const uint32_t> group) {
  const bool aside = apart_ && queries_[group.front()].resident != nullptr;
  const cudaStream_t stream = aside ? msm_.side_ : msm_.stream_;
  if (aside) {
    check(cudaEventRecord(msm_.added_, msm_.stream_), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream, msm_.added_), "cudaStreamWaitEvent");
  }
  for (const uint32_t q : group) reduce(stream, q);
}

void Msm::Job::reduce(cudaStream_t stream, uint32_t index) {
  const Query& query = queries_[index];
  const Shape& shape = shapes_[index];
  const uint64_t window_bytes = shape.window_buckets() * shape.point_xyzz;
  for (unsigned window = 0; window < shape.windows; window += shape.group) {
    if (query.begun[window]) continue;
    // No entries at all: points at infinity are all zero.
    check(cudaMemsetAsync(query.buckets + window * window_bytes, 0, shape.group_from(window).count * window_bytes,
                          stream),
          "cudaMemsetAsync");
  }
  query.kernels->reduce(stream, shape, query.buckets, workspace_.ranges,
                        static_cast<std::byte*>(workspace_.sums) + sum_offset(shapes_, index));
}

void Msm::Job::end(const cuzk_call& call, cuzk_fence done) {
  sdk::host().throw_if_cancelled(call);
  if (ended_) bad("the job has ended already");
  for (uint32_t q = 0; q < queries_.size(); ++q) {
    if (queries_[q].resident == nullptr && queries_[q].fed != asked_[q].count) {
      bad(query_name(q) + "ends after " + std::to_string(queries_[q].fed) + " of " + std::to_string(asked_[q].count) +
          " points");
    }
  }
  const DeviceGuard guard(msm_.space_);
  settled([&] {
    const auto resident = [&] {
      for (const std::vector<uint32_t>& group : groups_) {
        const uint32_t q = group.front();
        if (queries_[q].resident != nullptr) accumulate(call, group, nullptr, asked_[q].count);
      }
      if (!apart_) return;
      check(cudaEventRecord(msm_.summed_, msm_.side_), "cudaEventRecord");
      check(cudaStreamWaitEvent(msm_.stream_, msm_.summed_), "cudaStreamWaitEvent");
    };
    const bool any =
        std::any_of(queries_.begin(), queries_.end(), [](const Query& q) { return q.resident != nullptr; });
    if (any) msm_.spans_.measure(call, CUZK_SPAN_KERNEL, "msm resident", 0, resident);
    sums_.resize(sum_offset(shapes_, shapes_.size()));
    check(cudaMemcpyAsync(sums_.data(), workspace_.sums, sums_.size(), cudaMemcpyDeviceToHost, msm_.stream_),
          "cudaMemcpyAsync");
    record(done, msm_.stream_);
    msm_.stream_.synchronize();
  });
  ended_ = true;
}

void Msm::Job::finish(std::span<void* const> out) {
  if (!ended_) bad("finish before end");
  for (uint32_t q = 0; q < queries_.size(); ++q) {
    const cuzk_query& asked = asked_[q];
    const Shape& shape = shapes_[q];
    const std::span<const std::byte> sums = std::span(sums_).subspan(sum_offset(shapes_, q));
    join_windows(asked.curve, asked.group, sums, asked.count == 0 ? 0 : shape.windows, shape.width, out[q]);
  }
}

}  // namespace cuzk::cuda
