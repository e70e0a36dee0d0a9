#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <cuzk/arith/endomorphism.hpp>
#include <cuzk/arith/pairing.hpp>

namespace cuzk::arith {
namespace {

/// Digits -1, 0, 1 of a loop count, least significant first.
struct SignedDigits {
  std::array<int, 68> digit{};
  std::size_t length = 0;
};

constexpr SignedDigits non_adjacent_form(limbs::u128 value) {
  SignedDigits result;
  for (; value != 0; value >>= 1) {
    int digit = 0;
    if ((value & 1U) != 0) digit = (value & 2U) != 0 ? -1 : 1;
    if (digit < 0) value += 1;
    if (digit > 0) value -= 1;
    result.digit[result.length++] = digit;
  }
  return result;
}

/// |x| and the Miller loop's count.
template <class C>
constexpr SignedDigits kParameter = non_adjacent_form(C::kX);
template <class C>
constexpr SignedDigits kLoop = non_adjacent_form(C::kX);
template <>
constexpr SignedDigits kLoop<Bn254> = non_adjacent_form(limbs::u128{Bn254::kX} * 6 + 2);

/// Steps along the multiples of one point of G2, in homogeneous coordinates (x, y) = (X/Z, Y/Z).
/// C. Costello, T. Lange, M. Naehrig, "Faster pairing computations on curves with high-degree twists" (2010), in the
/// form of D. Aranha et al., "Faster explicit formulas for computing pairings over ordinary curves" (2011).
template <class C>
class Walk {
  using G2 = typename C::G2;
  using Fp = typename C::Fp;
  using Fp2 = typename C::Fp2;
  using Fp12 = typename C::Fp12;

 public:
  /// Neither side is infinity; starts at T = Q.
  explicit Walk(const PairingInput<C>& pair) : p_(pair.first), q_(pair.second), x_(q_.x), y_(q_.y), z_(Fp2::one()) {}

  /// T <- 2T, f <- f * (tangent at T)(P): 4M + 6S for the point and 4 products in Fp for the line.
  void twice(Fp12& f) {
    const Fp2 a = (x_ * y_).halved();
    const Fp2 b = y_.square();
    const Fp2 c = z_.square();
    const Fp2 e = three_b() * c;
    const Fp2 e3 = e.doubled() + e;
    const Fp2 g = (b + e3).halved();
    const Fp2 h = (y_ + z_).square() - b - c;
    const Fp2 xx = x_.square();
    const Fp2 ee = e.square();
    x_ = a * (b - e3);
    y_ = g.square() - (ee.doubled() + ee);
    z_ = b * h;
    apply(f, e - b, xx.doubled() + xx, -h);
  }

  /// T <- T + Q, f <- f * (line through T and Q)(P): 11M + 2S and 4 products in Fp.
  void add(Fp12& f, const Affine<G2>& q) {
    const Fp2 theta = y_ - q.y * z_;
    const Fp2 lambda = x_ - q.x * z_;
    const Fp2 d = lambda.square();
    const Fp2 e = d * lambda;
    const Fp2 g = x_ * d;
    const Fp2 h = e + z_ * theta.square() - g.doubled();
    x_ = lambda * h;
    y_ = theta * (g - h) - e * y_;
    z_ = z_ * e;
    apply(f, theta * q.x - lambda * q.y, -theta, lambda);
  }

  const Affine<G2>& q() const { return q_; }

 private:
  static Fp2 three_b() {
    constexpr Fp2 b = G2::b();
    constexpr Fp2 value = b.doubled() + b;
    return value;
  }

  /// A line is constant + x xp + y yp, in a D-type twist at 1, w, w^3, in an M-type twist (after times w^3) the other
  /// way round.
  void apply(Fp12& f, const Fp2& constant, const Fp2& x, const Fp2& y) const {
    if constexpr (std::is_same_v<C, Bn254>) {
      f = f.times_line_d(y * p_.y, x * p_.x, constant);
    } else {
      f = f.times_line_m(constant, x * p_.x, y * p_.y);
    }
  }

