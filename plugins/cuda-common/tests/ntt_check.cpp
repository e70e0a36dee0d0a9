/// cuzk-cuda-ntt-check [LOG2...]: transforms of 2^LOG2 values (default 12 20 24 28) on device 0, over both scalar
/// fields and with both H bases. Some values of each transform are compared with the polynomial evaluated on the CPU;
/// each is undone and compared in full; and some values of the quotient with its definition, made from transforms that
/// were compared. A line for each size. Exit code 0 if all agree, 1 if not, 2 after an error.

#include "../ntt/ntt.hpp"
#include "memory.hpp"
#include "parallel.hpp"
#include "samples.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <cuzk/arith/curves.hpp>
#include <cuzk/sdk/error.hpp>

namespace cuzk::cuda {
namespace {

/// base^(2^log2)
template <class Fr>
Fr squared(Fr base, unsigned log2) {
  for (; log2 > 0; --log2) base = base.square();
  return base;
}

template <class Fr>
Fr power(const Fr& x, uint64_t exponent) {
  return x.pow(std::array{exponent});
}

/// A root of unity of order 2^log2; 5 is no square in either field.
template <class Fr>
Fr root_of_unity(unsigned log2) {
  typename Fr::Limbs exponent = Fr::modulus();
  exponent[0] -= 1;
  for (unsigned i = 0; i < log2; ++i) exponent = arith::limbs::shift_right(exponent, 1);
  return Fr::from_u64(5).pow(exponent);
}

/// Transforms of one size over one field.
template <class C>
class SizeCheck {
 public:
  using Fr = typename C::Fr;

  SizeCheck(unsigned log2, unsigned two_adicity)
      : log2_(log2), two_adicity_(two_adicity), n_(uint64_t{1} << log2), omega_(root_of_unity<Fr>(log2)) {
    for (uint64_t i = 0; i < kInputs; ++i) {
      input_.push_back(std::make_unique<Block>(n_ * sizeof(Fr)));
      fill(*input_.back(), i);
    }
    for (auto& block : work_) block = std::make_unique<Block>(n_ * sizeof(Fr));
    for (uint64_t i = 0; i < 4; ++i) places_.push_back(random_word(i) % n_);
    places_.push_back(0);
    places_.push_back(n_ - 1);
  }

  bool run() {
    bool good = run(CUZK_H_MONOMIAL);
    good &= run(CUZK_H_COSET_LAGRANGE);
    return good;
  }

 private:
  static constexpr uint64_t kInputs = 3, kChunk = uint64_t{1} << 21;  // vectors; elements moved at once

  /// Element i of an input.
  static Fr element(uint64_t input, uint64_t i) { return random_element<Fr>((input << 32) + i); }

  /// body(first, count, host memory for as many), piece by piece
  template <class Body>
  void in_pieces(const Body& body) {
    std::vector<Fr> piece(std::min(kChunk, n_));
    for (uint64_t first = 0; first < n_; first += piece.size()) body(first, piece.size(), piece.data());
  }

  void fill(Block& block, uint64_t input) {
    in_pieces([&](uint64_t first, uint64_t count, Fr* piece) {
      parallel(count, 1, [&](uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) piece[i] = element(input, first + i);
      });
      block.write(piece, first * sizeof(Fr), count * sizeof(Fr));
    });
  }

  bool is_input(const Block& block, uint64_t input) {
    std::atomic<bool> same{true};
    in_pieces([&](uint64_t first, uint64_t count, Fr* piece) {
      block.read(piece, first * sizeof(Fr), count * sizeof(Fr));
      parallel(count, 1, [&](uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) {
          if (piece[i] != element(input, first + i)) same = false;
        }
      });
    });
    return same;
  }

  /// The polynomial of the first input's coefficients at x.
  Fr evaluate(const Fr& x) const {
    constexpr uint64_t kStep = 1 << 10;
    return parallel_sum<Fr>((n_ + kStep - 1) / kStep, [&](uint64_t part) {
      const uint64_t begin = part * kStep;
      Fr sum = Fr::zero();
      for (uint64_t i = std::min(begin + kStep, n_); i-- > begin;) sum = sum * x + element(0, i);
      return sum * power(x, begin);
    });
  }

  Fr value(const Block& block, uint64_t place) const {
    Fr out;
    block.read(&out, place * sizeof(Fr), sizeof(Fr));
    return out;
  }
  std::vector<Fr> values(const Block& block) const {
    std::vector<Fr> out;
    for (const uint64_t place : places_) out.push_back(value(block, place));
    return out;
  }
  cuzk_vec vec(const Block& block) const { return {block.mem(), n_, C::kId, CUZK_MONTGOMERY, {}}; }

