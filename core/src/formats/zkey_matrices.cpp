#include "formats/zkey_matrices.hpp"

#include "formats/bytes.hpp"
#include "formats/first_failure.hpp"
#include "formats/row_sum.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/groth16/proof.hpp>

namespace cuzk::formats {
namespace {

constexpr uint64_t kCountBytes = 4, kEntryBytes = 44, kGrain = 4096;

/// One entry in the mapped file.
struct Entry {
  const std::byte* at;
  uint32_t matrix() const { return load<uint32_t>(at); }
  uint32_t constraint() const { return load<uint32_t>(at + 4); }
  uint32_t wire() const { return load<uint32_t>(at + 8); }
  template <class Limbs>
  Limbs value() const {
    return load<Limbs>(at + 12);
  }
};

/// The sum in Montgomery form. The stored coefficient R^2 times a plain value is Montgomery(coefficient value) after
/// one Montgomery product; one product serves all terms that were only added.
template <class Fr>
cuzk_fr montgomery(const RowSum<Fr>& sum) {
  const Fr total = sum.ones().is_zero() ? sum.products() : sum.products() + sum.ones() * Fr::from_raw({1});
  return std::bit_cast<cuzk_fr>(total.limb);
}

template <class C>
class ZkeyMatrices final : public ConstraintMatrices {
 public:
  ZkeyMatrices(CpuPool& pool, std::shared_ptr<const MappedFile> file, const Section& section, uint64_t variables,
               uint64_t domain_size)
      : file_(std::move(file)), variables_(variables), domain_size_(domain_size) {
    if (section.bytes().size() < kCountBytes) section.fail(0, "found no count of coefficients");
    count_ = load<uint32_t>(section.bytes().data());
    section.expect_items(count_, kEntryBytes, kCountBytes);
    entries_ = section.bytes().data() + kCountBytes;
    if (!check(pool, section)) build_index();
  }

  void evaluate(CpuPool& pool, std::span<const cuzk_fr> witness, std::span<cuzk_fr> a,
                std::span<cuzk_fr> b) const override {
    if (witness.size() != variables_ || a.size() != domain_size_ || b.size() != domain_size_) {
      throw Error(ErrorCode::internal, file_->path() + ": evaluation over " + std::to_string(witness.size()) +
                                           " values and " + std::to_string(a.size()) + " rows, expected " +
                                           std::to_string(variables_) + " and " + std::to_string(domain_size_));
    }
    // Ranges of entries, moved to row boundaries: every row belongs to one of them.
    if (count_ == 0) return clear(a, b, 0, domain_size_);
    pool.ranges(count_, kGrain, [&](uint64_t begin, uint64_t end) {
      begin = row_start(begin);
      end = row_start(end);
      if (begin < end) evaluate_rows(begin, end, witness, a, b);
    });
  }

 private:
  using Fr = typename C::Fr;

  /// The entry at a position of the order by constraint.
  Entry entry(uint64_t position) const {
    return {entries_ + kEntryBytes * (order_.empty() ? position : order_[position])};
  }

  /// Whether the entries are sorted by constraint.
  bool check(CpuPool& pool, const Section& section) const {
    std::atomic<bool> sorted{true};
    const auto fault = first_failure(pool, count_, kGrain, [&](uint64_t begin, uint64_t end) {
      uint32_t previous = begin == 0 ? 0 : entry(begin - 1).constraint();
      bool in_order = true;
      for (uint64_t i = begin; i < end; ++i) {
        if (!is_valid(entry(i))) return i;
        in_order &= previous <= entry(i).constraint();
        previous = entry(i).constraint();
      }
      if (!in_order) sorted.store(false, std::memory_order_relaxed);
      return end;
    });
    if (fault) section.fail(kCountBytes + *fault * kEntryBytes, describe(*fault));
    return sorted;
  }

  bool is_valid(const Entry& e) const {
    return e.matrix() <= 1 && e.constraint() < domain_size_ && e.wire() < variables_ &&
           Fr::is_reduced(e.template value<typename Fr::Limbs>());
  }

