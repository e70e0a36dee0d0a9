#include "synthetic_key.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <vector>

#include <cuzk/arith/scalar_mul.hpp>

namespace cuzk::testing {
namespace {

// Variables: 0 one, 1 y, 2 x, 3 x^2, 4 x^4, 5 x^8, 6 x^16. Variable 1 occurs in no A but its input row's, 6 in no B.
constexpr size_t kVariables = 7;
constexpr uint32_t kLog2 = 3;
constexpr size_t kDomain = size_t{1} << kLog2;

using Row = std::map<size_t, uint64_t>;  // variable -> coefficient
struct Rows {
  Row a, b, c;
};

std::vector<Rows> circuit() {
  std::vector<Rows> rows;
  for (size_t i = 2; i < 6; ++i) rows.push_back({{{i, 1}}, {{i, 1}}, {{i + 1, 1}}});
  rows.push_back({{{6, 1}, {2, 1}, {0, 5}}, {{0, 1}}, {{1, 1}}});
  for (size_t i = 0; i < 2; ++i) rows.push_back({{{i, 1}}, {}, {}});  // the inputs' own rows
  return rows;
}

template <class C>
cuzk_fr abi(const typename C::Fr& value) {
  return std::bit_cast<cuzk_fr>(value);
}

template <class C>
class Matrices final : public ConstraintMatrices {
 public:
  void evaluate(CpuPool&, std::span<const cuzk_fr> witness, std::span<cuzk_fr> a, std::span<cuzk_fr> b) const override {
    using Fr = typename C::Fr;
    const auto rows = circuit();
    const auto dot = [&](const Row& row) {
      Fr sum;
      for (const auto& [variable, coefficient] : row) {
        sum += Fr::from_u64(coefficient) * Fr::from_canonical(std::bit_cast<typename Fr::Limbs>(witness[variable]));
      }
      return abi<C>(sum);
    };
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = i < rows.size() ? dot(rows[i].a) : cuzk_fr{};
      b[i] = i < rows.size() ? dot(rows[i].b) : cuzk_fr{};
    }
  }
};

template <class G>
class Points final : public PointSource {
 public:
  Points(const std::vector<typename G::Scalar>& scalars, bool encoded) : encoded_(encoded) {
    for (const auto& scalar : scalars) points_.push_back(arith::scalar_mul(G::generator(), scalar).to_affine());
    if (encoded) std::reverse(points_.begin(), points_.end());
  }
  uint64_t count() const override { return points_.size(); }
  const std::byte* direct() const override {
    return encoded_ ? nullptr : reinterpret_cast<const std::byte*>(points_.data());
  }
  void read(uint64_t first, uint64_t count, std::byte* dst) const override {
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = encoded_ ? points_.size() - 1 - (first + i) : first + i;
      std::memcpy(dst + i * sizeof(arith::Affine<G>), &points_[at], sizeof(arith::Affine<G>));
    }
  }

 private:
  bool encoded_;
  std::vector<arith::Affine<G>> points_;
};

template <class C>
class Setup {
 public:
  using Fr = typename C::Fr;
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  explicit Setup(const SyntheticOptions& options) : options_(options) {
    Fr root = Fr::from_u64(Fr::Params::kNonResidue);  // no square, so its power has full order
    constexpr size_t kTwoAdicity = arith::limbs::trailing_zeros(Fr::Constants::kMinusOne);
    root = root.pow(arith::limbs::shift_right(Fr::Constants::kMinusOne, kTwoAdicity));
    for (size_t order = kTwoAdicity; order > kLog2; --order) root = root.square();
    omega_ = root;
  }

