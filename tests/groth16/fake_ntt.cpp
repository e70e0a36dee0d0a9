#include "fake_ntt.hpp"

#include <bit>
#include <cstring>
#include <vector>

#include <cuzk/groth16/proof.hpp>

namespace cuzk::testing {
namespace {

class FakeNtt final : public Ntt {
 public:
  FakeNtt(std::shared_ptr<Faults> faults, cuzk_space space, const cuzk_domain& domain, const cuzk_plan& plan,
          cuzk_mem resident)
      : faults_(std::move(faults)), space_(space), domain_(domain), plan_(plan), resident_(resident) {
    require(resident.bytes == plan.resident && resident.data != nullptr, "ntt without its resident memory");
    with_curve(Curve{domain.curve}, [&]<class C>(std::type_identity<C>) {
      auto power = C::Fr::one();
      const auto omega = std::bit_cast<typename C::Fr>(domain.omega);
      for (uint64_t i = 0; i < size(); ++i, power *= omega) at<typename C::Fr>(resident_, i) = power;
    });
  }

  void transform(const Lease& lease, cuzk_vec v, uint32_t kind, cuzk_fence) override {
    faults_->call("transform");
    check(lease, v);
    run(v, kind);
  }
  void pointwise(const Lease& lease, cuzk_vec out, cuzk_vec x, cuzk_vec y, uint32_t op, cuzk_fence) override {
    faults_->call("pointwise");
    for (const cuzk_vec& v : {out, x, y}) check(lease, v);
    combine(out, x, y, op);
  }
  void quotient_ab(const Lease& lease, cuzk_vec a, cuzk_vec b, cuzk_fence) override {
    faults_->call("quotient_ab");
    for (const cuzk_vec& v : {a, b}) {
      check(lease, v);
      run(v, CUZK_INVERSE);
      run(v, CUZK_COSET_FORWARD);
    }
    combine(a, a, b, CUZK_MUL);
  }
  void quotient_c(const Lease& lease, cuzk_vec ab, cuzk_vec c, cuzk_fence) override {
    faults_->call("quotient_c");
    for (const cuzk_vec& v : {ab, c}) check(lease, v);
    run(c, CUZK_INVERSE);
    run(c, CUZK_COSET_FORWARD);
    combine(ab, ab, c, CUZK_SUB_SCALE);
    if (domain_.h_basis == CUZK_H_MONOMIAL) run(ab, CUZK_COSET_INVERSE);
  }

 private:
  uint64_t size() const { return uint64_t{1} << domain_.log2_size; }
  template <class Fr>
  static Fr& at(const cuzk_mem& memory, uint64_t i) {
    return static_cast<Fr*>(memory.data)[i];
  }

  void check(const Lease& lease, const cuzk_vec& v) const {
    const cuzk_mem& work = lease.call().workspace;
    require(lease.space().kind == space_.kind, "ntt with a lease of another space");
    require(v.mem.space.kind == space_.kind && v.count == size() && v.mem.bytes == size() * kFrBytes, "ntt operand");
    require(v.form == CUZK_MONTGOMERY && v.curve == domain_.curve, "ntt operand's form or curve");
    require(work.bytes == plan_.workspace && work.data != nullptr, "ntt workspace");
    std::memset(work.data, 0x5A, work.bytes);
  }

  void run(const cuzk_vec& v, uint32_t kind) {
    with_curve(Curve{domain_.curve}, [&]<class C>(std::type_identity<C>) {
      using Fr = typename C::Fr;
      const uint64_t n = size();
      const bool inverse = kind == CUZK_INVERSE || kind == CUZK_COSET_INVERSE;
      const auto shift = std::bit_cast<Fr>(domain_.shift);
      if (kind == CUZK_COSET_FORWARD) scale(v.mem, shift);
      std::vector<Fr> out(n);
      for (uint64_t k = 0; k < n; ++k) {
        for (uint64_t i = 0; i < n; ++i) {
          const uint64_t power = i * k % n;
          out[k] += at<Fr>(v.mem, i) * at<Fr>(resident_, inverse && power != 0 ? n - power : power);
        }
      }
      const Fr factor = inverse ? Fr::from_u64(n).inverse() : Fr::one();
      for (uint64_t k = 0; k < n; ++k) at<Fr>(v.mem, k) = out[k] * factor;
      if (kind == CUZK_COSET_INVERSE) scale(v.mem, shift.inverse());
    });
  }

  template <class Fr>
  void scale(const cuzk_mem& v, const Fr& ratio) {
    Fr power = Fr::one();
    for (uint64_t i = 0; i < size(); ++i, power *= ratio) at<Fr>(v, i) *= power;
  }

  void combine(const cuzk_vec& out, const cuzk_vec& x, const cuzk_vec& y, uint32_t op) {
    with_curve(Curve{domain_.curve}, [&]<class C>(std::type_identity<C>) {
      using Fr = typename C::Fr;
      const auto z_inverse = std::bit_cast<Fr>(domain_.z_inverse);
      for (uint64_t i = 0; i < size(); ++i) {
        const Fr a = at<Fr>(x.mem, i);
        const Fr b = at<Fr>(y.mem, i);
        at<Fr>(out.mem, i) = op == CUZK_MUL ? a * b : (a - b) * z_inverse;
      }
    });
  }

  std::shared_ptr<Faults> faults_;
  cuzk_space space_;
  cuzk_domain domain_;
  cuzk_plan plan_;
  cuzk_mem resident_;
};

class FakeNttComponent final : public NttComponent {
 public:
  FakeNttComponent(std::shared_ptr<Faults> faults, ComponentInfo info)
      : faults_(std::move(faults)), info_(std::move(info)) {}
  const ComponentInfo& info() const override { return info_; }
  cuzk_plan plan(const cuzk_device_info&, const cuzk_domain& domain, uint64_t) const override {
    cuzk_plan plan{};
    plan.resident = kFrBytes << domain.log2_size;
    plan.workspace = 1000;
    plan.minimum = plan.resident + plan.workspace;
    return plan;
  }
  std::unique_ptr<Ntt> open(cuzk_space space, const cuzk_domain& domain, const cuzk_plan& plan,
                            cuzk_mem resident) const override {
    faults_->call("open ntt");
    return std::make_unique<FakeNtt>(faults_, space, domain, plan, resident);
  }

 private:
  std::shared_ptr<Faults> faults_;
  ComponentInfo info_;
};

}  // namespace

std::shared_ptr<const NttComponent> make_fake_ntt(std::shared_ptr<Faults> faults, ComponentInfo info) {
  return std::make_shared<FakeNttComponent>(std::move(faults), std::move(info));
}

}  // namespace cuzk::testing
