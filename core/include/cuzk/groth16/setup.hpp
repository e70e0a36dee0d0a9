#pragma once
#include <cstdint>
#include <memory>

#include <cuzk/groth16/circuit.hpp>
#include <cuzk/groth16/proving_key.hpp>

namespace cuzk {

class CpuPool;
class DeviceMultiples;

/// Where the known formats differ: the root of unity, the basis of H, and the variables that do not occur.
enum class Conventions {
  snarkjs,  ///< .zkey: root from 5, H on a coset, in A and B one point a variable, infinity where it does not occur
  bellman   ///< .params: root from 7, H in monomials (domain - 1 points), in A and B only variables that occur
};

/// log2 of the smallest domain that holds the circuit's constraints and the rows of its inputs. Error usage: no
/// constraints, or more rows than the curve's largest domain.
uint32_t domain_log2(const Circuit&);

/// A key for the circuit, made in this process from secrets that the seed determines (SplitMix64): INSECURE, whoever
/// knows the seed can prove anything, and ProvingKey::insecure says so. Groth 2016, section 3.2, over the circuit's
/// constraints and the rows x_i 0 = 0 of the leading one and the public signals; the domain is the smallest that holds
/// them. Points lie in memory in the ABI's layout; the key shares the circuit. Same key for any number of threads,
/// and whether the points are made on the CPU or, where there is one, on a device, opened for the circuit's curve.
/// Memory besides the key: 3 values of Fr a variable, one a row, and tables of at most 30 MiB.
/// Error usage: no constraints, more rows than the curve's largest domain, or a circuit whose parts do not fit
/// together; cancelled, as the pool says (CpuPool::stop_if_cancelled); those of DeviceMultiples::multiply().
std::shared_ptr<const ProvingKey> setup(std::shared_ptr<const Circuit>, Conventions, uint64_t seed, CpuPool&,
                                        DeviceMultiples* device = nullptr);

}  // namespace cuzk
