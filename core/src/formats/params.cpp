#include "formats/bin_file.hpp"
#include "formats/counted.hpp"
#include "formats/first_failure.hpp"
#include "formats/open_spans.hpp"
#include "formats/params_layout.hpp"
#include "formats/read_intact.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <cuzk/arith/subgroup.hpp>
#include <cuzk/error.hpp>
#include <cuzk/formats/params.hpp>
#include <cuzk/formats/pce.hpp>
#include <cuzk/runtime/host_services.hpp>

namespace cuzk {
namespace {

using namespace formats;
using namespace formats::params;

/// The points of one vector, which is already checked.
template <class G>
class EncodedPoints final : public PointSource {
 public:
  EncodedPoints(std::shared_ptr<const MappedFile> file, std::span<const std::byte> bytes)
      : file_(std::move(file)), bytes_(bytes) {}

  uint64_t count() const override { return bytes_.size() / kBytes; }
  const std::byte* direct() const override { return nullptr; }
  void read(uint64_t first, uint64_t count, std::byte* dst) const override {
    if (first > this->count() || count > this->count() - first) {
      throw Error(ErrorCode::internal, file_->path() + ": points " + std::to_string(first) + " + " +
                                           std::to_string(count) + " asked for, there are " +
                                           std::to_string(this->count()));
    }
    for (uint64_t i = 0; i < count; ++i) {
      const auto point = zcash::decode<G>(bytes_.data() + (first + i) * kBytes);
      std::memcpy(dst + i * sizeof point, &point, sizeof point);
    }
  }

 private:
  static constexpr uint64_t kBytes = zcash::kPointBytes<G>;
  std::shared_ptr<const MappedFile> file_;
  std::span<const std::byte> bytes_;
};

class ParamsReader {
 public:
  ParamsReader(std::shared_ptr<const MappedFile> file, std::unique_ptr<const Pce> pce, CpuPool& pool)
      : file_(std::move(file)), pce_(std::move(pce)), pool_(pool) {}

  /// All but the points of the vectors, which check_points() looks at.
  ProvingKey read() {
    const uint64_t inputs = pce_->inputs(), variables = pce_->variables();
    const uint64_t domain_size = uint64_t{1} << pce_->log2_domain();
    ProvingKey key;
    key.name = file_->path();
    key.shape.curve = Curve::bls12_381;
    key.shape.variables = variables;
    key.shape.publics = inputs - 1;
    key.shape.domain = bellman_domain<Curve12>(pce_->log2_domain());

    // The places of all vectors come before any point.
    set_range(key, QueryId::h, 0, domain_size - 1, nullptr);
    set_range(key, QueryId::l, inputs, variables - inputs, nullptr);
    set_range(key, QueryId::a, 0, variables, &pce_->in_a());
    set_range(key, QueryId::b1, 0, variables, &pce_->in_b());
    set_range(key, QueryId::b2, 0, variables, &pce_->in_b());
    if (file_->bytes().size() < kLeadBytes) {
      Section(file_->path() + ": verification key", 0, {})
          .fail(0, "found " + counted(file_->bytes().size(), "byte") + ", expected at least the " +
                       std::to_string(kLeadBytes) + " of its points");
    }
    offset_ = kLeadBytes;
    const Section ic = take_vector("vector ic", inputs, zcash::kPointBytes<G1>);
    for (const auto& [id, name] : kQueryVectors) {
      const auto slot = static_cast<size_t>(id);
      vectors_.push_back({group_of(id), take_vector(name, key.shape.queries[slot].count,
                                                    point_bytes(Curve::bls12_381, group_of(id)))});
      const auto bytes = vectors_.back().points.bytes();
      if (group_of(id) == Group::g1) {
        key.queries[slot].points = std::make_unique<EncodedPoints<G1>>(file_, bytes);
      } else {
        key.queries[slot].points = std::make_unique<EncodedPoints<G2>>(file_, bytes);
      }
      key.queries[slot].section = name;
    }
    if (const uint64_t left = file_->bytes().size() - offset_; left > 0) {
      Section(file_->path() + ": end", offset_, {})
          .fail(0, "found " + counted(left, "byte") + ", expected the file's end");
    }

    read_verification_key(key, ic);
    key.files = {file_, pce_->file()};
    key.matrices = std::move(pce_);
    return key;
  }

  void check_points() const {
    for (const auto& [group, points] : vectors_) {
      group == Group::g1 ? check_vector<G1>(points) : check_vector<G2>(points);
    }
  }

 private:
  /// mask: of the variables that have a point; null, or with all bits set: all of the range have.
  static void set_range(ProvingKey& key, QueryId id, uint64_t first, uint64_t span, const std::vector<uint64_t>* mask) {
    uint64_t count = span;
    if (mask != nullptr) {
      count = 0;
      for (const uint64_t word : *mask) count += static_cast<uint64_t>(std::popcount(word));
    }
    const bool selects = count < span;
    const auto slot = static_cast<size_t>(id);
    key.shape.queries[slot] = {count, first, span, selects};
    key.queries[slot] = {nullptr, first, span, selects ? *mask : std::vector<uint64_t>{}};
  }

