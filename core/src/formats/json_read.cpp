#include "formats/counted.hpp"
#include "formats/decimal.hpp"
#include "formats/json_document.hpp"

#include <bit>
#include <type_traits>

#include <cuzk/arith/subgroup.hpp>
#include <cuzk/error.hpp>
#include <cuzk/formats/json.hpp>

namespace cuzk {
namespace {

using namespace formats;

// The most bytes that a file may have. A proof has about 1 KiB, the longest decimal number 115 digits; all leave room
// for any indentation.
constexpr size_t kMostProofBytes = size_t{1} << 20, kMostKeyBytes = size_t{1} << 25;
constexpr size_t most_public_bytes(size_t signals) { return (size_t{1} << 12) + signals * 256; }
constexpr size_t kMostPublicBytes = size_t{1} << 24;  // of a count that is not known

template <class Field>
std::string prime_name() {
  const bool scalar = std::is_same_v<Field, arith::Bn254Fr> || std::is_same_v<Field, arith::Bls12381Fr>;
  const bool bn254 = std::is_same_v<Field, arith::Bn254Fr> || std::is_same_v<Field, arith::Bn254Fp>;
  return std::string(scalar ? "the scalar" : "the base") + " field's prime (" +
         std::string(name(bn254 ? Curve::bn254 : Curve::bls12_381)) + ")";
}

/// A canonical value of a field, as plain limbs.
template <class Field>
typename Field::Limbs read_limbs(const JsonField& field) {
  const auto value = parse_decimal<Field::kLimbs>(field.text());
  if (!value || !Field::is_reduced(*value)) {
    field.fail("expected decimal digits of a value below " + prime_name<Field>());
  }
  return *value;
}

template <class P>
void read_coordinate(const JsonField& field, arith::Field<P>& value) {
  value = arith::Field<P>::from_canonical(read_limbs<arith::Field<P>>(field));
}

template <class F>
void read_coordinate(const JsonField& field, arith::Fp2<F>& value) {
  field.expect_size(2);
  read_coordinate(field[size_t{0}], value.c0);
  read_coordinate(field[1], value.c1);
}

/// [x, y, 1], or [0, 1, 0] for infinity.
template <class G>
arith::Affine<G> read_point(const JsonField& field) {
  using Base = typename G::Base;
  arith::Affine<G> point;
  Base z;
  field.expect_size(3);
  read_coordinate(field[size_t{0}], point.x);
  read_coordinate(field[1], point.y);
  read_coordinate(field[2], z);
  if (z.is_zero() && point.x.is_zero() && point.y == Base::one()) return arith::Affine<G>::infinity();
  if (!(z == Base::one()))
    field.fail("expected an affine point, whose third coordinate is one, or infinity as 0, 1, 0");
  // x = y = 0 means infinity in memory; in a file it is a point off the curve.
  if (point.is_infinity() || !point.on_curve()) field.fail("the point is not on the curve");
  if (!arith::in_subgroup(point)) field.fail("the point is not in the subgroup of prime order");
  return point;
}

template <class G>
arith::Affine<G> read_finite_point(const JsonField& field) {
  const auto point = read_point<G>(field);
  if (point.is_infinity()) field.fail("the point is infinity");
  return point;
}

void check_protocol(const JsonField& root) {
  const JsonField protocol = root["protocol"];
  if (protocol.text() != "groth16") protocol.fail("found " + shown(protocol.text()) + ", expected groth16");
}

Curve read_curve(const JsonField& root) {
  const JsonField field = root["curve"];
  for (const Curve curve : {Curve::bn254, Curve::bls12_381}) {
    if (field.text() == snarkjs_name(curve)) return curve;
  }
  field.fail("found " + shown(field.text()) + ", expected bn128 or bls12381");
}

}  // namespace

VerifyingKey read_verification_key(const std::string& path) {
  const JsonFile file(path, JsonRoot::object, kMostKeyBytes);
  const JsonField root = file.root();
  check_protocol(root);
  return with_curve(read_curve(root), [&](auto c) -> VerifyingKey {
    using C = typename decltype(c)::type;
    VerifyingKeyOf<C> key;
    key.alpha1 = read_finite_point<typename C::G1>(root["vk_alpha_1"]);
    key.beta2 = read_finite_point<typename C::G2>(root["vk_beta_2"]);
    key.gamma2 = read_finite_point<typename C::G2>(root["vk_gamma_2"]);
    key.delta2 = read_finite_point<typename C::G2>(root["vk_delta_2"]);
    const JsonField ic = root["IC"], publics = root["nPublic"];
    const size_t points = ic.array_size();
    if (points == 0) ic.fail("found no points, expected at least one");
    if (publics.count() != points - 1) {
      publics.fail("found " + std::to_string(publics.count()) + ", expected " + std::to_string(points - 1) +
                   ", one less than the points of IC");
    }
    key.ic.reserve(points);
    for (size_t i = 0; i < points; ++i) key.ic.push_back(read_point<typename C::G1>(ic[i]));
    return key;
  });
}

Proof read_proof(const std::string& path) {
  const JsonFile file(path, JsonRoot::object, kMostProofBytes);
  const JsonField root = file.root();
  check_protocol(root);
  return with_curve(root.has("curve") ? read_curve(root) : Curve::bn254, [&](auto c) -> Proof {
    using C = typename decltype(c)::type;
    ProofOf<C> proof;
    proof.a = read_point<typename C::G1>(root["pi_a"]);
    proof.b = read_point<typename C::G2>(root["pi_b"]);
    proof.c = read_point<typename C::G1>(root["pi_c"]);
    return proof;
  });
}

PublicSignals read_public(const std::string& path, Curve curve, const std::optional<SignalCount>& expected) {
  const JsonFile file(path, JsonRoot::strings,
                      expected ? std::min(most_public_bytes(expected->count), kMostPublicBytes) : kMostPublicBytes);
  const JsonField root = file.root();
  if (expected && root.array_size() != expected->count) {
    root.fail("found " + counted(root.array_size(), "public signal") + ", expected " + std::to_string(expected->count) +
              " for " + expected->key);
  }
  return with_curve(curve, [&](auto c) {
    using Fr = typename decltype(c)::type::Fr;
    PublicSignals signals(root.array_size());
    for (size_t i = 0; i < signals.size(); ++i) signals[i] = std::bit_cast<cuzk_fr>(read_limbs<Fr>(root[i]));
    return signals;
  });
}

}  // namespace cuzk
