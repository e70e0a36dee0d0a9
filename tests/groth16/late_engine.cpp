#include "late_engine.hpp"

#include "fake_ntt.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/runtime/host_pool.hpp>

namespace cuzk::testing {
namespace {

constexpr std::byte kRubbish{0xEE};
constexpr uint64_t kRing = 4096;

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  return !a.empty() && !b.empty() && a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

std::span<std::byte> bytes_of(const cuzk_mem& memory) { return {static_cast<std::byte*>(memory.data), memory.bytes}; }

}  // namespace

LateDevice::LateDevice(std::shared_ptr<FakeDevice> memory, uint32_t delay_us)
    : memory_(std::move(memory)), delay_us_(delay_us), thread_([this] { work(); }) {}

LateDevice::~LateDevice() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LateDevice::free(cuzk_mem memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    for (const Copy& copy : copies_) {
      if (overlap(copy.dst, bytes_of(memory))) wrong_.emplace_back("memory was freed under a copy");
    }
  }
  memory_->free(memory);
}

void LateDevice::pin(std::span<std::byte> block) {
  const std::lock_guard lock(mutex_);
  const uint64_t now = ++pins;
  if (fail_pin != 0 && now >= fail_pin) throw Error(ErrorCode::device_failed, "fake: pin: refused (native code 712)");
  for (const auto& [data, bytes] : locked_) {
    if (overlap(block, {data, bytes})) wrong_.emplace_back("pages were locked twice");
  }
  locked_[block.data()] = block.size();
}

void LateDevice::unpin(std::span<std::byte> block) noexcept {
  const std::lock_guard lock(mutex_);
  const auto at = locked_.find(block.data());
  if (at == locked_.end() || at->second != block.size()) {
    wrong_.emplace_back("pages were unlocked that are not locked");
  } else {
    locked_.erase(at);
  }
  for (const Copy& copy : copies_) {
    if (overlap(copy.src, block)) wrong_.emplace_back("pages were unlocked under a copy");
  }
}

cuzk_fence LateDevice::make_fence() {
  memory_->make_fence();
  return {new Fence, CUZK_SPACE_CUDA, 0};
}

void LateDevice::free_fence(cuzk_fence fence) noexcept {
  delete &of(fence);
  memory_->free_fence(fence);
}

void LateDevice::wait(cuzk_fence fence) {
  std::unique_lock lock(mutex_);
  wait(fence, lock);
}

void LateDevice::wait(cuzk_fence fence, std::unique_lock<std::mutex>& lock) {
  if (fence.handle == nullptr) return;
  const uint64_t recorded = of(fence).recorded;  // as events do: what was recorded by now
  if (waited_ && of(fence).over < recorded) {
    std::exchange(waited_, {})();
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return of(fence).over >= recorded; });
}

void LateDevice::over(cuzk_fence done) {
  if (done.handle == nullptr) return;
  const std::lock_guard lock(mutex_);
  of(done).over = ++of(done).recorded;
}

void LateDevice::hold(std::function<void()> waited) {
  const std::lock_guard lock(mutex_);
  waited_ = std::move(waited);
}

void LateDevice::enqueue(uint64_t ticket, std::span<std::byte> dst, std::span<const std::byte> src, cuzk_fence after,
                         cuzk_fence done) {
  wait(after);  // the rubbish must not come before those who still read
  {
    const std::lock_guard lock(mutex_);
    for (const Copy& copy : copies_) {
      if (copy.ticket != ticket && (overlap(copy.dst, dst) || overlap(copy.src, dst))) {
        wrong_.push_back("ticket " + std::to_string(ticket) + " got memory in which a copy of ticket " +
                         std::to_string(copy.ticket) + " runs");
      }
    }
    std::fill(dst.begin(), dst.end(), kRubbish);
    if (done.handle != nullptr) ++of(done).recorded;
    copies_.push_back({ticket, dst, src, {src.begin(), src.end()}, done});
  }
  changed_.notify_all();
}

void LateDevice::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || (!copies_.empty() && !waited_); });
    if (copies_.empty()) return;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(delay_us_));
    lock.lock();
    const Copy& copy = copies_.back();
    if (!std::equal(copy.src.begin(), copy.src.end(), copy.expected.begin())) {
      wrong_.emplace_back("a source changed before it was copied");
    }
    std::copy(copy.src.begin(), copy.src.end(), copy.dst.begin());
    std::fill(copy.dst.begin() + static_cast<std::ptrdiff_t>(copy.src.size()), copy.dst.end(), std::byte{});
    if (copy.done.handle != nullptr) ++of(copy.done).over;
    copies_.pop_back();
    changed_.notify_all();
  }
}

bool LateDevice::is_over(cuzk_fence fence) const {
  const std::lock_guard lock(mutex_);
  return fence.handle == nullptr || of(fence).over == of(fence).recorded;
}

size_t LateDevice::running() const {
  const std::lock_guard lock(mutex_);
  return copies_.size();
}

