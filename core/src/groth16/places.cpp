#include "groth16/places.hpp"

#include "runtime/cancel_poll.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <cuzk/error.hpp>

namespace cuzk::groth16 {
bool Place::idle() const { return std::find(seats.begin(), seats.end(), true) == seats.end(); }

std::optional<uint32_t> Place::free_seat() const {
  const auto at = std::find(seats.begin(), seats.end(), false);
  if (at == seats.end()) return std::nullopt;
  return static_cast<uint32_t>(at - seats.begin());
}

Places::Places(HostServices& services, const Strategy& strategy) : services_(services) {
  for (size_t i = 0; i < strategy.devices.size(); ++i) {
    Place& place = places_.emplace_back();
    place.index = i;
    place.first_lane = static_cast<uint32_t>(i) * most_in_flight(strategy);
    place.use.device = strategy.devices[i];
  }
}

/// Where the place is open for nobody or for somebody else, the turn has it to itself and is to open it.
void Places::enter(Turn& turn) {
  std::unique_lock lock(mutex_);
  const auto self = waiting_.insert(waiting_.end(), &turn);
  dispatch();
  const auto give_up = [&](ErrorCode code, const std::string& why) {
    waiting_.erase(self);
    dispatch();  // whom this one held up
    throw Error(code, turn.wish_.key->name + ": " + why);
  };
  while (turn.place_ == nullptr) {
    if (services_.job_cancelled(turn.wish_.job)) {
      give_up(ErrorCode::cancelled, "cancelled while it waited for a worker");
    }
    if (!reachable(turn.wish_)) {
      give_up(ErrorCode::unusable, "every device it could be proved on is lost; the process must be restarted");
    }
    changed_.wait_for(lock, kCancelPoll);
  }
}

void Places::leave(Turn& turn) noexcept {
  const std::lock_guard lock(mutex_);
  if (turn.opens_) turn.place_->opening = false;
  turn.place_->seats[turn.seat_] = false;
  dispatch();
}

void Places::opened(Place& place, bool loaded) {
  const Ledger::Figures now = place.prover->memory();
  const std::lock_guard lock(mutex_);
  place.opening = false;
  place.seats.resize(place.prover->host().in_flight);
  if (loaded) ++place.use.keys_opened;
  place.use.layout = place.prover->layout();
  place.use.host = place.prover->host();
  const uint64_t most = std::max(place.use.memory.high_water, now.high_water);
  place.use.memory = now;
  place.use.memory.high_water = most;
  dispatch();
}

bool Places::lose(Place& place) {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  return !std::exchange(place.lost, true);
}

bool Places::has_one_for(const Wish& wish) const {
  const std::lock_guard lock(mutex_);
  return reachable(wish);
}

std::vector<Engine::DeviceUse> Places::uses() const {
  const std::lock_guard lock(mutex_);
  std::vector<Engine::DeviceUse> out;
  for (const Place& place : places_) out.push_back(place.use);
  return out;
}

// With the mutex held:

bool Places::reachable(const Wish& wish) const {
  if (wish.only != nullptr) return !wish.only->lost;
  return std::any_of(places_.begin(), places_.end(), [](const Place& place) { return !place.lost; });
}

/// Who can have a seat at a place that is open for them goes first; opening one costs more.
void Places::dispatch() {
  const bool joined = serve(false), opened = serve(true);
  if (joined || opened) changed_.notify_all();
}

/// Whoever was passed often enough is passed no more where it could be served: nobody later has a seat there.
bool Places::serve(bool may_open) {
  bool granted = false;
  for (Place& place : places_) place.kept = false;
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    Turn& turn = **at;
    if (grant(turn, may_open)) {
      granted = true;
      for (auto earlier = waiting_.begin(); earlier != at; ++earlier) {
        if ((*earlier)->wish_.allows(*turn.place_)) ++(*earlier)->passed_;
      }
      at = waiting_.erase(at);
      continue;
    }
    if (turn.passed_ >= Engine::kMostPassed) {
      for (Place& place : places_) place.kept = place.kept || turn.wish_.allows(place);
    }
    ++at;
  }
  return granted;
}

/// To open, a place where the key rests comes first, then one that is open for nobody, then the one that was used least
/// recently.
bool Places::grant(Turn& turn, bool may_open) {
  const Wish& wish = turn.wish_;
  Place* best = nullptr;
  for (Place& place : places_) {
    if (place.lost || place.kept || !wish.allows(place)) continue;
    const auto seat = place.opening ? std::nullopt : place.free_seat();
    if (seat && place.prover && place.prover->key().get() == wish.key && place.plainest == wish.plainest) {
      return take(turn, place, *seat, false);
    }
    if (!place.idle()) continue;
    const auto rank = [&](const Place& at) {
      const bool rests = !wish.plainest && at.resting.has(wish.key);
      return std::tuple(!rests, at.prover != nullptr, at.last_used);
    };
    if (best == nullptr || rank(place) < rank(*best)) best = &place;
  }
  return may_open && best != nullptr && take(turn, *best, 0, true);
}

bool Places::take(Turn& turn, Place& place, uint32_t seat, bool opens) {
  place.seats[seat] = true;
  place.opening = opens;
  place.last_used = ++uses_;
  ++place.use.proofs;
  turn.place_ = &place;
  turn.seat_ = seat;
  turn.opens_ = opens;
  return true;
}

}  // namespace cuzk::groth16
