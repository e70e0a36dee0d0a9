#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/groth16/engine.hpp>

namespace cuzk {
namespace {

constexpr std::chrono::milliseconds kCancelPoll{50};

/// One device and whom it is open for.
struct Place {
  size_t index = 0;
  std::shared_ptr<const ProvingKey> key;
  std::unique_ptr<Prover> prover;
  std::vector<bool> busy;  ///< by worker
  bool opening = false;    ///< by the only busy worker
  Engine::DeviceUse use;

  bool idle() const { return std::find(busy.begin(), busy.end(), true) == busy.end(); }
  std::optional<uint32_t> free_worker() const {
    const auto at = std::find(busy.begin(), busy.end(), false);
    if (at == busy.end()) return std::nullopt;
    return static_cast<uint32_t>(at - busy.begin());
  }
};

/// Somebody who wants a worker, and what was granted.
struct Turn {
  const ProvingKey* key;
  uint32_t passed = 0;  ///< by how many who came later
  Place* place = nullptr;
  uint32_t worker = 0;
  bool opens = false;  ///< has the place to itself, to open it for the key
};

}  // namespace

struct Engine::Impl {
  Impl(HostServices& host, Strategy opened, std::optional<uint64_t> limit)
      : services(host), strategy(std::move(opened)), device_memory(limit) {
    if (strategy.devices.empty()) throw Error(ErrorCode::usage, "a strategy needs at least one device");
    if (strategy.workers == 0) throw Error(ErrorCode::usage, "a strategy needs at least one worker");
    for (size_t i = 0; i < strategy.devices.size(); ++i) {
      Place& place = places.emplace_back();
      place.index = i;
      place.busy.assign(strategy.workers, false);
      place.use.device = strategy.devices[i];
    }
  }

  /// Waits for a worker. Where the place is open for nobody or for another key, the turn has it to itself and is to
  /// open it.
  Turn enter(const ProvingKey& key) {
    Turn turn{&key};
    std::unique_lock lock(mutex);
    const auto self = waiting.insert(waiting.end(), &turn);
    dispatch();
    while (turn.place == nullptr) {
      if (services.cancelled(0)) {
        waiting.erase(self);
        dispatch();  // whom this one held up
        throw Error(ErrorCode::cancelled, key.name + ": cancelled while it waited for a worker");
      }
      changed.wait_for(lock, kCancelPoll);
    }
    return turn;
  }

  void opened(Place& place) {
    const std::lock_guard lock(mutex);
    place.opening = false;
    ++place.use.keys_opened;
    place.use.layout = place.prover->layout();
    dispatch();
  }

  void note_memory(Place& place) {
    const Ledger::Figures now = place.prover->memory();
    const std::lock_guard lock(mutex);
    const uint64_t most = std::max(place.use.memory.high_water, now.high_water);
    place.use.memory = now;
    place.use.memory.high_water = most;
  }

  void leave(Turn& turn) noexcept {
    const std::lock_guard lock(mutex);
    if (turn.opens) turn.place->opening = false;
    turn.place->busy[turn.worker] = false;
    dispatch();
  }

  std::mutex mutex;
  std::condition_variable changed;
  HostServices& services;
  const Strategy strategy;
  const std::optional<uint64_t> device_memory;
  std::list<Place> places;
  std::list<Turn*> waiting;  ///< in order of arrival

 private:
  // With the mutex held:

  /// Who can have a worker of a place that is open for their key goes first; a change of keys costs more.
  void dispatch() {
    const bool joined = serve(false), opened = serve(true);
    if (joined || opened) changed.notify_all();
  }

  bool serve(bool may_open) {
    bool granted = false;
    for (auto at = waiting.begin(); at != waiting.end();) {
      if (grant(**at, may_open)) {
        granted = true;
        for (auto earlier = waiting.begin(); earlier != at; ++earlier) ++(*earlier)->passed;
        at = waiting.erase(at);
      } else if ((*at)->passed >= kMostPassed) {
        break;
      } else {
        ++at;
      }
    }
    return granted;
  }

  bool grant(Turn& turn, bool may_open) {
    Place* best = nullptr;  // to open: one that is open for nobody before one whose key has to go
    for (Place& place : places) {
      const auto worker = place.opening ? std::nullopt : place.free_worker();
      if (worker && place.prover && place.key.get() == turn.key) return take(turn, place, *worker, false);
      if (place.idle() && (best == nullptr || (best->prover && !place.prover))) best = &place;
    }
    return may_open && best != nullptr && take(turn, *best, 0, true);
  }

  static bool take(Turn& turn, Place& place, uint32_t worker, bool opens) {
    place.busy[worker] = true;
    place.opening = opens;
    ++place.use.proofs;
    turn.place = &place;
    turn.worker = worker;
    turn.opens = opens;
    return true;
  }
};

Engine::Engine(HostServices& services, Strategy strategy, std::optional<uint64_t> device_memory)
    : impl_(std::make_unique<Impl>(services, std::move(strategy), device_memory)) {}

Engine::~Engine() = default;

ProofResult Engine::prove(std::shared_ptr<const ProvingKey> key, const Witness& witness, const ProveOptions& options) {
  Impl& engine = *impl_;
  struct Leave {
    Impl& engine;
    Turn turn;
    ~Leave() { engine.leave(turn); }
  } held{engine, engine.enter(*key)};
  Place& place = *held.turn.place;
  if (held.turn.opens) {  // nobody else touches the place meanwhile
    const Span span(engine.services, "open strategy", place.use.device->name());
    place.prover.reset();
    place.key.reset();
    place.prover = std::make_unique<Prover>(engine.services, engine.strategy, place.index, key, engine.device_memory);
    place.key = std::move(key);
    engine.opened(place);
  }
  ProofResult result = place.prover->prove(witness, options, held.turn.worker);
  engine.note_memory(place);
  return result;
}

std::vector<Engine::DeviceUse> Engine::devices() const {
  const std::lock_guard lock(impl_->mutex);
  std::vector<DeviceUse> out;
  for (const Place& place : impl_->places) out.push_back(place.use);
  return out;
}

}  // namespace cuzk