size_t LateDevice::locked() const {
  const std::lock_guard lock(mutex_);
  return locked_.size();
}

bool LateDevice::locked(const void* data) const {
  const std::lock_guard lock(mutex_);
  return locked_.contains(static_cast<const std::byte*>(data));
}

std::vector<std::string> LateDevice::wrong() const {
  const std::lock_guard lock(mutex_);
  return wrong_;
}

namespace {

using Late = std::shared_ptr<LateDevice>;

class LateStaging final : public Staging {
 public:
  LateStaging(Late device, std::shared_ptr<Faults> faults, cuzk_mem ring)
      : device_(std::move(device)), faults_(std::move(faults)), ring_(ring.data != nullptr) {
    require(ring.bytes == (ring_ ? kRing : 0), "staging's ring");
    require(ring_ == device_->locked(ring.data), "a ring that is not locked");
  }
  uint32_t upload(const Lease& lease, cuzk_mem& dst, std::span<const std::byte> src, bool src_pinned, cuzk_fence after,
                  cuzk_fence done) override {
    faults_->call("upload");
    require(dst.data != nullptr && dst.bytes >= src.size(), "upload to a wrong place");
    device_->enqueue(lease.call().ticket, bytes_of(dst), src, after, done);
    return path(src_pinned);
  }
  uint32_t download(const Lease& lease, std::span<std::byte> dst, bool dst_pinned, cuzk_mem src, cuzk_fence after,
                    cuzk_fence done) override {
    faults_->call("download");
    device_->enqueue(lease.call().ticket, dst.first(src.bytes), bytes_of(src), after, done);
    return path(dst_pinned);
  }

 private:
  uint32_t path(bool pinned) const { return pinned ? CUZK_PATH_PINNED : ring_ ? CUZK_PATH_RING : CUZK_PATH_PAGEABLE; }

  const Late device_;
  const std::shared_ptr<Faults> faults_;
  const bool ring_;
};

class LateStagingComponent final : public StagingComponent {
 public:
  LateStagingComponent(Late device, std::shared_ptr<Faults> faults, ComponentInfo info)
      : device_(std::move(device)), faults_(std::move(faults)), info_(std::move(info)) {
    info_.api_flags = CUZK_STAGING_PINNED;
  }
  const ComponentInfo& info() const override { return info_; }
  cuzk_plan plan(const cuzk_device_info&, uint64_t, uint64_t) const override {
    cuzk_plan plan{};
    plan.pinned = kRing;
    return plan;
  }
  std::unique_ptr<Staging> open(cuzk_space, const cuzk_plan&, cuzk_mem ring) const override {
    faults_->call("open staging");
    return std::make_unique<LateStaging>(device_, faults_, ring);
  }

 private:
  const Late device_;
  const std::shared_ptr<Faults> faults_;
  ComponentInfo info_;
};

class LateNtt final : public Ntt {
 public:
  LateNtt(Late device, std::unique_ptr<Ntt> inner) : device_(std::move(device)), inner_(std::move(inner)) {}
  void transform(const Lease& lease, cuzk_vec v, uint32_t kind, cuzk_fence done) override {
    inner_->transform(lease, awaited(v), kind, {});
    device_->over(done);
  }
  void pointwise(const Lease& lease, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done) override {
    inner_->pointwise(lease, awaited(out), awaited(x), awaited(y), op, {});
    device_->over(done);
  }
  void quotient_ab(const Lease& lease, cuzk_vec a, cuzk_vec b, cuzk_fence b_free) override {
    inner_->quotient_ab(lease, awaited(a), awaited(b), {});
    device_->over(b_free);
  }
  void quotient_c(const Lease& lease, cuzk_vec ab, cuzk_vec c, cuzk_fence done) override {
    inner_->quotient_c(lease, awaited(ab), awaited(c), {});
    device_->over(done);
  }

 private:
  cuzk_vec awaited(cuzk_vec v) const {
    device_->wait(v.ready);
    v.ready = {};
    return v;
  }
  const Late device_;
  const std::unique_ptr<Ntt> inner_;
};

class LateNttComponent final : public NttComponent {
 public:
  LateNttComponent(Late device, std::shared_ptr<const NttComponent> inner)
      : device_(std::move(device)), inner_(std::move(inner)) {}
  const ComponentInfo& info() const override { return inner_->info(); }
  cuzk_plan plan(const cuzk_device_info& device, const cuzk_domain& domain, uint64_t limit) const override {
    return inner_->plan(device, domain, limit);
  }
  std::unique_ptr<Ntt> open(cuzk_space space, const cuzk_domain& domain, const cuzk_plan& plan,
                            cuzk_mem resident) const override {
    return std::make_unique<LateNtt>(device_, inner_->open(space, domain, plan, resident));
  }

