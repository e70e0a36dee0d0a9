#pragma once
#include "groth16/resting.hpp"

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <cuzk/groth16/engine.hpp>

namespace cuzk::groth16 {

/// One device and whom it is open for. Who has the place to itself, to open it, may change device, resting,
/// plainest and prover; everything else is changed with the mutex of Places held.
struct Place {
  size_t index = 0;
  uint32_t first_lane = 0;
  std::shared_ptr<HeldDevice> device;  ///< null: nothing was opened on it yet
  Resting resting;
  bool plainest = false;
  std::unique_ptr<Prover> prover;  ///< null: open for nobody
  std::vector<bool> seats{false};  ///< taken, by partitions in flight; as many as the prover has room for
  bool opening = false;            ///< by the only one who has a seat
  bool lost = false;
  bool kept = false;  ///< while seats are given out: for somebody who was passed too often
  uint64_t last_used = 0;
  Engine::DeviceUse use;

  bool idle() const;
  std::optional<uint32_t> free_seat() const;
};

/// What somebody wants to prove, and where it may be.
struct Wish {
  const ProvingKey* key;
  const ProofJob* job = nullptr;
  bool plainest = false;
  Place* only = nullptr;  ///< null: any

  bool allows(const Place& place) const { return only == nullptr || only == &place; }
};

/// The devices of an engine, and who waits for a seat on one. Threads: any.
class Places {
 public:
  Places(HostServices&, const Strategy&);

  /// A seat until this goes.
  class Turn {
   public:
    explicit Turn(Places& places, const Wish& wish) : places_(places), wish_(wish) { places_.enter(*this); }
    ~Turn() { places_.leave(*this); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    Place& place() const { return *place_; }
    uint32_t lane() const { return place_->first_lane + seat_; }
    bool opens() const { return opens_; }  ///< has the place to itself and is to open it

   private:
    friend class Places;
    Places& places_;
    const Wish wish_;
    uint32_t passed_ = 0;  ///< by how many who came later
    Place* place_ = nullptr;
    uint32_t seat_ = 0;
    bool opens_ = false;
  };

  void opened(Place&, bool loaded);     ///< by the turn that opens: others may come in; loaded: not from its rest
  bool lose(Place&);                    ///< gives no seat on it any more; false: that was so already
  bool has_one_for(const Wish&) const;  ///< that is not lost
  std::vector<Engine::DeviceUse> uses() const;

 private:
  void enter(Turn&);
  void leave(Turn&) noexcept;
  bool reachable(const Wish&) const;
  void dispatch();
  bool serve(bool may_open);
  bool grant(Turn&, bool may_open);
  bool take(Turn&, Place&, uint32_t seat, bool opens);

  HostServices& services_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Place> places_;
  std::list<Turn*> waiting_;  ///< in order of arrival
  uint64_t uses_ = 0;
};

}  // namespace cuzk::groth16
