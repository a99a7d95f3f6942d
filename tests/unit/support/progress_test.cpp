#include "support/progress.h"

#include "gtest/gtest.h"

namespace heddle {

namespace {

TEST(ProgressLine, WithATotalHasABarAndTheTimeLeft) {
  EXPECT_EQ(progress_line("bench", {"round 5 of 20", 5, 20}, 10, 30, 100),
            "heddle: bench: round 5 of 20 [#####---------------] 30 s left");
  EXPECT_EQ(progress_line("bench", {"", 20, 20}, 10, 0, 100),
            "heddle: bench [####################] 0 s left");
}

TEST(ProgressLine, PromisesNothingBeforeItKnows) {
  EXPECT_EQ(progress_line("verify", {"original", 0, 5}, 1, std::nullopt, 100),
            "heddle: verify: original [--------------------]");
}

TEST(ProgressLine, WithoutATotalHasTheTimeThatHasPassed) {
  EXPECT_EQ(progress_line("plan", {"cuts", 0, 0}, 7.2, std::nullopt, 100), "heddle: plan: cuts (7 s)");
  EXPECT_EQ(progress_line("plan", {}, 125, std::nullopt, 100), "heddle: plan (2 min 5 s)");
}

TEST(ProgressLine, MoreThanAllIsAllAndLaterIsNow) {
  EXPECT_EQ(progress_line("profile", {"", 30, 20}, 1, -5, 100),
            "heddle: profile [####################] 0 s left");
}

TEST(ProgressLine, FitsTheTerminal) {
  EXPECT_EQ(progress_line("plan", {"what pointers may point to", 0, 0}, 1, std::nullopt, 20),
            "heddle: plan: what ");
}

TEST(Progress, IsNothingWithoutATerminal) {
  testing::internal::CaptureStderr(); // a file
  {
    const Progress progress("plan");
    progress_at("cuts");
    const FollowedProgress follow([] { return ProgressMade{"packets", 1, 2}; });
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace

} // namespace heddle
