/// The device's fields against cuzk::arith, the carry flag emulated.

#include "samples.hpp"

#include <gtest/gtest.h>

#include <cuzk/arith/fp2.hpp>

namespace cuzk::cuda {
namespace {

template <class P>
class DeviceField : public testing::Test {
 protected:
  using Element = typename P::Host;
  using Device = Fe<P>;
  static Device device(const Element& x) { return same_bytes<Device>(x); }

  static void expect_ring(const Element& x, const Element& y) {
    const Device a = device(x), b = device(y);
    ASSERT_TRUE(a * b == device(x * y));
    ASSERT_TRUE(a + b == device(x + y));
    ASSERT_TRUE(a - b == device(x - y));
    ASSERT_EQ(a == b, x == y);
  }
  static void expect_unary(const Element& x) {
    const Device a = device(x);
    ASSERT_TRUE(-a == device(-x));
    ASSERT_TRUE(a.square() == device(x.square()));
    ASSERT_TRUE(a.doubled() == device(x.doubled()));
    ASSERT_TRUE(a.to_canonical() == same_bytes<Device>(x.to_canonical()));
    ASSERT_EQ(a.is_zero(), x.is_zero());
  }
};

using AllFields = testing::Types<Bn254Fr, Bn254Fp, Bls12381Fr, Bls12381Fp>;
TYPED_TEST_SUITE(DeviceField, AllFields);

TYPED_TEST(DeviceField, RandomOperands) {
  Samples<typename TypeParam::Host> samples(71);
  for (int i = 0; i < 100'000; ++i) {
    const auto x = samples.random(), y = samples.random();
    this->expect_ring(x, y);
    this->expect_unary(x);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(DeviceField, EdgeOperands) {
  const auto edges = Samples<typename TypeParam::Host>::edges();
  ASSERT_GT(edges.size(), 60U);
  for (const auto& x : edges) {
    this->expect_unary(x);
    for (const auto& y : edges) this->expect_ring(x, y);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(DeviceField, OperandsMayBeTheResult) {
  using Host = typename TypeParam::Host;
  Samples<Host> samples(72);
  const Host x = samples.random();
  auto a = this->device(x);
  a *= a;
  EXPECT_TRUE(a == this->device(x.square()));
  a = this->device(x);
  a += a;
  EXPECT_TRUE(a == this->device(x.doubled()));
  a -= a;
  EXPECT_TRUE(a.is_zero());
}

TYPED_TEST(DeviceField, Constants) {
  using Host = typename TypeParam::Host;
  EXPECT_TRUE(Fe<TypeParam>::one() == this->device(Host::one()));
  EXPECT_TRUE(Fe<TypeParam>::zero() == this->device(Host::zero()));
  EXPECT_EQ(TypeParam::kInv * TypeParam::kModulus.at[0], UINT32_MAX);
}

TYPED_TEST(DeviceField, Inverse) {
  using Host = typename TypeParam::Host;
  Samples<Host> samples(73);
  for (const Host& x : {Host::zero(), Host::one(), -Host::one(), samples.random(), samples.random()}) {
    EXPECT_TRUE(this->device(x).inverse() == this->device(x.inverse()));
  }
}

template <class P>
class DeviceQuadratic : public testing::Test {};
using BaseFields = testing::Types<Bn254Fp, Bls12381Fp>;
TYPED_TEST_SUITE(DeviceQuadratic, BaseFields);

TYPED_TEST(DeviceQuadratic, AgreesWithTheHost) {
  using Host = typename TypeParam::Host;
  using HostFp2 = arith::Fp2<Host>;
  using Device = Fe2<Fe<TypeParam>>;
  const auto device = [](const HostFp2& x) { return same_bytes<Device>(x); };
  Samples<Host> samples(74);
  std::vector<HostFp2> values{HostFp2::zero(), HostFp2::one(), {Host::zero(), -Host::one()}};
  for (int i = 0; i < 200; ++i) values.push_back({samples.random(), samples.random()});
  for (const Host& edge : Samples<Host>::edges()) values.push_back({edge, -edge});
  for (size_t i = 0; i < values.size(); ++i) {
    const HostFp2 x = values[i], y = values[(i + 7) % values.size()];
    ASSERT_TRUE(device(x) * device(y) == device(x * y));
    ASSERT_TRUE(device(x) * device(y).c0 == device(x * y.c0));
    ASSERT_TRUE(device(x) + device(y) == device(x + y));
    ASSERT_TRUE(device(x) - device(y) == device(x - y));
    ASSERT_TRUE(device(x).square() == device(x.square()));
    ASSERT_TRUE(device(x).doubled() == device(x.doubled()));
    ASSERT_TRUE(-device(x) == device(-x));
    ASSERT_EQ(device(x).is_zero(), x.is_zero());
    if (i % 20 == 0) {
      ASSERT_TRUE(device(x).inverse() == device(x.inverse()));
    }
  }
}

}  // namespace
}  // namespace cuzk::cuda
