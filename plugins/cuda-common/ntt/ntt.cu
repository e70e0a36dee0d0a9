#include "../cuda/spans.hpp"
#include "launch.cuh"
#include "ntt.hpp"
#include "tables.hpp"

#include <initializer_list>
#include <string>

#include <cuzk/sdk/host.hpp>

namespace cuzk::cuda {

/// The operations on one field; operands unchecked.
class Ntt::OnField {
 public:
  virtual ~OnField() = default;
  virtual void transform(const cuzk_call& call, const cuzk_vec& v, uint32_t kind, cuzk_fence done) = 0;
  virtual void pointwise(const cuzk_call& call, const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y, uint32_t op,
                         cuzk_fence done) = 0;
  virtual void quotient_ab(const cuzk_call& call, const cuzk_vec& a, const cuzk_vec& b, cuzk_fence b_free) = 0;
  virtual void quotient_c(const cuzk_call& call, const cuzk_vec& ab, const cuzk_vec& c, cuzk_fence done) = 0;
};

namespace {

using namespace ntt;

/// Layouts are told from each other by this alone.
TableLayout layout_of(uint32_t log2_size, const cuzk_plan& plan) {
  const auto log2_fine = static_cast<uint32_t>(plan.choice[0]);
  for (const TableLayout& layout : {TableLayout::full(log2_size), TableLayout::least(log2_size)}) {
    if (layout.log2_fine_roots == log2_fine) return layout;
  }
  bad("a plan that plan() did not answer");
}

template <class C, bool kFull>
class Implementation final : public Ntt::OnField {
 public:
  using Host = typename C::Host;
  using F = Fe<typename C::Device>;

  Implementation(cuzk_space space, const cuzk_domain& domain, const TableLayout& layout, cuzk_mem resident)
      : space_(space), h_basis_(domain.h_basis), log2_size_(domain.log2_size) {
    const sdk::NttDomain<Host> checked(domain, kMaxLog2Size);
    require(resident, layout.elements() * sizeof(F), "the tables' memory");
    z_inverse_ = to_device<F>(checked.z_inverse);
    const DeviceGuard guard(space);
    stream_ = std::make_unique<Stream>(space);
    spans_ = std::make_unique<Spans>(space, *stream_);
    launcher_ = std::make_unique<Launcher<F, kFull>>(*stream_, layout, static_cast<F*>(resident.data));
    Launcher<F, kFull>::load_kernels();
    try {
      launcher_->fill(checked.omega, checked.shift);
      stream_->synchronize();
    } catch (...) {
      stream_->drain();
      throw;
    }
  }
  ~Implementation() override { stream_->drain(); }

  void transform(const cuzk_call& call, const cuzk_vec& v, uint32_t kind, cuzk_fence done) override {
    Unit* const values = units(v);
    if (kind > CUZK_COSET_INVERSE) bad("transform kind " + std::to_string(kind) + ", expected 0 to 3");
    enqueue(call, "transform", {&v}, done, [&] {
      if (kind == CUZK_FORWARD) launcher_->forward(values);
      if (kind == CUZK_INVERSE) launcher_->inverse(values);
      if (kind == CUZK_COSET_FORWARD) launcher_->coset_forward(values);
      if (kind == CUZK_COSET_INVERSE) launcher_->coset_inverse(values);
    });
  }
  void pointwise(const cuzk_call& call, const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y, uint32_t op,
                 cuzk_fence done) override {
    F* const to = elements(out);
    const F* const left = elements(x);
    const F* const right = elements(y);
    if (op != CUZK_MUL && op != CUZK_SUB_SCALE) {
      bad("pointwise operation " + std::to_string(op) + ", expected 0 or 1");
    }
    enqueue(call, "pointwise", {&out, &x, &y}, done, [&] {
      if (op == CUZK_MUL) launcher_->multiply(to, left, right);
      if (op == CUZK_SUB_SCALE) launcher_->subtract_scale(to, left, right, z_inverse_);
    });
  }
  void quotient_ab(const cuzk_call& call, const cuzk_vec& a, const cuzk_vec& b, cuzk_fence b_free) override {
    F* const left = elements(a);
    F* const right = elements(b);
    enqueue(call, "quotient_ab", {&a, &b}, b_free, [&] {
      launcher_->to_coset(units(a));
      launcher_->to_coset(units(b));
      launcher_->multiply(left, left, right);
    });
  }
  void quotient_c(const cuzk_call& call, const cuzk_vec& ab, const cuzk_vec& c, cuzk_fence done) override {
    F* const left = elements(ab);
    F* const right = elements(c);
    enqueue(call, "quotient_c", {&ab, &c}, done, [&] {
      launcher_->to_coset(units(c));
      launcher_->subtract_scale(left, left, right, z_inverse_);
      if (h_basis_ == CUZK_H_MONOMIAL) launcher_->coset_inverse(units(ab));
    });
  }

