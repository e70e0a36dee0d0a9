#include <cstring>
#include <string>

#include <cuzk/arith/fields.hpp>
#include <cuzk/error.hpp>
#include <cuzk/ntt_defaults.hpp>

namespace cuzk::ntt_defaults {
namespace {

constexpr uint64_t kGrain = 4096;

template <class Fr>
Fr load(const cuzk_fr* at) {
  typename Fr::Limbs limbs;
  std::memcpy(limbs.data(), at, sizeof(cuzk_fr));
  return Fr::from_raw(limbs);
}

template <class Fr, class Op>
void for_each(CpuPool& pool, const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y, Op op) {
  auto* const to = static_cast<cuzk_fr*>(out.mem.data);
  const auto* const left = static_cast<const cuzk_fr*>(x.mem.data);
  const auto* const right = static_cast<const cuzk_fr*>(y.mem.data);
  pool.ranges(out.count, kGrain, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      const Fr value = op(load<Fr>(left + i), load<Fr>(right + i));
      std::memcpy(to + i, value.limb.data(), sizeof(cuzk_fr));
    }
  });
}

template <class Fr>
void pointwise_in(CpuPool& pool, const cuzk_domain& domain, const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y,
                  uint32_t op) {
  if (op == CUZK_MUL) {
    for_each<Fr>(pool, out, x, y, [](const Fr& a, const Fr& b) { return a * b; });
  } else {
    const Fr scale = load<Fr>(&domain.z_inverse);
    for_each<Fr>(pool, out, x, y, [&scale](const Fr& a, const Fr& b) { return (a - b) * scale; });
  }
}

}  // namespace

void pointwise(CpuPool& pool, const cuzk_domain& domain, const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y,
               uint32_t op) {
  if (op != CUZK_MUL && op != CUZK_SUB_SCALE) {
    throw Error(ErrorCode::internal, "pointwise: unknown operation " + std::to_string(op));
  }
  if (x.count != out.count || y.count != out.count) {
    throw Error(ErrorCode::internal, "pointwise: vectors of " + std::to_string(out.count) + ", " +
                                         std::to_string(x.count) + " and " + std::to_string(y.count) + " elements");
  }
  switch (domain.curve) {
    case CUZK_BN254:
      return pointwise_in<arith::Bn254Fr>(pool, domain, out, x, y, op);
    case CUZK_BLS12_381:
      return pointwise_in<arith::Bls12381Fr>(pool, domain, out, x, y, op);
    default:
      throw Error(ErrorCode::internal, "pointwise: unknown curve " + std::to_string(domain.curve));
  }
}

}  // namespace cuzk::ntt_defaults