  std::shared_ptr<const ProvingKey> make() const {
    auto key = std::make_shared<ProvingKey>();
    key->name = "synthetic.key";
    KeyShape& shape = key->shape;
    shape.curve = options_.curve;
    shape.variables = kVariables;
    shape.publics = 1;
    const Fr z_on_coset = power(shift_, kDomain) - Fr::one();
    const bool monomial = options_.h_basis == CUZK_H_MONOMIAL;
    shape.domain = {C::kId,
                    kLog2,
                    options_.h_basis,
                    0,
                    abi<C>(omega_),
                    abi<C>(shift_),
                    abi<C>(monomial ? z_on_coset.inverse() : Fr::one())};

    const auto lagrange = lagrange_at_tau(Fr::one());
    std::vector<Fr> a(kVariables), b(kVariables), k(kVariables);
    const auto rows = circuit();
    for (size_t i = 0; i < rows.size(); ++i) {
      for (const auto& [v, x] : rows[i].a) a[v] += Fr::from_u64(x) * lagrange[i];
      for (const auto& [v, x] : rows[i].b) b[v] += Fr::from_u64(x) * lagrange[i];
      for (const auto& [v, x] : rows[i].c) k[v] += Fr::from_u64(x) * lagrange[i];
    }
    for (size_t v = 0; v < kVariables; ++v) k[v] += beta_ * a[v] + alpha_ * b[v];

    const Fr z_over_delta = (power(tau_, kDomain) - Fr::one()) * delta_.inverse();
    std::vector<Fr> h;
    if (monomial) {
      for (size_t i = 0; i + 1 < kDomain; ++i) h.push_back(power(tau_, i) * z_over_delta);
    } else {
      for (const Fr& l : lagrange_at_tau(shift_)) h.push_back(l * z_over_delta * z_on_coset.inverse());
    }
    std::vector<Fr> l, ic;
    for (size_t v = 0; v < 2; ++v) ic.push_back(k[v] * gamma_.inverse());
    for (size_t v = 2; v < kVariables; ++v) l.push_back(k[v] * delta_.inverse());

    set<G1>(*key, QueryId::h, h, 0, false);
    set<G1>(*key, QueryId::l, l, 2, false);
    set<G1>(*key, QueryId::a, a, 0, options_.masked);
    set<G1>(*key, QueryId::b1, b, 0, options_.masked);
    set<G2>(*key, QueryId::b2, b, 0, options_.masked);

    VerifyingKeyOf<C> vk{g1(alpha_), g2(beta_), g2(gamma_), g2(delta_), {}};
    for (const Fr& x : ic) vk.ic.push_back(g1(x));
    key->verifying_key = vk;
    key->blinding = BlindingPointsOf<C>{g1(beta_), g1(delta_)};
    key->matrices = std::make_unique<Matrices<C>>();
    return key;
  }

 private:
  static Fr power(const Fr& base, uint64_t exponent) { return base.pow(std::span(&exponent, 1)); }
  static arith::Affine<G1> g1(const Fr& x) { return arith::scalar_mul(G1::generator(), x).to_affine(); }
  static arith::Affine<G2> g2(const Fr& x) { return arith::scalar_mul(G2::generator(), x).to_affine(); }

  /// Lagrange polynomials of shift * <omega> at tau: x_i (tau^n - s^n) / (n s^n (tau - x_i)).
  std::vector<Fr> lagrange_at_tau(const Fr& shift) const {
    std::vector<Fr> out;
    const Fr top = power(shift, kDomain);
    const Fr common = (power(tau_, kDomain) - top) * (Fr::from_u64(kDomain) * top).inverse();
    Fr x = shift;
    for (size_t i = 0; i < kDomain; ++i, x *= omega_) out.push_back(x * common * (tau_ - x).inverse());
    return out;
  }

  template <class G>
  void set(ProvingKey& key, QueryId id, std::vector<Fr> scalars, uint64_t first, bool masked) const {
    const auto i = static_cast<size_t>(id);
    KeyQuery& query = key.queries[i];
    query.first = first;
    query.span = scalars.size();
    if (masked) {
      query.select.assign(1, 0);
      for (size_t v = 0; v < scalars.size(); ++v) {
        if (!scalars[v].is_zero()) query.select[0] |= uint64_t{1} << v;
      }
      std::erase_if(scalars, [](const Fr& x) { return x.is_zero(); });
    }
    query.points = std::make_unique<Points<G>>(scalars, options_.encoded);
    key.shape.queries[i] = {scalars.size(), first, query.span, masked};
  }

  SyntheticOptions options_;
  Fr omega_;
  const Fr shift_ = Fr::from_u64(7);
  const Fr tau_ = Fr::from_u64(0x1234567), alpha_ = Fr::from_u64(0xabcdef1), beta_ = Fr::from_u64(0x9876543);
  const Fr gamma_ = Fr::from_u64(0x5555aaa), delta_ = Fr::from_u64(0x7777333);
};

}  // namespace

std::shared_ptr<const ProvingKey> synthetic_key(const SyntheticOptions& options) {
  return with_curve(options.curve, [&]<class C>(std::type_identity<C>) { return Setup<C>(options).make(); });
}

Witness synthetic_witness(HostPool& pool, Curve curve, uint64_t x) {
  Witness witness{"synthetic.wtns", curve, FrVector(pool, kVariables, "a witness")};
  with_curve(curve, [&]<class C>(std::type_identity<C>) {
    using Fr = typename C::Fr;
    std::vector<Fr> values{Fr::one(), Fr::zero(), Fr::from_u64(x)};
    for (size_t i = 3; i < kVariables; ++i) values.push_back(values.back().square());
    values[1] = values[6] + values[2] + Fr::from_u64(5);
    for (size_t i = 0; i < kVariables; ++i) witness.values.data()[i] = std::bit_cast<cuzk_fr>(values[i].to_canonical());
  });
  return witness;
}

}  // namespace cuzk::testing
