#pragma once
#include <mutex>
#include <string>
#include <vector>

#include <cuzk/abi/plugin_abi.h>

namespace cuzk {

/// Who has which memory space of this process to itself. A ledger and a lock policy count for a space only while
/// nobody else has others for it. Threads: any.
class SpaceClaims {
 public:
  /// Gives the space back on destruction, which comes before the claims'. Move-only.
  class Claim {
   public:
    Claim(Claim&&) noexcept;
    Claim& operator=(Claim&&) = delete;
    ~Claim();

   private:
    friend class SpaceClaims;
    Claim(SpaceClaims& claims, cuzk_space space) : claims_(&claims), space_(space) {}
    SpaceClaims* claims_;
    cuzk_space space_;
  };

  /// Error unusable, at once, while another claim of the space lives: "cpu:0 is already in use by another prover of
  /// this process". device_name is for the message.
  [[nodiscard]] Claim take(cuzk_space, const std::string& device_name);

 private:
  std::mutex mutex_;
  std::vector<cuzk_space> taken_;
};

}  // namespace cuzk
