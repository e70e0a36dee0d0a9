#include <array>
#include <bit>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <cuzk/arith/pairing.hpp>
#include <cuzk/arith/subgroup.hpp>
#include <cuzk/arith/sum_of_multiples.hpp>
#include <cuzk/error.hpp>
#include <cuzk/groth16/verifier.hpp>

namespace cuzk {
namespace {

template <class G>
bool valid(const arith::Affine<G>& point) {
  return point.on_curve() && arith::in_subgroup(point);
}

/// e(-A, B) e(alpha, beta) e(ic, gamma) e(C, delta) = 1: four Miller loops that share squarings and one final
/// exponentiation.
template <class C>
bool holds(const VerifyingKeyOf<C>& key, std::span<const cuzk_fr> signals, const ProofOf<C>& proof) {
  if (!valid(proof.a) || !valid(proof.b) || !valid(proof.c)) return false;
  std::vector<std::array<uint64_t, 4>> scalars;
  scalars.reserve(signals.size());
  for (const cuzk_fr& signal : signals) scalars.push_back(std::bit_cast<std::array<uint64_t, 4>>(signal));
  auto sum = arith::sum_of_multiples<typename C::G1>(std::span(key.ic).subspan(1), scalars);
  sum += key.ic[0];
  const std::array<arith::PairingInput<C>, 4> pairs{
      {{-proof.a, proof.b}, {key.alpha1, key.beta2}, {sum.to_affine(), key.gamma2}, {proof.c, key.delta2}}};
  return arith::pairing_product_is_one<C>(pairs);
}

}  // namespace

bool verify(const VerifyingKey& key, std::span<const cuzk_fr> signals, const Proof& proof) {
  if (curve_of(key) != curve_of(proof)) {
    throw Error(ErrorCode::bad_input, "the proof is on " + std::string(name(curve_of(proof))) +
                                          ", the verification key on " + std::string(name(curve_of(key))));
  }
  return std::visit(
      [&](const auto& vk) {
        using C = typename std::decay_t<decltype(vk)>::CurveType;
        if (vk.ic.size() != signals.size() + 1) {
          throw Error(ErrorCode::bad_input, "found " + std::to_string(signals.size()) +
                                                " public signals, the verification key expects " +
                                                std::to_string(vk.ic.empty() ? 0 : vk.ic.size() - 1));
        }
        return holds<C>(vk, signals, std::get<ProofOf<C>>(proof));
      },
      key);
}

}  // namespace cuzk
