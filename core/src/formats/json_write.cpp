#include "formats/decimal.hpp"
#include "formats/json_document.hpp"

#include <bit>
#include <nlohmann/json.hpp>

#include <cuzk/arith/fp12.hpp>
#include <cuzk/arith/pairing.hpp>
#include <cuzk/formats/json.hpp>

namespace cuzk {
namespace {

using namespace formats;
using Json = nlohmann::ordered_json;

template <class P>
Json to_json(const arith::Field<P>& value) {
  return to_decimal(value.to_canonical());
}

template <class F>
Json to_json(const arith::Fp2<F>& value) {
  return Json::array({to_json(value.c0), to_json(value.c1)});
}

template <class F>
Json to_json(const arith::Fp6<F>& value) {
  return Json::array({to_json(value.c0), to_json(value.c1), to_json(value.c2)});
}

template <class G>
Json to_json(const arith::Affine<G>& point) {
  using Base = typename G::Base;
  if (point.is_infinity()) return Json::array({to_json(Base::zero()), to_json(Base::one()), to_json(Base::zero())});
  return Json::array({to_json(point.x), to_json(point.y), to_json(Base::one())});
}

std::string text(const Json& json) { return json.dump(1); }

}  // namespace

std::string verification_key_json(const VerifyingKey& key) {
  return std::visit(
      [&]<class C>(const VerifyingKeyOf<C>& vk) {
        const auto alpha_beta = arith::pairing<C>(vk.alpha1, vk.beta2);
        Json ic = Json::array();
        for (const auto& point : vk.ic) ic.push_back(to_json(point));
        return text({{"protocol", "groth16"},
                     {"curve", snarkjs_name(curve_of(key))},
                     {"nPublic", vk.ic.size() - 1},
                     {"vk_alpha_1", to_json(vk.alpha1)},
                     {"vk_beta_2", to_json(vk.beta2)},
                     {"vk_gamma_2", to_json(vk.gamma2)},
                     {"vk_delta_2", to_json(vk.delta2)},
                     {"vk_alphabeta_12", Json::array({to_json(alpha_beta.c0), to_json(alpha_beta.c1)})},
                     {"IC", ic}});
      },
      key);
}

std::string proof_json(const Proof& proof) {
  return std::visit(
      [&](const auto& p) {
        return text({{"pi_a", to_json(p.a)},
                     {"pi_b", to_json(p.b)},
                     {"pi_c", to_json(p.c)},
                     {"protocol", "groth16"},
                     {"curve", snarkjs_name(curve_of(proof))}});
      },
      proof);
}

std::string public_json(std::span<const cuzk_fr> signals) {
  if (signals.empty()) return "[\n]";
  Json json = Json::array();
  for (const cuzk_fr& signal : signals) json.push_back(to_decimal(std::bit_cast<arith::LimbArray<4>>(signal)));
  return text(json);
}

}  // namespace cuzk
