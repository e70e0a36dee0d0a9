#pragma once
#include "groth16/msm_jobs.hpp"
#include "groth16/session.hpp"

#include <array>
#include <cstdint>

#include <cuzk/error.hpp>
#include <cuzk/groth16/witness.hpp>

namespace cuzk::groth16 {

/// A call failed while the partition held a lease: done again, its work may succeed.
class FailedOnDevice : public Error {
 public:
  using Error::Error;
};

/// One partition's way from the witness to the sums of the five queries. What needs no device happens outside the
/// leases, what needs no instances also without a worker; after an exception nothing of it runs, and its memory,
/// worker, slot and ticket are back when it goes.
class Partition {
 public:
  /// job may be null; lane as in Prover::prove().
  Partition(Session&, const Witness&, const ProofJob* job, uint32_t lane);
  ~Partition();

  /// Errors: FailedOnDevice (device_failed or out_of_memory), cancelled, and others of components and lock policy.
  Points run();

  uint64_t ticket() const { return ticket_; }
  uint32_t vector_paths() const { return paths_; }  ///< as in ProofResult
  uint32_t base_paths() const { return jobs_.paths(); }
  uint64_t uploaded() const { return uploaded_ + jobs_.uploaded(); }

 private:
  void prepare();
  void evaluate();
  void with_worker();
  void collect();
  void quotient_on_host();
  void select_scalars();
  void on_device();
  void stage(Lease&);                                ///< returns when the copies are started
  void send_witness(const Lease&, uint64_t offset);  ///< to that place in the slot
  void quotient(Lease&);
  void download_h(Lease&);
  void jobs_on_device(Lease&);
  void jobs_on_host();

  FrVector product() const;
  cuzk_mem upload(const Lease&, cuzk_mem dst, std::span<const std::byte> src, cuzk_fence after, uint32_t done);
  cuzk_vec vec(const cuzk_mem&, uint64_t count, uint32_t form, cuzk_fence ready = {}) const;
  cuzk_vec h_scalars(const cuzk_mem&, cuzk_fence ready = {}) const;
  uint64_t domain_bytes() const { return session_.shape().domain_size() * kFrBytes; }

  Session& session_;
  const Witness& witness_;
  const uint32_t lane_;
  Worker* worker_ = nullptr;  ///< from when it is prepared until the device is done with it
  FrVector a_, b_, c_;        ///< on the host, until what reads them is over; a becomes h where that ends on the host
  std::array<FrVector, kQueries> selected_;
  cuzk_mem device_a_{}, device_b_{}, device_witness_{};
  MsmJobs jobs_;
  const uint64_t ticket_;
  const HostServices::Watch watch_;
  uint32_t paths_ = 0;
  uint64_t uploaded_ = 0;
};

}  // namespace cuzk::groth16
