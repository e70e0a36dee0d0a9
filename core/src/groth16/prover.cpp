#include "formats/read_intact.hpp"
#include "groth16/assemble.hpp"
#include "groth16/partition.hpp"

#include <string>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/groth16/prover.hpp>
#include <cuzk/groth16/verifier.hpp>

namespace cuzk {
struct Prover::Impl : groth16::Session {
  using groth16::Session::Session;
};

namespace {
std::shared_ptr<Device> device_of(const Strategy& strategy, size_t index) {
  if (index < strategy.devices.size()) return strategy.devices[index];
  throw Error(ErrorCode::usage, "the strategy has no device of that index");
}
}  // namespace

Prover::Prover(HostServices& services, const Strategy& strategy, size_t device, std::shared_ptr<const ProvingKey> key,
               std::optional<uint64_t> device_memory, std::optional<uint64_t> host_memory, const ProofJob* job)
    : Prover(services, strategy, std::make_shared<HeldDevice>(services, device_of(strategy, device), device_memory),
             std::move(key), host_memory, job) {}

Prover::Prover(HostServices& services, const Strategy& strategy, std::shared_ptr<HeldDevice> device,
               std::shared_ptr<const ProvingKey> key, std::optional<uint64_t> host_memory, const ProofJob* job)
    : impl_(std::make_unique<Impl>(services, strategy, std::move(device), std::move(key), host_memory, job)) {}

Prover::~Prover() = default;

ProofResult Prover::prove(const Witness& witness, const ProveOptions& options, uint32_t lane) {
  Impl& session = *impl_;
  const ProvingKey& key = *session.key;
  require_fit(witness, key.shape.curve, key.shape.variables, key.name);
  groth16::Partition partition(session, witness, options.job, lane);
  const groth16::Points points = formats::read_intact(key, [&] { return partition.run(); });
  const uint64_t ticket = partition.ticket();
  session.stop_if_cancelled(ticket, "before the proof was put together");
  ProofResult result;
  result.ticket = ticket;
  result.vector_paths = partition.vector_paths();
  result.base_paths = partition.base_paths();
  result.uploaded_bytes = partition.uploaded();
  result.device = session.device->name();
  {
    const Span span(session.services, "assemble", {}, ticket, lane);
    result.proof = groth16::assemble(
        key, points,
        options.insecure_seed ? groth16::insecure_random(*options.insecure_seed) : groth16::system_random());
  }
  const auto signals = witness.values.span().subspan(1, key.shape.publics);
  result.signals.assign(signals.begin(), signals.end());
  if (options.verify) {
    const Span span(session.services, "verify", {}, ticket, lane);
    if (!verify(key.verifying_key, result.signals, result.proof)) {
      throw Error(ErrorCode::unverified, key.name + " with " + witness.name +
                                             ": the proof does not verify: the witness violates a constraint, or the "
                                             "key is damaged");
    }
    result.verified = true;
  }
  return result;
}

const std::shared_ptr<const ProvingKey>& Prover::key() const { return impl_->key; }
const Layout& Prover::layout() const { return impl_->layout; }
const HostPlan& Prover::host() const { return impl_->host; }
Ledger::Figures Prover::memory() const { return impl_->held->ledger.figures(); }

}  // namespace cuzk