  std::string describe(uint64_t index) const {
    const Entry e = entry(index);
    const std::string lead = "coefficient " + std::to_string(index) + ": ";
    const auto out_of_range = [&](const char* what, uint64_t found, uint64_t bound) {
      return lead + "found " + what + " " + std::to_string(found) + ", expected below " + std::to_string(bound);
    };
    if (e.matrix() > 1) return out_of_range("matrix", e.matrix(), 2);
    if (e.constraint() >= domain_size_) return out_of_range("constraint", e.constraint(), domain_size_);
    if (e.wire() >= variables_) return out_of_range("wire", e.wire(), variables_);
    return lead + "its value is not below the scalar field's prime";
  }

  /// Counting sort by constraint; all constraints are already known to be below the domain's size.
  void build_index() {
    std::vector<uint32_t> next(domain_size_ + 1);
    for (uint64_t i = 0; i < count_; ++i) ++next[Entry{entries_ + kEntryBytes * i}.constraint() + 1];
    for (uint64_t row = 0; row < domain_size_; ++row) next[row + 1] += next[row];
    std::vector<uint32_t> order(count_);
    for (uint32_t i = 0; i < count_; ++i) order[next[Entry{entries_ + kEntryBytes * i}.constraint()]++] = i;
    order_ = std::move(order);
  }

  /// The first position at or behind `position` that begins a row.
  uint64_t row_start(uint64_t position) const {
    if (position == 0) return 0;
    while (position < count_ && entry(position).constraint() == entry(position - 1).constraint()) ++position;
    return position;
  }

  /// All rows from that of `begin` to before that of `end`; the empty ones before the first and behind the last, too.
  void evaluate_rows(uint64_t begin, uint64_t end, std::span<const cuzk_fr> witness, std::span<cuzk_fr> a,
                     std::span<cuzk_fr> b) const {
    uint64_t next = begin == 0 ? 0 : entry(begin).constraint();
    for (uint64_t i = begin; i < end;) {
      const uint32_t row = entry(i).constraint();
      if (row >= domain_size_) changed();
      clear(a, b, next, row);
      RowSum<Fr> sums[2];
      for (; i < end && entry(i).constraint() == row; ++i) {
        const Entry e = entry(i);
        if (e.matrix() > 1 || e.wire() >= variables_) changed();
        sums[e.matrix()].add(Fr::from_raw(e.template value<typename Fr::Limbs>()), witness[e.wire()]);
      }
      a[row] = montgomery(sums[0]);
      b[row] = montgomery(sums[1]);
      next = row + uint64_t{1};
    }
    clear(a, b, next, end == count_ ? domain_size_ : std::min<uint64_t>(domain_size_, entry(end).constraint()));
  }

  /// All entries were in range when the file was opened.
  [[noreturn]] void changed() const {
    throw Error(ErrorCode::bad_input, file_->path() + ": section 4 (coefficients) was changed while it was read");
  }

  static void clear(std::span<cuzk_fr> a, std::span<cuzk_fr> b, uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; ++row) a[row] = b[row] = cuzk_fr{};
  }

  std::shared_ptr<const MappedFile> file_;
  const std::byte* entries_ = nullptr;
  uint64_t count_ = 0, variables_, domain_size_;
  std::vector<uint32_t> order_;  ///< empty: sorted as they lie
};

}  // namespace

std::unique_ptr<const ConstraintMatrices> open_zkey_matrices(CpuPool& pool, Curve curve,
                                                             std::shared_ptr<const MappedFile> file,
                                                             const Section& section, uint64_t variables,
                                                             uint64_t domain_size) {
  return with_curve(curve, [&](auto c) -> std::unique_ptr<const ConstraintMatrices> {
    return std::make_unique<ZkeyMatrices<typename decltype(c)::type>>(pool, std::move(file), section, variables,
                                                                      domain_size);
  });
}

}  // namespace cuzk::formats
