#pragma once
/// The operations of the NTT role on one field, made of passes. Vectors have the domain's size and Montgomery form.

#include "passes.hpp"
#include "permute.hpp"

namespace cuzk::cpu {

template <class Fr>
class Transformer {
 public:
  Transformer(const Parallel& parallel, TileBuffers<Fr> buffers, const NttTables<Fr>& tables)
      : parallel_(parallel), buffers_(buffers), tables_(tables), roots_(tables.roots), plan_(tables.log2_size) {}

  /// Scratch for one thread, in elements: a tile, or the permutation's two blocks.
  static uint64_t buffer_size(unsigned log2_size) {
    const uint64_t tile = NttPlan(log2_size).tile_size();
    return log2_size < 8 ? tile : std::max<uint64_t>(tile, 512);
  }

  // Natural order in and out.
  void forward(Fr* v) const {
    permute(v);
    finish_forward(v, [](Fr*, size_t) {});
  }
  void coset_forward(Fr* v) const {
    permute(v);
    finish_forward(v, [&](Fr* tile, size_t first) {
      for (size_t j = 0; j < plan_.tile_size(); ++j) tile[j] *= tables_.coset_power(first + j) * tables_.size;
    });
  }
  void inverse(Fr* v) const {
    to_coefficients(v, [](Fr*, size_t) {});
    bit_reverse(parallel_, buffers_, plan_.log2_size, v, [&](const Fr& x) { return x * tables_.size_inverse; });
  }
  void coset_inverse(Fr* v) const {
    // shift^-i / n = (shift^(n-1-i) / n) shift^(1-n), and n - 1 - i stands where all bits of i's place are flipped
    to_coefficients(v, [&](Fr* tile, size_t first) {
      for (size_t j = 0; j < plan_.tile_size(); ++j) {
        tile[j] *= tables_.coset_power(size() - 1 - first - j) * tables_.unshift;
      }
    });
    permute(v);
  }

  /// Values on the domain to values on the coset, without a permutation in between.
  void to_coset(Fr* v) const {
    inverse_upper(parallel_, buffers_, plan_, roots_, v);
    lower_pass(parallel_, plan_, v, [&](Fr* tile, size_t block, size_t first) {
      inverse_levels(tile, plan_.tile, 1, block, roots_);
      for (size_t j = 0; j < plan_.tile_size(); ++j) tile[j] *= tables_.coset_power(first + j);
      forward_levels(tile, plan_.tile, 1, block, roots_);
    });
    forward_upper(parallel_, buffers_, plan_, roots_, v);
  }

  /// out = x * y; out may be x or y.
  void multiply(Fr* out, const Fr* x, const Fr* y) const {
    each([=](size_t i) { out[i] = x[i] * y[i]; });
  }
  /// out = (x - y) / Z; out may be x or y.
  void subtract_scaled(Fr* out, const Fr* x, const Fr* y) const {
    if (tables_.z_inverse == Fr::one()) {
      each([=](size_t i) { out[i] = x[i] - y[i]; });
    } else {
      each([=, z = tables_.z_inverse](size_t i) { out[i] = (x[i] - y[i]) * z; });
    }
  }

 private:
  uint64_t size() const { return uint64_t{1} << plan_.log2_size; }

  void permute(Fr* v) const {
    bit_reverse(parallel_, buffers_, plan_.log2_size, v, [](const Fr& x) { return x; });
  }
  /// From bit-reversed order; before(tile, first) works on each tile first.
  template <class Before>
  void finish_forward(Fr* v, Before&& before) const {
    lower_pass(parallel_, plan_, v, [&](Fr* tile, size_t block, size_t first) {
      before(tile, first);
      forward_levels(tile, plan_.tile, 1, block, roots_);
    });
    forward_upper(parallel_, buffers_, plan_, roots_, v);
  }
  /// n times the coefficients, in bit-reversed order; after(tile, first) works on each tile last.
  template <class After>
  void to_coefficients(Fr* v, After&& after) const {
    inverse_upper(parallel_, buffers_, plan_, roots_, v);
    lower_pass(parallel_, plan_, v, [&](Fr* tile, size_t block, size_t first) {
      inverse_levels(tile, plan_.tile, 1, block, roots_);
      after(tile, first);
    });
  }
  template <class Body>
  void each(Body&& body) const {
    constexpr uint64_t kGrain = uint64_t{1} << 12;
    for_ranges(parallel_, size(), kGrain, [&](uint64_t begin, uint64_t end) {
      for (uint64_t i = begin; i < end; ++i) body(i);
    });
  }

  Parallel parallel_;
  TileBuffers<Fr> buffers_;
  const NttTables<Fr>& tables_;
  std::span<const Fr> roots_;
  NttPlan plan_;
};

}  // namespace cuzk::cpu