  /// The points of the vector at offset_, which is moved behind it. The count must be that of the circuit.
  Section take_vector(const char* name, uint64_t expected, uint64_t point_bytes) {
    const std::string where = file_->path() + ": " + name;
    const Section rest(where, offset_, file_->bytes().subspan(offset_));
    SectionReader reader(rest);
    const uint64_t count = __builtin_bswap32(reader.u32("number of points"));
    if (count != expected) {
      reader.fail("found " + counted(count, "point") + ", expected " + std::to_string(expected) + " for " +
                  pce_->path());
    }
    if (reader.remaining() / point_bytes < count) {
      reader.fail("found " + counted(count, "point") + ", expected at most " +
                  std::to_string(reader.remaining() / point_bytes) + " before the file's end");
    }
    Section points(where, offset_ + kCountBytes, reader.bytes(count * point_bytes, "points"));
    offset_ += reader.position();
    return points;
  }

  void read_verification_key(ProvingKey& key, const Section& ic) const {
    VerifyingKeyOf<Curve12> vk;
    BlindingPointsOf<Curve12> blinding;
    const Section lead(file_->path() + ": verification key", 0, file_->bytes().first(kLeadBytes));
    SectionReader reader(lead);
    vk.alpha1 = read_key_point<G1>(reader, "alpha1");
    blinding.beta1 = read_key_point<G1>(reader, "beta1");
    vk.beta2 = read_key_point<G2>(reader, "beta2");
    vk.gamma2 = read_key_point<G2>(reader, "gamma2");
    blinding.delta1 = read_key_point<G1>(reader, "delta1");
    vk.delta2 = read_key_point<G2>(reader, "delta2");
    check_vector<G1>(ic);
    const EncodedPoints<G1> ic_points(file_, ic.bytes());
    vk.ic.resize(ic_points.count());
    ic_points.read(0, ic_points.count(), reinterpret_cast<std::byte*>(vk.ic.data()));
    key.verifying_key = std::move(vk);
    key.blinding = blinding;
  }

  template <class G>
  static arith::Affine<G> read_key_point(SectionReader& reader, const std::string& name) {
    const std::byte* at = reader.bytes(zcash::kPointBytes<G>, name).data();
    if (const char* fault = zcash::fault_of<G>(at)) reader.fail(name + " " + fault);
    const auto point = zcash::decode<G>(at);
    if (!arith::in_subgroup(point)) reader.fail(name + " is not in the subgroup of prime order");
    return point;
  }

  /// A look at every point of a vector.
  template <class G>
  void check_vector(const Section& section) const {
    constexpr uint64_t kBytes = zcash::kPointBytes<G>;
    constexpr uint64_t kBlock = (uint64_t{1} << 20) / kBytes;  // points read ahead at once
    const auto bytes = section.bytes();
    const auto fault = first_failure(pool_, bytes.size() / kBytes, 1024, [&](uint64_t begin, uint64_t end) {
      for (uint64_t i = begin; i < end; ++i) {
        if ((i - begin) % kBlock == 0) {
          file_->prefetch(bytes.subspan(i * kBytes, std::min(kBlock, end - i) * kBytes));
        }
        if (zcash::fault_of<G>(bytes.data() + i * kBytes) != nullptr) return i;
      }
      return end;
    });
    if (fault) {
      section.fail(*fault * kBytes,
                   "point " + std::to_string(*fault) + " " + zcash::fault_of<G>(bytes.data() + *fault * kBytes));
    }
  }

  struct Vector {
    Group group;
    Section points;
  };

  std::shared_ptr<const MappedFile> file_;
  std::unique_ptr<const Pce> pce_;
  CpuPool& pool_;
  uint64_t offset_ = 0;
  std::vector<Vector> vectors_;
};

/// services: takes the spans, or null.
std::shared_ptr<const ProvingKey> open(const std::string& params, const std::string& pce, CpuPool& pool,
                                       HostServices* services, bool insecure) {
  OpenSpans spans(services, "open key");
  const auto file = std::make_shared<const MappedFile>(params);
  return read_intact(*file, [&] {
    ParamsReader reader(file, std::make_unique<const Pce>(pce, pool), pool);
    auto key = std::make_shared<ProvingKey>(reader.read());
    key->insecure = insecure;
    spans.add_bytes(file->bytes().size());
    spans.next("check points");
    reader.check_points();
    return key;
  });
}

}  // namespace

std::shared_ptr<const ProvingKey> open_params(const std::string& params, const std::string& pce, CpuPool& pool,
                                              bool insecure) {
  return open(params, pce, pool, nullptr, insecure);
}

std::shared_ptr<const ProvingKey> open_params(const std::string& params, const std::string& pce,
                                              HostServices& services) {
  return open(params, pce, services.cpu(), &services, false);
}

}  // namespace cuzk