  bool run(uint32_t h_basis) {
    const auto begin = std::chrono::steady_clock::now();
    const bool lagrange = h_basis == CUZK_H_COSET_LAGRANGE;
    Fr shift = Fr::from_u64(7), z_inverse = Fr::one();
    if (lagrange) {
      // snarkjs: the next root of unity; where there is none, the square of the non-residue 5.
      shift = log2_ < two_adicity_ ? root_of_unity<Fr>(log2_ + 1) : Fr::from_u64(25);
    } else {
      z_inverse = (squared(shift, log2_) - Fr::one()).inverse();
    }
    cuzk_domain domain{};
    domain.curve = C::kId;
    domain.log2_size = log2_;
    domain.h_basis = h_basis;
    std::copy(omega_.limb.begin(), omega_.limb.end(), domain.omega.limb);
    std::copy(shift.limb.begin(), shift.limb.end(), domain.shift.limb);
    std::copy(z_inverse.limb.begin(), z_inverse.limb.end(), domain.z_inverse.limb);
    const cuzk_plan plan = Ntt::plan(device_info(), domain, UINT64_MAX);
    const Block resident(plan.resident), workspace(plan.workspace);
    Ntt ntt(kSpace, domain, plan, resident.mem());
    const cuzk_call call = call_with(workspace.mem());

    std::string wrong;
    const auto expect = [&](bool right, const char* what) {
      if (!right) wrong += (wrong.empty() ? "WRONG: " : ", ") + std::string(what);
    };
    Block& a = *work_[0];
    const auto both_ways = [&](uint32_t forward, uint32_t inverse, const Fr& coset, const char* there,
                               const char* back) {
      a.copy(*input_[0]);
      ntt.transform(call, vec(a), forward, {});
      for (size_t i = 0; i < places_.size(); i += 2) {
        expect(value(a, places_[i]) == evaluate(coset * power(omega_, places_[i])), there);
      }
      ntt.transform(call, vec(a), inverse, {});
      expect(is_input(a, 0), back);
    };
    both_ways(CUZK_FORWARD, CUZK_INVERSE, Fr::one(), "forward", "inverse");
    both_ways(CUZK_COSET_FORWARD, CUZK_COSET_INVERSE, shift, "coset forward", "coset inverse");
    expect(quotient(ntt, call, z_inverse, lagrange), "quotient");
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%-9s 2^%-2u %-14s %5.1f s  %s\n", C::kId == CUZK_BN254 ? "bn254" : "bls12-381", log2_,
                lagrange ? "coset lagrange" : "monomial", seconds, wrong.empty() ? "ok" : wrong.c_str());
    std::fflush(stdout);
    return wrong.empty();
  }

  /// The inputs are values of a, b and c on the domain; the quotient's values on the coset are (a b - c) / Z.
  bool quotient(Ntt& ntt, const cuzk_call& call, const Fr& z_inverse, bool lagrange) {
    Block &a = *work_[0], &b = *work_[1];
    std::vector<Fr> on_coset[kInputs];
    for (uint64_t i = 0; i < kInputs; ++i) {
      a.copy(*input_[i]);
      ntt.transform(call, vec(a), CUZK_INVERSE, {});
      ntt.transform(call, vec(a), CUZK_COSET_FORWARD, {});
      on_coset[i] = values(a);
    }
    a.copy(*input_[0]);
    b.copy(*input_[1]);
    ntt.quotient_ab(call, vec(a), vec(b), {});
    b.copy(*input_[2]);
    ntt.quotient_c(call, vec(a), vec(b), {});
    if (!lagrange) ntt.transform(call, vec(a), CUZK_COSET_FORWARD, {});
    const std::vector<Fr> found = values(a);
    for (size_t i = 0; i < places_.size(); ++i) {
      if (found[i] != (on_coset[0][i] * on_coset[1][i] - on_coset[2][i]) * z_inverse) return false;
    }
    return true;
  }

  unsigned log2_, two_adicity_;
  uint64_t n_;
  Fr omega_;
  std::vector<std::unique_ptr<Block>> input_;
  std::unique_ptr<Block> work_[2];
  std::vector<uint64_t> places_;  ///< whose values are compared
};

}  // namespace
}  // namespace cuzk::cuda

int main(int argc, char** argv) {
  using namespace cuzk;
  std::vector<unsigned> sizes;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    unsigned& size = sizes.emplace_back();
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || rest != text.data() + text.size() || size == 0 || size > 28) {
      std::fprintf(stderr, "'%s': expected a logarithm from 1 to 28\n", argv[i]);
      return 2;
    }
  }
  if (sizes.empty()) sizes = {12, 20, 24, 28};
  try {
    bool good = true;
    for (const unsigned log2 : sizes) {
      good &= cuda::SizeCheck<arith::Bn254>(log2, 28).run();
      good &= cuda::SizeCheck<arith::Bls12381>(log2, 32).run();
    }
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
