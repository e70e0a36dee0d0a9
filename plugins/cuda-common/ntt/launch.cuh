#pragma once
/// The operations of the NTT role on one field as launches on a stream.

#include "../cuda/check.hpp"
#include "domain.hpp"
#include "kernels.cuh"
#include "tables.hpp"

#include <cstring>

namespace cuzk::cuda::ntt {

/// From the host's representation; the bytes are the same.
template <class F, class Host>
F to_device(const Host& value) {
  static_assert(sizeof(F) == sizeof(Host));
  F r;
  std::memcpy(&r, &value, sizeof(F));
  return r;
}

inline uint32_t blocks_for(uint32_t items) { return (items + kThreads - 1) / kThreads; }

/// Vectors have the domain's size, Montgomery form, and lie in device memory. Every function enqueues and returns.
template <class F, bool kFull>
class Launcher {
 public:
  Launcher(cudaStream_t stream, const TableLayout& layout, F* tables)
      : stream_(stream), layout_(layout), tables_(tables), schedule_(layout.log2_size) {}

  /// Every kernel used here is on the device afterwards.
  static void load_kernels() {
    load_kernel(&pass_kernel<F, true, false, kFull>);
    load_kernel(&pass_kernel<F, false, true, kFull>);
    load_kernel(&pass_kernel<F, true, true, kFull>);
    load_kernel(&permute_squares_kernel);
    load_kernel(&permute_short_kernel);
    load_kernel(&begin_table_kernel<F>);
    load_kernel(&double_table_kernel<F>);
    load_kernel(&multiply_kernel<F>);
    load_kernel(&subtract_scale_kernel<F>);
  }

  template <class Host>
  void fill(const Host& omega, const Host& shift) const {
    fill_tables(
        layout_, omega, shift,
        [&](uint64_t offset, const Host& first) {
          begin_table_kernel<F><<<1, 1, 0, stream_>>>(tables_ + offset, to_device<F>(first));
          check_launch("begin_table_kernel");
        },
        [&](uint64_t offset, uint32_t half, const Host& step) {
          double_table_kernel<F>
              <<<blocks_for(half), kThreads, 0, stream_>>>(tables_ + offset, half, to_device<F>(step));
          check_launch("double_table_kernel");
        });
  }

  void forward(Unit* v) const {
    permute(v);
    up(v, {});
  }
  void inverse(Unit* v) const {
    down(v, {nullptr, tables_ + layout_.scaled_powers(), 0, 0});
    permute(v);
  }
  void coset_forward(Unit* v) const {
    permute(v);
    up(v, powers(layout_.coarse_powers(), 0));
  }
  /// shift^-i / n = shift^(n-1-i) (shift^(1-n) / n), and n - 1 - i stands where all bits of i's place are flipped.
  void coset_inverse(Unit* v) const {
    down(v, powers(layout_.unshift_powers(), size() - 1));
    permute(v);
  }
  /// Values on the domain to values on the coset: the two ways meet in the last pass, without a permutation.
  void to_coset(Unit* v) const {
    for (uint32_t i = 0; i + 1 < schedule_.count; ++i) run<true, false>(v, schedule_.passes[i], {});
    run<true, true>(v, schedule_.last(), powers(layout_.scaled_powers(), 0));
    for (uint32_t i = schedule_.count - 1; i-- > 0;) run<false, true>(v, schedule_.passes[i], {});
  }

  void multiply(F* out, const F* x, const F* y) const {
    multiply_kernel<F><<<blocks_for(size()), kThreads, 0, stream_>>>(out, x, y, size());
    check_launch("multiply_kernel");
  }
  void subtract_scale(F* out, const F* x, const F* y, const F& scale) const {
    subtract_scale_kernel<F><<<blocks_for(size()), kThreads, 0, stream_>>>(out, x, y, scale, size());
    check_launch("subtract_scale_kernel");
  }

 private:
  uint32_t size() const { return 1U << layout_.log2_size; }
  Scale<F> powers(uint64_t coarse, uint32_t flip) const {
    return {tables_ + layout_.fine_powers(), tables_ + coarse, layout_.log2_fine_powers(), flip};
  }

  /// The scale belongs to the last pass of the way down, the first of the way up.
  void down(Unit* v, const Scale<F>& scale) const {
    for (uint32_t i = 0; i < schedule_.count; ++i) {
      run<true, false>(v, schedule_.passes[i], i + 1 == schedule_.count ? scale : Scale<F>{});
    }
  }
  void up(Unit* v, const Scale<F>& scale) const {
    for (uint32_t i = schedule_.count; i-- > 0;) {
      run<false, true>(v, schedule_.passes[i], i + 1 == schedule_.count ? scale : Scale<F>{});
    }
  }
  template <bool kDown, bool kUp>
  void run(Unit* v, const Pass& pass, const Scale<F>& scale) const {
    const Roots<F, kFull> roots{tables_ + layout_.fine_roots(), tables_ + layout_.coarse_roots(),
                                layout_.log2_fine_roots};
    const uint32_t threads = std::clamp((1U << pass.log2_tile()) / 4, 32U, kThreads);
    pass_kernel<F, kDown, kUp, kFull>
        <<<pass.tiles(), threads, Tile<F>::bytes(pass.log2_tile()), stream_>>>(v, pass, roots, scale);
    check_launch("pass_kernel");
  }
  void permute(Unit* v) const {
    const uint32_t log2_size = layout_.log2_size;
    if (log2_size < 2 * kSideBits) {
      permute_short_kernel<<<1, kThreads, 0, stream_>>>(v, log2_size);
      check_launch("permute_short_kernel");
    } else {
      permute_squares_kernel<<<1U << (log2_size - 2 * kSideBits), kThreads, kPermuteBytes, stream_>>>(v, log2_size);
      check_launch("permute_squares_kernel");
    }
  }

  cudaStream_t stream_;
  TableLayout layout_;
  F* tables_;
  Schedule schedule_;
};

}  // namespace cuzk::cuda::ntt
