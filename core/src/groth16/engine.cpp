#include "groth16/partition.hpp"
#include "groth16/places.hpp"

#include <string>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/groth16/engine.hpp>

namespace cuzk {
namespace {

using groth16::Place;
using groth16::Places;
using groth16::Wish;

const Strategy& checked(const Strategy& strategy) {
  if (strategy.devices.empty()) throw Error(ErrorCode::usage, "a strategy needs at least one device");
  if (strategy.workers == 0) throw Error(ErrorCode::usage, "a strategy needs at least one worker");
  return strategy;
}

/// A witness in the caller's hands, or one that this holds.
class HeldWitness {
 public:
  explicit HeldWitness(const Witness& held) : witness_(&held) {}
  explicit HeldWitness(const WitnessSource& source) : own_(source()), witness_(&*own_) {}
  const Witness& operator*() const { return *witness_; }

 private:
  std::optional<Witness> own_;
  const Witness* witness_;
};

/// What the same work may not meet again. A lock policy's failures are its own: they stay.
bool worth_another_try(const Error& error) {
  return error.code() == ErrorCode::device_failed || dynamic_cast<const groth16::FailedOnDevice*>(&error) != nullptr;
}

}  // namespace

struct Engine::Impl {
  Impl(HostServices& host, Strategy opened, std::optional<uint64_t> device_limit, std::optional<uint64_t> host_limit)
      : services(host),
        strategy(std::move(opened)),
        plain(plainest(strategy)),
        device_memory(device_limit),
        pinning(services, locker_of(checked(strategy))),
        places(services, strategy) {
    services.memory().set_limit(host_limit);
    if (host_limit) host_memory = *host_limit / strategy.devices.size();
  }

  template <class Source>
  ProofResult prove(const std::shared_ptr<const ProvingKey>& key, const Source& source, const ProveOptions& options);
  template <class Source>
  ProofResult attempt(const Places::Turn&, const std::shared_ptr<const ProvingKey>& key, bool plainest,
                      const Source& source, const ProveOptions& options);
  void open(Place&, const std::shared_ptr<const ProvingKey>& key, bool plainest, const ProofJob* job);
  std::unique_ptr<Prover> load(Place&, const Strategy&, const std::shared_ptr<const ProvingKey>&, const ProofJob*);
  void stop_if_late(const Error&, const Wish&) const;
  void next_try(const Error&, Place&, Wish&, std::vector<std::string>& failures);

  HostServices& services;
  const Strategy strategy, plain;
  const std::optional<uint64_t> device_memory;
  std::optional<uint64_t> host_memory;  ///< of one device
  const HostPool::Pinning pinning;
  Places places;
};

/// By the turn that has the place to itself. The plainest path wants all of the device.
void Engine::Impl::open(Place& place, const std::shared_ptr<const ProvingKey>& key, bool plainest,
                        const ProofJob* job) {
  const Span span(services, "open strategy", place.use.device->name());
  place.resting.keep(std::move(place.prover));
  if (plainest) place.resting.clear();
  place.plainest = plainest;
  place.prover = place.resting.take(key.get());
  const bool loaded = place.prover == nullptr;
  if (loaded) place.prover = load(place, plainest ? plain : strategy, key, job);
  places.opened(place, loaded);
}

/// With the memory that the key would have if no other rested on the device: the least recently used ones make room.
std::unique_ptr<Prover> Engine::Impl::load(Place& place, const Strategy& opened,
                                           const std::shared_ptr<const ProvingKey>& key, const ProofJob* job) {
  if (!place.device) place.device = std::make_shared<HeldDevice>(services, place.use.device, device_memory);
  const Device& device = *place.device->device;
  const Ledger& ledger = place.device->ledger;
  const Layout alone = plan_layout(opened, device, key->shape, services.cpu().threads(),
                                   ledger.available() + ledger.figures().held, key->name);
  const uint64_t host =
      plan_host_memory(opened, device, alone, *key, cuzk::most_in_flight(opened), host_memory).total();
  place.resting.leave_until([&] {
    const bool on_host = !host_memory || host + place.resting.host_bytes() <= *host_memory;
    return on_host && alone.total() <= ledger.available();
  });
  const auto open_prover = [&] {
    std::optional<uint64_t> host_left = host_memory;
    if (host_left) *host_left -= place.resting.host_bytes();
    return std::make_unique<Prover>(services, opened, place.device, key, host_left, job);
  };
  try {
    return open_prover();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory || place.resting.empty()) throw;
  }
  place.resting.clear();  // somebody else took memory since it was looked at
  return open_prover();
}

