#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <utility>

#include <cuzk/groth16/prover.hpp>

namespace cuzk::groth16 {

/// Provers of one device that nobody proves with just now and whose keys are on the device, so that a change back costs
/// nothing. One thread at a time.
class Resting {
 public:
  /// Only what has a key on the device is kept; everything else is quickly opened again.
  void keep(std::unique_ptr<Prover> prover) {
    if (prover && prover->layout().key != 0) provers_.push_back(std::move(prover));
  }
  bool has(const ProvingKey* key) const {
    for (const auto& prover : provers_) {
      if (prover->key().get() == key) return true;
    }
    return false;
  }
  /// Null where there is none.
  std::unique_ptr<Prover> take(const ProvingKey* key) {
    for (auto at = provers_.begin(); at != provers_.end(); ++at) {
      if ((*at)->key().get() != key) continue;
      std::unique_ptr<Prover> prover = std::move(*at);
      provers_.erase(at);
      return prover;
    }
    return nullptr;
  }
  /// Those go whose keys nobody else has any more, then the least recently used, one by one, until enough().
  template <class Enough>
  void leave_until(const Enough& enough) {
    provers_.remove_if([](const auto& prover) { return prover->key().use_count() == 1; });
    while (!provers_.empty() && !enough()) provers_.pop_front();
  }
  void clear() { provers_.clear(); }
  bool empty() const { return provers_.empty(); }
  /// Bytes of the engine's pool that they hold.
  uint64_t host_bytes() const {
    uint64_t bytes = 0;
    for (const auto& prover : provers_) bytes += prover->host().workers * prover->host().worker();
    return bytes;
  }

 private:
  std::list<std::unique_ptr<Prover>> provers_;  ///< the least recently used first
};

}  // namespace cuzk::groth16