 private:
  const Late device_;
  const std::shared_ptr<const NttComponent> inner_;
};

/// What the jobs of all instances did, in order. Threads: any.
struct Calls {
  std::mutex mutex;
  std::shared_ptr<std::vector<std::string>> all;
  void note(const char* what, uint64_t job) {
    const std::lock_guard lock(mutex);
    all->push_back(std::string(what) + " " + std::to_string(job));
  }
};

/// Its end is late, too.
class LateJob final : public Msm::Job {
 public:
  LateJob(Late device, std::shared_ptr<Calls> calls, uint64_t number, cuzk_fence& ended,
          std::unique_ptr<Msm::Job> inner)
      : device_(std::move(device)), calls_(std::move(calls)), number_(number), ended_(ended), inner_(std::move(inner)) {
    calls_->note("start", number_);
  }
  ~LateJob() override { calls_->note("drop", number_); }
  void feed(const Lease& lease, uint32_t query, cuzk_mem chunk, uint64_t first, uint64_t count, cuzk_fence after,
            cuzk_fence chunk_free) override {
    device_->wait(after);
    inner_->feed(lease, query, chunk, first, count, {}, {});
    device_->over(chunk_free);
  }
  void end(const Lease& lease, cuzk_fence done) override {
    inner_->end(lease, {});
    calls_->note("end", number_);
    device_->enqueue(lease.call().ticket, {}, {}, {}, done);
    ended_ = done;
  }
  void finish(std::span<void* const> out) override {
    calls_->note("finish", number_);
    inner_->finish(out);
  }

 private:
  const Late device_;
  const std::shared_ptr<Calls> calls_;
  const uint64_t number_;
  cuzk_fence& ended_;
  const std::unique_ptr<Msm::Job> inner_;
};

class LateMsm final : public Msm {
 public:
  LateMsm(Late device, std::shared_ptr<Calls> calls, std::unique_ptr<Msm> inner)
      : device_(std::move(device)), calls_(std::move(calls)), inner_(std::move(inner)) {}
  void load(const Lease& lease, const cuzk_query& query, cuzk_mem resident, cuzk_mem chunk, uint64_t first,
            uint64_t count, cuzk_fence after, cuzk_fence chunk_free, std::unique_ptr<Bases>& bases) override {
    device_->wait(after);
    inner_->load(lease, query, resident, chunk, first, count, {}, {}, bases);
    device_->over(chunk_free);
  }
  std::unique_ptr<Job> start(const Lease& lease, cuzk_vec scalars, std::span<const cuzk_query> queries,
                             const cuzk_plan& plan) override {
    require(device_->is_over(ended_), "a job starts while the one before has its workspace");
    device_->wait(scalars.ready);
    scalars.ready = {};
    return std::make_unique<LateJob>(device_, calls_, number_++, ended_, inner_->start(lease, scalars, queries, plan));
  }

 private:
  const Late device_;
  const std::shared_ptr<Calls> calls_;
  const std::unique_ptr<Msm> inner_;
  cuzk_fence ended_{};  ///< of the job before
  uint64_t number_ = 0;
};

class LateMsmComponent final : public MsmComponent {
 public:
  LateMsmComponent(Late device, std::shared_ptr<std::vector<std::string>> calls,
                   std::shared_ptr<const MsmComponent> inner)
      : device_(std::move(device)), inner_(std::move(inner)) {
    calls_->all = std::move(calls);
  }
  const ComponentInfo& info() const override { return inner_->info(); }
  cuzk_plan plan_bases(const cuzk_device_info& device, const cuzk_query& query, uint64_t limit) const override {
    return inner_->plan_bases(device, query, limit);
  }
  cuzk_plan plan_job(const cuzk_device_info& device, std::span<const cuzk_query> queries,
                     uint64_t limit) const override {
    return inner_->plan_job(device, queries, limit);
  }
  std::unique_ptr<Msm> open(cuzk_space space) const override {
    return std::make_unique<LateMsm>(device_, calls_, inner_->open(space));
  }

 private:
  const Late device_;
  const std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  const std::shared_ptr<const MsmComponent> inner_;
};

FakeOptions remote(FakeOptions options) {
  options.device_kind = CUZK_SPACE_CUDA;
  options.adopt = false;
  return options;
}

}  // namespace

LateEngine::LateEngine(FakeOptions options, uint32_t delay_us)
    : fake(remote(std::move(options))),
      device(std::make_shared<LateDevice>(fake.device, delay_us)),
      strategy(fake.strategy),
      calls(std::make_shared<std::vector<std::string>>()) {
  strategy.devices = {device};
  strategy.staging = std::make_shared<LateStagingComponent>(device, fake.faults, strategy.staging->info());
  if (runs_on(*strategy.ntt, *device)) strategy.ntt = std::make_shared<LateNttComponent>(device, strategy.ntt);
  if (runs_on(*strategy.msm, *device)) strategy.msm = std::make_shared<LateMsmComponent>(device, calls, strategy.msm);
}

}  // namespace cuzk::testing
