#pragma once
#include <cstdint>
#include <mutex>
#include <string>

#include <cuzk/abi/plugin_abi.h>
#include <cuzk/curve.hpp>

namespace cuzk {

/// The figures of a card: how much it holds and how long its copies and kernels take, as functions of their sizes.
/// From a file: docs/schema/cuzk-device-model-1.json.
struct DeviceModel {
  /// Points a second, with full-width scalars.
  struct MsmRates {
    uint64_t g1 = 1, g2 = 1;
  };
  std::string name;
  uint64_t memory = 0;  ///< bytes
  // Bytes a second.
  uint64_t pinned = 1;  ///< either way, from and to page-locked memory
  uint64_t pageable_up = 1, pageable_down = 1;
  uint64_t latency_ns = 0;    ///< of every copy and every kernel, in front of its own time
  uint64_t butterflies = 1;   ///< a second; a transform of n elements has n / 2 log2 n
  uint64_t products = 1;      ///< field multiplications of two vectors, elements a second
  uint64_t small_points = 1;  ///< points a second whose scalars are 0 or 1
  MsmRates bn254, bls12_381;
  // Of the host it is in, where nothing is proved (simulation): on all CPU threads, of one partition.
  uint64_t rows = 1;       ///< of A w and B w evaluated, a second
  uint64_t finish_ns = 0;  ///< last points, assembly, verification

  enum class Way { up, down };
  uint64_t prepare_ns(uint64_t rows_of_domain) const;
  uint64_t copy_ns(uint64_t bytes, Way way, bool page_locked) const;
  uint64_t transform_ns(uint32_t log2_size) const;
  uint64_t product_ns(uint64_t elements) const;
  uint64_t quotient_ab_ns(const cuzk_domain&) const;  ///< four transforms and a product
  uint64_t quotient_c_ns(const cuzk_domain&) const;   ///< two, or three for h in monomials, and a product
  /// small: share of the scalars that are 0 or 1.
  uint64_t msm_ns(Curve, Group, uint64_t points, double small = 0) const;
};

/// Error bad_input names the file, the field, what was found and what is expected.
DeviceModel read_device_model(const std::string& path);

/// The engines of one modelled card. Each does one thing at a time in the order in which they were handed in, beside
/// the other engines, so that copies and kernels overlap as streams let them. Threads: any.
class ModelEngines {
 public:
  enum Engine { up, down, kernels };
  struct Interval {
    uint64_t begin_ns, end_ns;
  };
  /// Occupies the engine for duration_ns from ready_ns on or from when it is free, and at least until not_before_ns.
  Interval run(Engine engine, uint64_t ready_ns, uint64_t duration_ns, uint64_t not_before_ns = 0);

 private:
  std::mutex mutex_;
  uint64_t busy_until_[3] = {0, 0, 0};
};

}  // namespace cuzk