template <class Source>
ProofResult Engine::Impl::attempt(const Places::Turn& turn, const std::shared_ptr<const ProvingKey>& key, bool plainest,
                                  const Source& source, const ProveOptions& options) {
  Place& place = turn.place();
  if (turn.opens()) open(place, key, plainest, options.job);
  const HeldWitness witness(source);
  ProofResult result = place.prover->prove(*witness, options, turn.lane());
  result.plainest = plainest;
  return result;
}

/// What was cancelled because its job's time is over.
void Engine::Impl::stop_if_late(const Error& error, const Wish& wish) const {
  const ProofJob* const job = wish.job;
  if (error.code() != ErrorCode::cancelled || job == nullptr || job->cancelled() || !job->late(services.now_ns()))
    return;
  throw Error(ErrorCode::deadline, wish.key->name + ": not proved in the time that its job has: " + error.what());
}

/// What is to be tried after the error; rethrows it where nothing is.
void Engine::Impl::next_try(const Error& error, Place& place, Wish& wish, std::vector<std::string>& failures) {
  const bool lost = place.use.device->lost();
  const bool news = lost && places.lose(place);
  if (lost && (error.code() == ErrorCode::unusable || worth_another_try(error))) {
    wish = {wish.key, wish.job};
    if (!places.has_one_for(wish)) throw;
    if (news) services.log(LogLevel::error, "engine", error.what());
  } else if (!lost && !wish.plainest && worth_another_try(error)) {
    services.log(LogLevel::warn, "engine", std::string(error.what()) + "; once more, by the plainest path");
    wish = {wish.key, wish.job, true, &place};
  } else {
    if (failures.empty()) throw;
    throw Error(error.code(), std::string(error.what()) + "; before that: " + failures.back());
  }
  failures.emplace_back(error.what());
}

template <class Source>
ProofResult Engine::Impl::prove(const std::shared_ptr<const ProvingKey>& key, const Source& source,
                                const ProveOptions& options) {
  std::vector<std::string> failures;
  for (Wish wish{key.get(), options.job};;) {
    std::optional<Places::Turn> turn;
    try {
      turn.emplace(places, wish);
      ProofResult result = attempt(*turn, key, wish.plainest, source, options);
      result.failures = std::move(failures);
      return result;
    } catch (const Error& error) {
      stop_if_late(error, wish);
      if (!turn) throw;
      next_try(error, turn->place(), wish, failures);
    }
  }
}

Engine::Engine(HostServices& services, Strategy strategy, std::optional<uint64_t> device_memory,
               std::optional<uint64_t> host_memory)
    : impl_(std::make_unique<Impl>(services, std::move(strategy), device_memory, host_memory)) {}

Engine::~Engine() = default;

ProofResult Engine::prove(std::shared_ptr<const ProvingKey> key, const WitnessSource& source,
                          const ProveOptions& options) {
  return impl_->prove(key, source, options);
}

ProofResult Engine::prove(std::shared_ptr<const ProvingKey> key, const Witness& witness, const ProveOptions& options) {
  return impl_->prove(key, witness, options);
}

uint32_t Engine::most_in_flight() const {
  return static_cast<uint32_t>(impl_->strategy.devices.size()) * cuzk::most_in_flight(impl_->strategy);
}

std::vector<Engine::DeviceUse> Engine::devices() const { return impl_->places.uses(); }

}  // namespace cuzk