 private:
  static void require(const cuzk_mem& memory, uint64_t bytes, const char* what) {
    if (memory.bytes < bytes) {
      bad(std::string(what) + ": found " + std::to_string(memory.bytes) + " bytes, expected " + std::to_string(bytes));
    }
    if (memory.data == nullptr || reinterpret_cast<uintptr_t>(memory.data) % sizeof(Unit) != 0) {
      bad(std::string(what) + ": null or not aligned to 16 bytes");
    }
  }
  F* elements(const cuzk_vec& v) const {
    const uint64_t size = uint64_t{1} << log2_size_;
    if (v.curve != C::kId) {
      bad("a vector of curve " + std::to_string(v.curve) + ", expected " + std::to_string(C::kId) + " (" + C::kName +
          ")");
    }
    if (v.count != size) {
      bad("a vector of " + std::to_string(v.count) + " elements, expected " + std::to_string(size));
    }
    if (v.form != CUZK_MONTGOMERY) bad("a vector in canonical form, expected Montgomery form");
    require(v.mem, size * sizeof(F), "a vector");
    return static_cast<F*>(v.mem.data);
  }
  Unit* units(const cuzk_vec& v) const { return reinterpret_cast<Unit*>(elements(v)); }

  /// Waits for the operands, does `work`, which is a span of that name, and records `done`, or waits where there is
  /// nothing to record. The last place to cancel: from here on operands change. After an error nothing runs any more.
  template <class Work>
  void enqueue(const cuzk_call& call, const char* name, std::initializer_list<const cuzk_vec*> operands,
               cuzk_fence done, Work&& work) {
    sdk::host().throw_if_cancelled(call);
    const DeviceGuard guard(space_);
    try {
      for (const cuzk_vec* v : operands) wait_on(*stream_, v->ready);
      spans_->measure(call, CUZK_SPAN_KERNEL, name, 0, work);
      if (event_of(done) != nullptr) {
        record(done, *stream_);
      } else {
        stream_->synchronize();
      }
    } catch (...) {
      stream_->drain();
      throw;
    }
  }

  cuzk_space space_;
  uint32_t h_basis_, log2_size_;
  F z_inverse_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Spans> spans_;
  std::unique_ptr<Launcher<F, kFull>> launcher_;
};

}  // namespace

cuzk_plan Ntt::plan(const cuzk_device_info&, const cuzk_domain& domain, uint64_t limit) {
  return with_curve(domain.curve, [&]<class C>() {
    const sdk::NttDomain<typename C::Host> checked(domain, kMaxLog2Size);
    constexpr uint64_t kElement = sizeof(typename C::Host);
    const TableLayout full = TableLayout::full(domain.log2_size), least = TableLayout::least(domain.log2_size);
    const TableLayout& chosen = full.elements() * kElement <= limit ? full : least;
    cuzk_plan plan{};
    plan.resident = chosen.elements() * kElement;
    plan.minimum = std::min(least.elements(), full.elements()) * kElement;
    plan.choice[0] = chosen.log2_fine_roots;
    return plan;
  });
}

Ntt::Ntt(cuzk_space space, const cuzk_domain& domain, const cuzk_plan& plan, cuzk_mem resident)
    : impl_(with_curve(domain.curve, [&]<class C>() -> std::unique_ptr<OnField> {
        const sdk::NttDomain<typename C::Host> checked(domain, kMaxLog2Size);
        const TableLayout layout = layout_of(domain.log2_size, plan);
        if (layout.is_full()) return std::make_unique<Implementation<C, true>>(space, domain, layout, resident);
        return std::make_unique<Implementation<C, false>>(space, domain, layout, resident);
      })) {}

Ntt::~Ntt() = default;

void Ntt::transform(const cuzk_call& call, cuzk_vec v, uint32_t kind, cuzk_fence done) {
  impl_->transform(call, v, kind, done);
}
void Ntt::pointwise(const cuzk_call& call, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence done) {
  impl_->pointwise(call, out, x, y, op, done);
}
void Ntt::quotient_ab(const cuzk_call& call, cuzk_vec a, cuzk_vec b, cuzk_fence b_free) {
  impl_->quotient_ab(call, a, b, b_free);
}
void Ntt::quotient_c(const cuzk_call& call, cuzk_vec ab, cuzk_vec c, cuzk_fence done) {
  impl_->quotient_c(call, ab, c, done);
}

}  // namespace cuzk::cuda
