#pragma once
/// Domains, vectors and one open NTT component.

#include "engine.hpp"
#include "groups.hpp"
#include "random.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <cuzk/ntt.hpp>

namespace cuzk::conformance {

/// A root of unity of order 2^log2_size: generator^((r-1) / 2^log2_size); for a generator that is no square.
template <class Fr>
Fr root_of_unity(unsigned log2_size, uint64_t generator) {
  namespace limbs = arith::limbs;
  typename Fr::Limbs exponent = Fr::modulus();
  exponent[0] -= 1;
  for (unsigned i = 0; i < log2_size; ++i) exponent = limbs::shift_right(exponent, 1);
  return Fr::from_u64(generator).pow(exponent);
}

template <class Fr>
Fr power(const Fr& x, uint64_t exponent) {
  return x.pow(std::array{exponent});
}

/// The domain of a key, with its elements at hand.
template <class C>
struct DomainCase {
  using Fr = typename C::Fr;

  unsigned log2_size;
  uint32_t h_basis;
  Fr omega, shift, z_inverse;

  uint64_t size() const { return uint64_t{1} << log2_size; }
  Fr at(uint64_t k) const { return power(omega, k); }
  Fr coset_at(uint64_t k) const { return shift * at(k); }
  cuzk_domain abi() const {
    cuzk_domain domain{};
    domain.curve = C::kId;
    domain.log2_size = log2_size;
    domain.h_basis = h_basis;
    const auto put = [](cuzk_fr& to, const Fr& from) { std::copy(from.limb.begin(), from.limb.end(), to.limb); };
    put(domain.omega, omega);
    put(domain.shift, shift);
    put(domain.z_inverse, z_inverse);
    return domain;
  }

  /// As bellman has it: monomial h, shift 7, divided by Z = shift^n - 1.
  static DomainCase monomial(unsigned log2_size, uint64_t generator = 5) {
    DomainCase d{log2_size, CUZK_H_MONOMIAL, root_of_unity<Fr>(log2_size, generator), Fr::from_u64(7), {}};
    d.z_inverse = (power(d.shift, d.size()) - Fr::one()).inverse();
    return d;
  }
  /// As snarkjs has it: h on the odd points of the doubled domain, 1/Z in the key.
  static DomainCase lagrange(unsigned log2_size) {
    return {log2_size, CUZK_H_COSET_LAGRANGE, root_of_unity<Fr>(log2_size, 5), root_of_unity<Fr>(log2_size + 1, 5),
            Fr::one()};
  }
};

/// A component opened over one domain; vectors go to its place and back around each call.
template <class C>
class NttRunner {
 public:
  using Fr = typename C::Fr;
  using Vector = std::vector<Fr>;

  NttRunner(Engine& engine, const std::string& name, const DomainCase<C>& domain, uint64_t limit = UINT64_MAX)
      : component_(engine.component<NttComponent>(Role::ntt, name)), place_(engine.place_for(*component_)) {
    const cuzk_domain abi = domain.abi();
    plan_ = component_->plan(place_->info(), abi, limit);
    resident_ = std::make_unique<Buffer>(*place_, plan_.resident);
    workspace_ = std::make_unique<Buffer>(*place_, plan_.workspace);
    ntt_ = component_->open(place_->space(), abi, plan_, resident_->mem());
  }

  const NttComponent& component() const { return *component_; }
  const cuzk_plan& plan() const { return plan_; }
  Place& place() { return *place_; }
  Ntt& ntt() { return *ntt_; }
  Lease lease() { return place_->lease(workspace_->mem()); }
  std::unique_ptr<Buffer> buffer(const Vector& v) {
    return std::make_unique<Buffer>(*place_, v.data(), v.size() * sizeof(Fr));
  }
  static cuzk_vec vec(const Buffer& buffer) {
    return {buffer.mem(), buffer.mem().bytes / sizeof(Fr), C::kId, CUZK_MONTGOMERY, {}};
  }
  static Vector read(const Buffer& buffer) {
    Vector v(buffer.mem().bytes / sizeof(Fr));
    buffer.read(v.data());
    return v;
  }

  Vector transform(const Vector& v, uint32_t kind) {
    const auto memory = buffer(v);
    const cuzk_fence done = place_->fence();
    ntt_->transform(lease(), vec(*memory), kind, done);
    place_->wait(done);
    return read(*memory);
  }
  Vector quotient(const Vector& a, const Vector& b, const Vector& c) {
    const auto a_memory = buffer(a), b_memory = buffer(b);
    const cuzk_fence b_free = place_->fence(), done = place_->fence();
    ntt_->quotient_ab(lease(), vec(*a_memory), vec(*b_memory), b_free);
    place_->wait(b_free);
    b_memory->write(c.data());  // late into b's memory
    ntt_->quotient_c(lease(), vec(*a_memory), vec(*b_memory), done);
    place_->wait(done);
    return read(*a_memory);
  }

 private:
  std::shared_ptr<const NttComponent> component_;
  std::unique_ptr<Place> place_;
  cuzk_plan plan_{};
  std::unique_ptr<Buffer> resident_, workspace_;
  std::unique_ptr<Ntt> ntt_;
};

/// sum of v[i] x^i.
template <class Fr>
Fr evaluate(std::span<const Fr> v, const Fr& x) {
  Fr sum = Fr::zero();
  for (size_t i = v.size(); i-- > 0;) sum = sum * x + v[i];
  return sum;
}

/// The polynomial with values v on <omega>, by the defining sums.
template <class C>
std::vector<typename C::Fr> interpolate(const DomainCase<C>& domain, std::span<const typename C::Fr> v) {
  using Fr = typename C::Fr;
  std::vector<Fr> coefficients;
  const Fr scale = Fr::from_u64(domain.size()).inverse(), inverse_omega = domain.omega.inverse();
  for (uint64_t i = 0; i < domain.size(); ++i) coefficients.push_back(evaluate<Fr>(v, power(inverse_omega, i)) * scale);
  return coefficients;
}

struct NttParam {
  std::string component;
  Curve curve;
};
inline std::ostream& operator<<(std::ostream& out, const NttParam& param) {
  return out << param.component << " " << name(param.curve);
}
inline std::vector<NttParam> ntt_params() {
  std::vector<NttParam> params;
  for (const Offer& offer : offers(Role::ntt)) {
    for (const Curve curve : {Curve::bn254, Curve::bls12_381}) {
      if (((offer.curves >> static_cast<uint32_t>(curve)) & 1) != 0) params.push_back({offer.name, curve});
    }
  }
  return params;
}
inline std::string test_name(const testing::TestParamInfo<NttParam>& info) {
  std::string text = info.param.component + "_" + std::string(name(info.param.curve));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

class NttConformance : public testing::TestWithParam<NttParam> {
 protected:
  /// body<C>(engine, component name)
  template <class Body>
  void run(Body&& body) {
    Engine engine;
    on_curve(GetParam().curve, [&]<class C>() { body.template operator()<C>(engine, GetParam().component); });
  }
  /// Sizes that are tried against direct evaluation at some points.
  static unsigned max_log2() { return options().max_log2 + 2; }
};

}  // namespace cuzk::conformance
