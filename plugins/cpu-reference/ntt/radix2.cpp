#include "radix2.hpp"

#include "../select.hpp"
#include "transform.hpp"

#include <string>
#include <vector>

namespace cuzk::cpu {

/// The operations on checked vectors of one field.
class Radix2::OnField {
 public:
  virtual ~OnField() = default;
  virtual void transform(const cuzk_call& call, const cuzk_vec& v, uint32_t kind) = 0;
  virtual void pointwise(const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y, uint32_t op) = 0;
  virtual void quotient_ab(const cuzk_call& call, const cuzk_vec& a, const cuzk_vec& b) = 0;
  virtual void quotient_c(const cuzk_call& call, const cuzk_vec& ab, const cuzk_vec& c) = 0;
};

namespace {

constexpr unsigned kMaxLog2Size = 28;

[[noreturn]] void bad(const std::string& what) { throw sdk::Error(CUZK_BAD_ARGUMENT, what); }

template <class C>
class Implementation final : public Radix2::OnField {
 public:
  using Fr = typename C::Fr;

  Implementation(const cuzk_domain& domain, const cuzk_plan& plan, cuzk_mem resident)
      : h_basis_(domain.h_basis), lanes_(plan.choice[0]) {
    const sdk::NttDomain<Fr> checked(domain, kMaxLog2Size);
    if (lanes_ == 0) bad("a plan that plan() did not answer");
    require_memory(resident, resident_bytes(domain.log2_size), "the tables' memory");
    Arena arena(resident.data);
    tables_ = NttTables<Fr>::lay_out(arena, domain.log2_size);
    tables_.fill(host_parallel(), checked.omega, checked.shift, checked.z_inverse);
    buffers_.resize(lanes_);
  }

  static uint64_t resident_bytes(unsigned log2_size) {
    Arena arena;
    NttTables<Fr>::lay_out(arena, log2_size);
    return arena.used();
  }
  static uint64_t lane_bytes(unsigned log2_size) {
    Arena arena;
    arena.take<Fr>(Transformer<Fr>::buffer_size(log2_size));
    return arena.used();
  }

  void transform(const cuzk_call& call, const cuzk_vec& v, uint32_t kind) override {
    Fr* const values = operand(v);
    if (kind > CUZK_COSET_INVERSE) bad("transform kind " + std::to_string(kind) + ", expected 0 to 3");
    const auto transformer = prepare(call);
    if (kind == CUZK_FORWARD) transformer.forward(values);
    if (kind == CUZK_INVERSE) transformer.inverse(values);
    if (kind == CUZK_COSET_FORWARD) transformer.coset_forward(values);
    if (kind == CUZK_COSET_INVERSE) transformer.coset_inverse(values);
  }
  void pointwise(const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y, uint32_t op) override {
    Fr* const to = operand(out);
    const Fr* const left = operand(x);
    const Fr* const right = operand(y);
    const Transformer<Fr> transformer(host_parallel(), {}, tables_);
    switch (op) {
      case CUZK_MUL:
        return transformer.multiply(to, left, right);
      case CUZK_SUB_SCALE:
        return transformer.subtract_scaled(to, left, right);
      default:
        bad("pointwise operation " + std::to_string(op) + ", expected 0 or 1");
    }
  }
  void quotient_ab(const cuzk_call& call, const cuzk_vec& a, const cuzk_vec& b) override {
    Fr* const left = operand(a);
    Fr* const right = operand(b);
    const auto transformer = prepare(call);
    transformer.to_coset(left);
    transformer.to_coset(right);
    transformer.multiply(left, left, right);
  }
  void quotient_c(const cuzk_call& call, const cuzk_vec& ab, const cuzk_vec& c) override {
    Fr* const left = operand(ab);
    Fr* const right = operand(c);
    const auto transformer = prepare(call);
    transformer.to_coset(right);
    transformer.subtract_scaled(left, left, right);
    if (h_basis_ == CUZK_H_MONOMIAL) transformer.coset_inverse(left);
  }

 private:
  Fr* operand(const cuzk_vec& v) const {
    const uint64_t size = uint64_t{1} << tables_.log2_size;
    if (v.curve != C::kId) {
      bad("a vector of curve " + std::to_string(v.curve) + ", expected " + std::to_string(C::kId) + " (" +
          std::string(C::kName) + ")");
    }
    if (v.count != size) {
      bad("a vector of " + std::to_string(v.count) + " elements, expected " + std::to_string(size));
    }
    if (v.form != CUZK_MONTGOMERY) bad("a vector in canonical form, expected Montgomery form");
    require_memory(v.mem, size * sizeof(Fr), "a vector");
    return static_cast<Fr*>(v.mem.data);
  }
  /// With the call's workspace cut into the lanes' tiles. The last place to cancel: from here on operands change.
  Transformer<Fr> prepare(const cuzk_call& call) {
    sdk::host().throw_if_cancelled(call);
    require_memory(call.workspace, lanes_ * lane_bytes(tables_.log2_size), "the workspace");
    Arena arena(call.workspace.data);
    for (Fr*& buffer : buffers_) buffer = arena.take<Fr>(Transformer<Fr>::buffer_size(tables_.log2_size)).data();
    return {host_parallel(), buffers_, tables_};
  }

  uint32_t h_basis_;
  uint64_t lanes_;
  NttTables<Fr> tables_;
  std::vector<Fr*> buffers_;
};

}  // namespace

cuzk_plan Radix2::plan(const cuzk_device_info& device, const cuzk_domain& domain, uint64_t limit) {
  return with_curve(domain.curve, [&]<class C>() {
    const sdk::NttDomain<typename C::Fr> checked(domain, kMaxLog2Size);
    const uint64_t lane = Implementation<C>::lane_bytes(domain.log2_size);
    cuzk_plan plan{};
    plan.resident = Implementation<C>::resident_bytes(domain.log2_size);
    plan.minimum = plan.resident + lane;
    const uint64_t fitting = limit > plan.minimum ? (limit - plan.resident) / lane : 1;
    const uint64_t useful = std::min<uint64_t>(std::max(device.units, 1U), NttPlan(domain.log2_size).tiles());
    plan.choice[0] = std::min(fitting, useful);
    plan.workspace = plan.choice[0] * lane;
    return plan;
  });
}

Radix2::Radix2(cuzk_space, const cuzk_domain& domain, const cuzk_plan& plan, cuzk_mem resident)
    : impl_(with_curve(domain.curve, [&]<class C>() -> std::unique_ptr<OnField> {
        return std::make_unique<Implementation<C>>(domain, plan, resident);
      })) {}

Radix2::~Radix2() = default;

void Radix2::transform(const cuzk_call& call, cuzk_vec v, uint32_t kind, cuzk_fence) {
  impl_->transform(call, v, kind);
}
void Radix2::pointwise(const cuzk_call&, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence) {
  impl_->pointwise(out, x, y, op);
}
void Radix2::quotient_ab(const cuzk_call& call, cuzk_vec a, cuzk_vec b, cuzk_fence) { impl_->quotient_ab(call, a, b); }
void Radix2::quotient_c(const cuzk_call& call, cuzk_vec ab, cuzk_vec c, cuzk_fence) { impl_->quotient_c(call, ab, c); }

}  // namespace cuzk::cpu
