#include "groth16/simulation_steps.hpp"

#include "groth16/queries.hpp"

#include <algorithm>
#include <utility>

namespace cuzk::groth16 {
namespace {

constexpr uint64_t kPiece = uint64_t{256} << 20;  // copies give way to others' after so many bytes

class Steps {
 public:
  explicit Steps(const Simulation& simulation) : simulation_(simulation) {}

  /// Returns the index of the last piece.
  size_t upload(const std::string& name, uint64_t bytes, std::vector<size_t> after) {
    uint64_t done = 0;
    do {
      const uint64_t piece = std::min(kPiece, bytes - done);
      const uint64_t ns = simulation_.model.copy_ns(piece, DeviceModel::Way::up, simulation_.page_locked);
      after = {add({ModelEngines::up, name, ns, piece, std::move(after)})};
      done += piece;
    } while (done < bytes);
    return after.front();
  }
  size_t kernel(const std::string& name, uint64_t ns, std::vector<size_t> after) {
    return add({ModelEngines::kernels, name, ns, 0, std::move(after)});
  }

  /// The job behind step `before`; returns its last step. Its first chunk crosses under what comes before, the very
  /// first one where the quotient leaves the ring its place.
  size_t job(const JobLayout& job, size_t before) {
    const Layout& layout = simulation_.layout;
    const KeyShape& shape = simulation_.shape;
    const bool early = layout.quotient + layout.ring <= layout.workspace_allocated;
    bool ahead = !freed_.empty() || early;
    uint64_t resident_ns = simulation_.model.latency_ns;
    size_t last = before;
    std::string names;
    for (const QueryId id : job.queries) {
      names.append(names.empty() ? "" : " ").append(name(id));
      const uint64_t count = shape.queries[static_cast<size_t>(id)].count;
      if (layout.bases[static_cast<size_t>(id)].resident != 0) {
        resident_ns += msm_ns(id, count);
        continue;
      }
      const uint64_t point = point_bytes(shape.curve, group_of(id));
      for (uint64_t first = 0; first < count; first += layout.chunk_of(id)) {
        const uint64_t points = std::min(layout.chunk_of(id), count - first);
        std::vector<size_t> after;
        if (freed_.size() >= layout.chunks) after.push_back(freed_[freed_.size() - layout.chunks]);
        if (!std::exchange(ahead, false)) after.push_back(before);
        const size_t there = upload("upload " + std::string(name(id)), points * point, std::move(after));
        last = kernel("msm " + std::string(name(id)), msm_ns(id, points), {there, last});
        freed_.push_back(last);
      }
    }
    return kernel("msm " + names, resident_ns, {last});
  }

  std::vector<CardStep> take() { return std::move(steps_); }

 private:
  size_t add(CardStep step) {
    steps_.push_back(std::move(step));
    return steps_.size() - 1;
  }
  uint64_t msm_ns(QueryId id, uint64_t points) const {
    const double small = id == QueryId::h ? 0 : simulation_.small_scalars;
    return simulation_.model.msm_ns(simulation_.shape.curve, group_of(id), points, small);
  }

  const Simulation& simulation_;
  std::vector<CardStep> steps_;
  std::vector<size_t> freed_;  ///< the kernels of all chunks
};

}  // namespace

std::vector<CardStep> stage_steps(const Simulation& simulation) {
  Steps steps(simulation);
  const uint64_t vector = simulation.shape.domain_size() * kFrBytes;
  const size_t a = steps.upload("upload a", vector, {});
  const size_t b = steps.upload("upload b", vector, {a});
  if (!simulation.layout.w_late) steps.upload("upload witness", simulation.shape.variables * kFrBytes, {b});
  return steps.take();
}

std::vector<CardStep> compute_steps(const Simulation& simulation) {
  Steps steps(simulation);
  const DeviceModel& model = simulation.model;
  const KeyShape& shape = simulation.shape;
  const uint64_t n = shape.domain_size();
  std::vector<size_t> before;
  if (!simulation.layout.c_late) before = {steps.kernel("c", model.product_ns(n), {})};
  before = {steps.kernel("quotient ab", model.quotient_ab_ns(shape.domain), std::move(before))};
  if (simulation.layout.c_late) before = {steps.upload("upload c", n * kFrBytes, std::move(before))};
  size_t last = steps.kernel("quotient c", model.quotient_c_ns(shape.domain), std::move(before));
  bool sent = !simulation.layout.w_late;
  for (const JobLayout& job : simulation.layout.jobs) {
    if (!sent && job.queries[0] != QueryId::h) {
      last = steps.upload("upload witness", shape.variables * kFrBytes, {last});
      sent = true;
    }
    last = steps.job(job, last);
  }
  return steps.take();
}

}  // namespace cuzk::groth16
