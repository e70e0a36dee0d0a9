#include "formats/domain.hpp"
#include "groth16/fixed_base.hpp"
#include "groth16/qap.hpp"
#include "groth16/random.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <cuzk/arith/scalar_mul.hpp>
#include <cuzk/error.hpp>
#include <cuzk/groth16/circuit_matrices.hpp>
#include <cuzk/groth16/device_multiples.hpp>
#include <cuzk/groth16/setup.hpp>

namespace cuzk {
namespace {

using namespace groth16;

constexpr uint64_t kSecretsStream = 1;

/// Points to be written: gigabytes of memory that the threads which write them are the first to touch.
template <class G>
class PointArray {
 public:
  using Point = arith::Affine<G>;

  explicit PointArray(uint64_t count)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(count * sizeof(Point))), count_(count) {}
  uint64_t size() const { return count_; }
  std::byte* bytes() const { return bytes_.get(); }
  std::span<Point> span() const { return {reinterpret_cast<Point*>(bytes_.get()), count_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  uint64_t count_;
};

template <class G>
class MemoryPoints final : public PointSource {
 public:
  MemoryPoints(std::string name, PointArray<G> points) : name_(std::move(name)), points_(std::move(points)) {}

  uint64_t count() const override { return points_.size(); }
  const std::byte* direct() const override { return points_.bytes(); }
  void read(uint64_t first, uint64_t count, std::byte* dst) const override {
    if (first > points_.size() || count > points_.size() - first) {
      throw Error(ErrorCode::internal, name_ + ": points " + std::to_string(first) + " + " + std::to_string(count) +
                                           " asked for, there are " + std::to_string(points_.size()));
    }
    constexpr size_t kSize = sizeof(arith::Affine<G>);
    if (count > 0) std::memcpy(dst, points_.bytes() + first * kSize, count * kSize);
  }

 private:
  std::string name_;
  PointArray<G> points_;
};

/// Bit v: variable v occurs in the matrix.
std::vector<uint64_t> occurrence(const SparseMatrix& matrix, uint64_t variables) {
  std::vector<uint64_t> mask((variables + 63) / 64);
  for (const uint32_t v : matrix.columns) mask[v / 64] |= uint64_t{1} << (v % 64);
  return mask;
}

std::vector<uint32_t> selected(const std::vector<uint64_t>& mask) {
  std::vector<uint32_t> out;
  for (size_t word = 0; word < mask.size(); ++word) {
    for (uint64_t bits = mask[word]; bits != 0; bits &= bits - 1) {
      out.push_back(static_cast<uint32_t>(64 * word) + static_cast<uint32_t>(std::countr_zero(bits)));
    }
  }
  return out;
}

/// The generator's multiples: on the device where there is one, else on the CPU.
template <class G>
class Multiples {
 public:
  using Fr = typename G::Scalar;

  /// count: how many will be made.
  Multiples(CpuPool& pool, DeviceMultiples* device, uint64_t count) : pool_(pool), device_(device) {
    if (device == nullptr) base_.emplace(pool, G::generator(), count);
  }

  /// fill(first, values): scalars first, first + 1, ...; on any thread.
  template <class Fill>
  PointArray<G> make(uint64_t count, const Fill& fill) const {
    PointArray<G> points(count);
    if (base_) {
      base_->multiply(points.span(), fill);
      return points;
    }
    constexpr uint64_t kGrain = uint64_t{1} << 20;
    pool_.ranges(count * sizeof(arith::Affine<G>), kGrain,
                 [&](uint64_t begin, uint64_t end) { std::memset(points.bytes() + begin, 0, end - begin); });
    constexpr Group kGroup = std::is_same_v<G, typename G::Curve::G1> ? Group::g1 : Group::g2;
    const auto fill_bytes = [&](uint64_t first, std::span<std::byte> scalars) {
      fill(first, std::span(reinterpret_cast<Fr*>(scalars.data()), scalars.size() / sizeof(Fr)));
    };
    const arith::Affine<G> generator = G::generator();
    device_->multiply(kGroup, reinterpret_cast<const std::byte*>(&generator), count, fill_bytes, points.bytes());
    return points;
  }

 private:
  CpuPool& pool_;
  DeviceMultiples* device_;
  std::optional<FixedBase<G>> base_;
};

template <class C>
class Setup {
 public:
  Setup(std::shared_ptr<const Circuit> circuit, Conventions conventions, uint64_t seed, CpuPool& pool,
        DeviceMultiples* device)
      : circuit_(std::move(circuit)),
        conventions_(conventions),
        pool_(pool),
        device_(device),
        log2_(domain_log2(*circuit_)),
        domain_(conventions == Conventions::snarkjs ? formats::snarkjs_domain<C>(log2_)
                                                    : formats::bellman_domain<C>(log2_)),
        seed_(seed) {
    draw_secrets();
  }

  std::shared_ptr<const ProvingKey> make() {
    auto key = std::make_shared<ProvingKey>();
    key->name = circuit_->name;
    key->insecure = true;
    key->shape.curve = circuit_->curve;
    key->shape.variables = circuit_->variables;
    key->shape.publics = circuit_->publics;
    key->shape.domain = domain_;
    evaluate_columns();
    make_g1(*key);
    make_g2(*key);
    key->matrices = circuit_matrices(circuit_, uint64_t{1} << log2_);
    return key;
  }

 private:
  using Fr = typename C::Fr;
  using G1 = typename C::G1;
  using G2 = typename C::G2;

  static Fr fr(const cuzk_fr& value) { return Fr::from_raw(std::bit_cast<typename Fr::Limbs>(value)); }
  uint64_t size() const { return uint64_t{1} << log2_; }
  bool monomial() const { return domain_.h_basis == CUZK_H_MONOMIAL; }

  void draw_secrets() {
    const RandomSource source = insecure_random(stream_seed(seed_, kSecretsStream));
    const auto draw = [&] {
      Fr value;
      while (value.is_zero()) value = Fr::from_canonical(random_scalar(source, Fr::modulus()));
      return value;
    };
    const Fr on_coset = power_of(fr(domain_.shift), size());
    do {
      tau_ = draw();
      tau_power_ = power_of(tau_, size());
    } while (tau_power_ == Fr::one() || tau_power_ == on_coset);  // on the domain or its coset
    alpha_ = draw();
    beta_ = draw();
    gamma_ = draw();
    delta_ = draw();
    delta_inverse_ = delta_.inverse();
  }

  /// u_v(tau), v_v(tau) and beta u_v + alpha v_v + w_v for every variable v.
  void evaluate_columns() {
    const std::vector<Fr> dictionary = dictionary_of<Fr>(*circuit_);
    const std::vector<Fr> lagrange =
        LagrangeAt<Fr>(tau_, fr(domain_.omega), Fr::one(), size(), Fr::one()).all(pool_, size());
    const auto sums = [&](const SparseMatrix& matrix) {
      return column_sums<Fr>(pool_, matrix, dictionary, lagrange, circuit_->variables);
    };
    u_ = sums(circuit_->a);
    for (uint64_t i = 0; i <= circuit_->publics; ++i) u_[i] += lagrange[circuit_->constraints() + i];
    v_ = sums(circuit_->b);
    k_ = sums(circuit_->c);
    pool_.ranges(k_.size(), 1024, [&](uint64_t begin, uint64_t end) {
      for (; begin < end; ++begin) k_[begin] += sum_of_products(beta_, u_[begin], alpha_, v_[begin]);
    });
  }

  void make_g1(ProvingKey& key) {
    const Multiples<G1> base(pool_, device_, size() + 3 * circuit_->variables);
    const uint64_t first_hidden = circuit_->publics + 1;
    make_h(key, base);
    set_query(key, QueryId::l, first_hidden, circuit_->variables - first_hidden,
              base.make(circuit_->variables - first_hidden, scaled(k_, first_hidden, delta_inverse_)));
    set_variables(key, QueryId::a, base, u_, circuit_->a, true);
    set_variables(key, QueryId::b1, base, v_, circuit_->b, false);

    const auto multiple = [](const Fr& scalar) { return arith::scalar_mul(G1::generator(), scalar).to_affine(); };
    VerifyingKeyOf<C> vk;
    vk.alpha1 = multiple(alpha_);
    const PointArray<G1> ic = base.make(first_hidden, scaled(k_, 0, gamma_.inverse()));
    vk.ic.assign(ic.span().begin(), ic.span().end());
    key.verifying_key = std::move(vk);
    key.blinding = BlindingPointsOf<C>{multiple(beta_), multiple(delta_)};
  }

  void make_g2(ProvingKey& key) {
    const Multiples<G2> base(pool_, device_, circuit_->variables);
    set_variables(key, QueryId::b2, base, v_, circuit_->b, false);
    const auto multiple = [](const Fr& scalar) { return arith::scalar_mul(G2::generator(), scalar).to_affine(); };
    auto& vk = std::get<VerifyingKeyOf<C>>(key.verifying_key);
    vk.beta2 = multiple(beta_);
    vk.gamma2 = multiple(gamma_);
    vk.delta2 = multiple(delta_);
  }

  /// In monomials tau^i Z(tau) / delta, i < n - 1. On a coset L_i(tau) Z(tau) / (Z(shift) delta), where L_i belongs to
  /// the coset: the odd Lagrange polynomials of the doubled domain.
  void make_h(ProvingKey& key, const Multiples<G1>& base) {
    const Fr scale = (tau_power_ - Fr::one()) * delta_inverse_;
    if (monomial()) {
      const auto fill = [&](uint64_t first, std::span<Fr> out) {
        Fr power = scale * power_of(tau_, first);
        for (Fr& value : out) {
          value = power;
          power *= tau_;
        }
      };
      return set_query(key, QueryId::h, 0, size() - 1, base.make(size() - 1, fill));
    }
    const Fr shift = fr(domain_.shift);
    const Fr z_on_coset = power_of(shift, size()) - Fr::one();
    const LagrangeAt<Fr> fill(tau_, fr(domain_.omega), shift, size(), scale * z_on_coset.inverse());
    set_query(key, QueryId::h, 0, size(), base.make(size(), fill));
  }

  /// values[first + i] scale.
  static auto scaled(const std::vector<Fr>& values, uint64_t first, const Fr& scale) {
    return [&values, first, scale](uint64_t begin, std::span<Fr> out) {
      for (size_t i = 0; i < out.size(); ++i) out[i] = values[first + begin + i] * scale;
    };
  }

  /// A or B: one point for each variable, or for each that occurs. inputs: so do the leading one and the public
  /// signals, in rows of their own.
  template <class G>
  void set_variables(ProvingKey& key, QueryId id, const Multiples<G>& base, const std::vector<Fr>& values,
                     const SparseMatrix& matrix, bool inputs) {
    std::vector<uint64_t> mask;
    std::vector<uint32_t> chosen;
    if (conventions_ == Conventions::bellman) {
      mask = occurrence(matrix, values.size());
      for (uint64_t i = 0; inputs && i <= circuit_->publics; ++i) mask[i / 64] |= uint64_t{1} << (i % 64);
      chosen = selected(mask);
      if (chosen.size() == values.size()) mask.clear();
    }
    const auto fill = [&](uint64_t begin, std::span<Fr> out) {
      for (size_t i = 0; i < out.size(); ++i) out[i] = values[mask.empty() ? begin + i : chosen[begin + i]];
    };
    auto points = base.make(mask.empty() ? values.size() : chosen.size(), fill);
    set_query(key, id, 0, values.size(), std::move(points), std::move(mask));
  }

  template <class G>
  void set_query(ProvingKey& key, QueryId id, uint64_t first, uint64_t span, PointArray<G> points,
                 std::vector<uint64_t> mask = {}) const {
    const auto i = static_cast<size_t>(id);
    key.shape.queries[i] = {points.size(), first, span, !mask.empty()};
    auto source =
        std::make_unique<MemoryPoints<G>>(circuit_->name + ", query " + std::string(name(id)), std::move(points));
    key.queries[i] = {std::move(source), first, span, std::move(mask)};
  }

  std::shared_ptr<const Circuit> circuit_;
  Conventions conventions_;
  CpuPool& pool_;
  DeviceMultiples* device_;
  uint32_t log2_;
  cuzk_domain domain_;
  uint64_t seed_;
  Fr tau_, alpha_, beta_, gamma_, delta_, tau_power_, delta_inverse_;
  std::vector<Fr> u_, v_, k_;
};

}  // namespace

uint32_t domain_log2(const Circuit& circuit) {
  if (circuit.constraints() == 0) throw Error(ErrorCode::usage, circuit.name + ": a circuit without constraints");
  const auto most = with_curve(
      circuit.curve, []<class C>(std::type_identity<C>) { return uint32_t{formats::kTwoAdicity<typename C::Fr>}; });
  const uint64_t rows = circuit.constraints() + circuit.publics + 1;
  const auto log2 = static_cast<uint32_t>(std::bit_width(rows - 1));
  if (log2 > most) {
    throw Error(ErrorCode::usage, circuit.name + ": found " + std::to_string(rows) + " rows, expected at most 2^" +
                                      std::to_string(most) + " on " + std::string(name(circuit.curve)));
  }
  return log2;
}

std::shared_ptr<const ProvingKey> setup(std::shared_ptr<const Circuit> circuit, Conventions conventions, uint64_t seed,
                                        CpuPool& pool, DeviceMultiples* device) {
  require_well_formed(*circuit);
  return with_curve(circuit->curve, [&]<class C>(std::type_identity<C>) {
    return Setup<C>(std::move(circuit), conventions, seed, pool, device).make();
  });
}

}  // namespace cuzk
