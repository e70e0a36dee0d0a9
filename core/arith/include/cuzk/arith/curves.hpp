#pragma once
/// The two pairing-friendly curves as bundles of types and constants.

#include <cstdint>
#include <string_view>

#include <cuzk/arith/affine.hpp>
#include <cuzk/arith/fields.hpp>
#include <cuzk/arith/fp2.hpp>

namespace cuzk::arith {

template <class F>
struct Fp6;
template <class F>
struct Fp12;

/// A field element from the hexadecimal digits of a plain integer below the modulus, most significant first.
template <class F>
constexpr F from_hex(std::string_view digits) {
  typename F::Limbs value{};
  std::size_t bit = 0;
  for (std::size_t i = digits.size(); i-- > 0; bit += 4) {
    const char c = digits[i];
    const auto nibble = static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    value[bit / 64] |= nibble << (bit % 64);
  }
  return F::from_canonical(value);
}

/// BN254 (alt_bn128, "bn128" in circom's files): y^2 = x^3 + 3, D-type twist y^2 = x^3 + 3/xi over Fp2, xi = 9 + u.
/// Barreto-Naehrig parameter x = 4965661367192848881: p = 36x^4 + 36x^3 + 24x^2 + 6x + 1, r = p - 6x^2.
struct Bn254 {
  using Fr = Bn254Fr;
  using Fp = Bn254Fp;
  using Fp2 = ::cuzk::arith::Fp2<Fp>;
  using Fp6 = ::cuzk::arith::Fp6<Fp>;
  using Fp12 = ::cuzk::arith::Fp12<Fp>;
  static constexpr std::uint32_t kId = 1;  ///< The curve's number at the plugin boundary.
  static constexpr std::string_view kName = "bn254";
  static constexpr std::uint64_t kX = 0x44e992b44a6909f1;  ///< |x|.
  static constexpr bool kXIsNegative = false;

  struct G1 {
    using Curve = Bn254;
    using Base = Fp;
    using Scalar = Fr;
    static constexpr Base b() {
      constexpr Base value = Base::from_u64(3);
      return value;
    }
    static constexpr Affine<G1> generator();
  };
  struct G2 {
    using Curve = Bn254;
    using Base = Fp2;
    using Scalar = Fr;
    static constexpr Base b() {
      constexpr Base value{from_hex<Fp>("2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5"),
                           from_hex<Fp>("09713b03af0fed4cd2cafadeed8fdf4a74fa084e52d1852e4a2bd0685c315d2")};
      return value;
    }
    static constexpr Affine<G2> generator();
  };
};

/// BLS12-381: y^2 = x^3 + 4, M-type twist y^2 = x^3 + 4 xi over Fp2, xi = 1 + u. Barreto-Lynn-Scott parameter
/// x = -0xd201000000010000: r = x^4 - x^2 + 1, p = (x - 1)^2 r / 3 + x.
struct Bls12381 {
  using Fr = Bls12381Fr;
  using Fp = Bls12381Fp;
  using Fp2 = ::cuzk::arith::Fp2<Fp>;
  using Fp6 = ::cuzk::arith::Fp6<Fp>;
  using Fp12 = ::cuzk::arith::Fp12<Fp>;
  static constexpr std::uint32_t kId = 2;  ///< The curve's number at the plugin boundary.
  static constexpr std::string_view kName = "bls12-381";
  static constexpr std::uint64_t kX = 0xd201000000010000;  ///< |x|.
  static constexpr bool kXIsNegative = true;

  struct G1 {
    using Curve = Bls12381;
    using Base = Fp;
    using Scalar = Fr;
    static constexpr Base b() {
      constexpr Base value = Base::from_u64(4);
      return value;
    }
    static constexpr Affine<G1> generator();
  };
  struct G2 {
    using Curve = Bls12381;
    using Base = Fp2;
    using Scalar = Fr;
    static constexpr Base b() {
      constexpr Base value{Fp::from_u64(4), Fp::from_u64(4)};
      return value;
    }
    static constexpr Affine<G2> generator();
  };
};

constexpr Affine<Bn254::G1> Bn254::G1::generator() {
  constexpr Affine<G1> value{from_hex<Fp>("1"), from_hex<Fp>("2")};
  return value;
}

constexpr Affine<Bn254::G2> Bn254::G2::generator() {
  constexpr Affine<G2> value{{from_hex<Fp>("1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"),
                              from_hex<Fp>("198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2")},
                             {from_hex<Fp>("12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"),
                              from_hex<Fp>("90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b")}};
  return value;
}

constexpr Affine<Bls12381::G1> Bls12381::G1::generator() {
  constexpr Affine<G1> value{
      from_hex<Fp>("17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"),
      from_hex<Fp>("8b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1")};
  return value;
}

constexpr Affine<Bls12381::G2> Bls12381::G2::generator() {
  constexpr Affine<G2> value{
      {from_hex<Fp>("24aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"),
       from_hex<Fp>(
           "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e")},
      {from_hex<Fp>("ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801"),
       from_hex<Fp>(
           "606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be")}};
  return value;
}

}  // namespace cuzk::arith
