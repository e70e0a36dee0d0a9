#include <algorithm>
#include <utility>

#include <cuzk/error.hpp>
#include <cuzk/runtime/space_claims.hpp>

namespace cuzk {
namespace {

auto is(cuzk_space wanted) {
  return [wanted](cuzk_space space) { return space.kind == wanted.kind && space.index == wanted.index; };
}

}  // namespace

SpaceClaims::Claim SpaceClaims::take(cuzk_space space, const std::string& device_name) {
  const std::lock_guard lock(mutex_);
  if (std::any_of(taken_.begin(), taken_.end(), is(space))) {
    throw Error(ErrorCode::unusable, device_name + " is already in use by another prover of this process");
  }
  taken_.push_back(space);
  return Claim(*this, space);
}

SpaceClaims::Claim::Claim(Claim&& other) noexcept
    : claims_(std::exchange(other.claims_, nullptr)), space_(other.space_) {}

SpaceClaims::Claim::~Claim() {
  if (claims_ == nullptr) return;
  const std::lock_guard lock(claims_->mutex_);
  std::erase_if(claims_->taken_, is(space_));
}

}  // namespace cuzk
