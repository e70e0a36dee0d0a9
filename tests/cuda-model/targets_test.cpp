#include "cuda-common/cuda/targets.hpp"

#include <gtest/gtest.h>

namespace cuzk::cuda {
namespace {

TEST(Targets, MachineCodeRunsOnLaterCardsOfItsGeneration) {
  constexpr std::string_view kBuild = "cuda 13.0; sm_80 sm_90";
  EXPECT_TRUE(runs_on(kBuild, 80));
  EXPECT_TRUE(runs_on(kBuild, 86));
  EXPECT_TRUE(runs_on(kBuild, 89));
  EXPECT_TRUE(runs_on(kBuild, 90));
  EXPECT_FALSE(runs_on(kBuild, 75));
  EXPECT_FALSE(runs_on(kBuild, 100));
  EXPECT_FALSE(runs_on("cuda 13.0; sm_86", 80));
}

TEST(Targets, PtxRunsOnAllLaterCards) {
  constexpr std::string_view kBuild = "cuda 13.0; sm_90 ptx_120";
  EXPECT_FALSE(runs_on(kBuild, 100));
  EXPECT_TRUE(runs_on(kBuild, 120));
  EXPECT_TRUE(runs_on(kBuild, 121));
  EXPECT_TRUE(runs_on(kBuild, 130));
}

TEST(Targets, NothingRunsOnABuildForNothing) {
  EXPECT_FALSE(runs_on("", 90));
  EXPECT_FALSE(runs_on("cpu", 90));
  EXPECT_FALSE(runs_on("cuda 13.0;", 90));
}

}  // namespace
}  // namespace cuzk::cuda