  Affine<typename C::G1> p_;
  Affine<G2> q_;
  Fp2 x_, y_, z_;
};

/// value^|x| in the cyclotomic subgroup.
template <class C>
typename C::Fp12 power_of_parameter(const typename C::Fp12& value) {
  const auto inverse = value.conjugate();
  auto result = value;
  for (std::size_t i = kParameter<C>.length - 1; i-- > 0;) {
    result = result.cyclotomic_square();
    if (kParameter<C>.digit[i] > 0) result *= value;
    if (kParameter<C>.digit[i] < 0) result *= inverse;
  }
  return C::kXIsNegative ? result.conjugate() : result;
}

}  // namespace

template <class C>
typename C::Fp12 miller_loop(std::span<const PairingInput<C>> pairs) {
  using Fp12 = typename C::Fp12;
  std::vector<Walk<C>> walks;
  walks.reserve(pairs.size());
  for (const auto& pair : pairs) {
    if (!pair.first.is_infinity() && !pair.second.is_infinity()) walks.emplace_back(pair);
  }
  Fp12 f = Fp12::one();
  for (std::size_t i = kLoop<C>.length - 1; i-- > 0;) {
    if (i + 2 != kLoop<C>.length) f = f.square();
    for (auto& walk : walks) walk.twice(f);
    const int digit = kLoop<C>.digit[i];
    for (auto& walk : walks) {
      if (digit != 0) walk.add(f, digit > 0 ? walk.q() : -walk.q());
    }
  }
  if constexpr (std::is_same_v<C, Bn254>) {
    for (auto& walk : walks) {
      const auto q1 = psi<C>(walk.q());
      walk.add(f, q1);
      walk.add(f, -psi<C>(q1));
    }
  }
  return C::kXIsNegative ? f.conjugate() : f;
}

template <class C>
typename C::Fp12 final_exponentiation(const typename C::Fp12& value) {
  using Fp12 = typename C::Fp12;
  const auto power_x = [](const Fp12& a) { return power_of_parameter<C>(a); };
  // the easy part, (p^6 - 1)(p^2 + 1)
  const Fp12 t = value.conjugate() * value.inverse();
  const Fp12 f = t.frobenius(2) * t;
  if constexpr (std::is_same_v<C, Bls12381>) {
    // 3(p^4 - p^2 + 1)/r = (x - 1)^2 (x + p)(x^2 + p^2 - 1) + 3
    const auto power_x_minus_1 = [&](const Fp12& a) { return power_x(a) * a.conjugate(); };
    const Fp12 a = power_x_minus_1(power_x_minus_1(f));
    const Fp12 b = power_x(a) * a.frobenius(1);
    const Fp12 c = power_x(power_x(b)) * b.frobenius(2) * b.conjugate();
    return c * f.cyclotomic_square() * f;
  } else {
    // 2x(6x^2 + 3x + 1)(p^4 - p^2 + 1)/r = l0 + l1 p + l2 p^2 + l3 p^3 with l2 = 12x^3 + 6x^2 + 6x, l1 = l2 - 2x,
    // l0 = l2 + 6x^2 + 1, l3 = l1 - 1
    const Fp12 x2 = power_x(f).cyclotomic_square();
    const Fp12 x6 = x2.cyclotomic_square() * x2;
    const Fp12 xx6 = power_x(x6);
    const Fp12 xxx12 = power_x(xx6.cyclotomic_square());
    const Fp12 l2 = xxx12 * xx6 * x6;
    const Fp12 l1 = l2 * x2.conjugate();
    return l2 * xx6 * f * l1.frobenius(1) * l2.frobenius(2) * (l1 * f.conjugate()).frobenius(3);
  }
}

template <class C>
typename C::Fp12 pairing(const Affine<typename C::G1>& p, const Affine<typename C::G2>& q) {
  const PairingInput<C> pair{p, q};
  return final_exponentiation<C>(miller_loop<C>({&pair, 1}));
}

template <class C>
bool pairing_product_is_one(std::span<const PairingInput<C>> pairs) {
  return final_exponentiation<C>(miller_loop<C>(pairs)).is_one();
}

template Bn254::Fp12 miller_loop<Bn254>(std::span<const PairingInput<Bn254>>);
template Bls12381::Fp12 miller_loop<Bls12381>(std::span<const PairingInput<Bls12381>>);
template Bn254::Fp12 final_exponentiation<Bn254>(const Bn254::Fp12&);
template Bls12381::Fp12 final_exponentiation<Bls12381>(const Bls12381::Fp12&);
template Bn254::Fp12 pairing<Bn254>(const Affine<Bn254::G1>&, const Affine<Bn254::G2>&);
template Bls12381::Fp12 pairing<Bls12381>(const Affine<Bls12381::G1>&, const Affine<Bls12381::G2>&);
template bool pairing_product_is_one<Bn254>(std::span<const PairingInput<Bn254>>);
template bool pairing_product_is_one<Bls12381>(std::span<const PairingInput<Bls12381>>);

}  // namespace cuzk::arith
