#include "open_key.hpp"

#include <filesystem>
#include <system_error>

#include <cuzk/error.hpp>
#include <cuzk/formats/params.hpp>
#include <cuzk/formats/wtns.hpp>
#include <cuzk/formats/zkey.hpp>
#include <cuzk/groth16/check_key.hpp>
#include <cuzk/groth16/key_cache.hpp>

namespace cuzk::run {
namespace {

OpenKey open(HostServices& services, const Options& options, const KeyPlace& place, Composer& composer) {
  switch (place.kind) {
    case KeyPlace::Kind::workload: {
      auto workload = [&] {
        const Span span(services, "make circuit");
        return std::make_shared<const Workload>(*place.workload);
      }();
      const Span span(services, "make key");
      auto key = workload_key(*workload, services, key_cache_folder(),
                              [&](const Workload& missing) { return make_key(services, options, composer, missing); });
      return {std::move(key), std::move(workload)};
    }
    case KeyPlace::Kind::params:
      return {open_params(place.file, place.pce, services), {}};
    case KeyPlace::Kind::zkey:
      return {open_zkey(place.file, services), {}};
    default:
      return {open_zkey(sample_file("circuit.zkey"), services), {}};
  }
}

}  // namespace

std::string sample_file(const std::string& file) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    throw Error(ErrorCode::bad_input, "the sample " + file + ": the program's own place is not known: " +
                                          error.message() + "; name the files");
  }
  return (program.parent_path().parent_path() / "share/cuzk/sample" / file).string();
}

OpenKey open_key(HostServices& services, const Options& options, const KeyPlace& place, Composer& composer) {
  OpenKey opened = open(services, options, place, composer);
  if (options.check_key) {
    const Span span(services, "check key");
    check_subgroups(*opened.key, services.cpu());
  }
  return opened;
}

Witness open_witness(HostServices& services, const OpenKey& opened, const JobPlan& job) {
  if (opened.workload) {
    const Span span(services, "make witness");
    return opened.workload->witness(job.partition, services.cpu(), services.memory());
  }
  const Span span(services, "open witness");
  return read_wtns(job.witness.empty() ? sample_file("witness.wtns") : job.witness, services.cpu(), services.memory(),
                   opened.key.get());
}

}  // namespace cuzk::run
