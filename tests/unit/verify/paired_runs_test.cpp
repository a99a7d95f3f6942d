#include "scripts.h"
#include "verify/bench.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

namespace {

class PairedRuns : public testing::Test {
protected:
  PairedRuns() {
    options_.pairs = 7;
    options_.use_counters = false;
    options_.metric = llvm::cantFail(parse_metric("rate=([0-9.]+)"));
  }
  std::string error(const std::vector<Variant>& variants) {
    auto result = bench(variants, options_);
    return result ? "no error" : llvm::toString(result.takeError());
  }

  test::Scripts scripts_;
  BenchOptions options_;
};

TEST_F(PairedRuns, RatioOfAnOutputMetric) {
  Variant a = scripts_.variant("a", "echo rate=1 rate=100"), b = scripts_.variant("b", "echo rate=125 >&2");
  BenchResult result = llvm::cantFail(bench({a, b}, options_));
  EXPECT_EQ(result.rounds, 7u);
  EXPECT_THAT(result.variants[0].samples, Each(100));
  EXPECT_DOUBLE_EQ(result.variants[1].ratio.median, 1.25);
  EXPECT_DOUBLE_EQ(result.variants[0].ratio.median, 1);
  options_.metric = llvm::cantFail(parse_metric("lower:rate=([0-9.]+)"));
  EXPECT_DOUBLE_EQ(llvm::cantFail(bench({a, b}, options_)).variants[1].ratio.median, 0.8);
}

TEST_F(PairedRuns, GoInTurn) {
  std::string log = scripts_.folder() + "/log";
  auto variant = [&](const char* name) {
    return scripts_.variant(name, std::string("printf ") + name + " >> " + log + "; echo rate=1");
  };
  options_.warm_ups = 1;
  llvm::cantFail(bench({variant("a"), variant("b"), variant("c")}, options_));
  EXPECT_EQ(llvm::cantFail(read_file(log))->getBuffer().str(), "abcabcabcabcabcabcabcabc");
}

TEST_F(PairedRuns, AtLeastSevenRoundsPastTheTimeBudget) {
  options_.pairs = 1000;
  options_.budget_seconds = 1e-9;
  BenchResult result = llvm::cantFail(bench({scripts_.variant("a", "echo rate=1")}, options_));
  EXPECT_EQ(result.rounds, 7u);
}

TEST_F(PairedRuns, ArePinnedToOneCpu) {
  Variant a = scripts_.variant("a", "echo rate=$(nproc)");
  EXPECT_THAT(llvm::cantFail(bench({a}, options_)).variants[0].samples, Each(1));
}

TEST_F(PairedRuns, CpuTimeIsTheDefaultMetric) {
  options_.metric = Metric{};
  Variant light = scripts_.variant("light", "i=0; while [ $i -lt 4000 ]; do i=$((i+1)); done; sleep 0.05");
  Variant heavy = scripts_.variant("heavy", "i=0; while [ $i -lt 80000 ]; do i=$((i+1)); done");
  EXPECT_LT(llvm::cantFail(bench({light, heavy}, options_)).variants[1].ratio.median, 1);
}

TEST_F(PairedRuns, AVariantThatFailsIsAnErrorWithItsWords) {
  EXPECT_THAT(
      error({scripts_.variant("a", "echo rate=1"), scripts_.variant("b", "echo no luck >&2; exit 9")}),
      HasSubstr("b failed with status 9: no luck"));
}

TEST_F(PairedRuns, AMetricThatIsNotThere) {
  EXPECT_THAT(error({scripts_.variant("a", "echo speed=1")}), HasSubstr("holds no number for the metric"));
  EXPECT_THAT(error({scripts_.variant("a", "echo rate=0")}), HasSubstr("the metric of a is 0"));
}

TEST(Metrics, AreParsed) {
  EXPECT_EQ(llvm::cantFail(parse_metric("cpu")).kind, Metric::CpuTime);
  EXPECT_EQ(llvm::cantFail(parse_metric("wall")).kind, Metric::WallTime);
  EXPECT_TRUE(llvm::cantFail(parse_metric("pps=([0-9.]+)")).higher_is_better);
  EXPECT_THAT(llvm::toString(parse_metric("pps").takeError()), HasSubstr("has 0 groups"));
  EXPECT_THAT(llvm::toString(parse_metric("(").takeError()), HasSubstr("parentheses"));
}

TEST_F(PairedRuns, TextHasRatioIntervalAndMachine) {
  BenchResult result = llvm::cantFail(
      bench({scripts_.variant("original", "echo rate=10"), scripts_.variant("optimized", "echo rate=12")},
            options_));
  std::string text;
  llvm::raw_string_ostream out(text);
  print_bench(result, out);
  EXPECT_THAT(text, HasSubstr("ratio 1.200  [1.200, 1.200] at 98.4 %"));
  EXPECT_THAT(text, HasSubstr("7 rounds in turn on CPU"));
}

TEST_F(PairedRuns, JsonIsWhole) {
  BenchResult result = llvm::cantFail(bench({scripts_.variant("original", "echo rate=10")}, options_));
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  json.object([&] { write_bench(result, json); });
  auto value = llvm::cantFail(llvm::json::parse(text));
  const llvm::json::Object& variant = *(*value.getAsObject()->getArray("variants"))[0].getAsObject();
  EXPECT_THAT(*variant.getArray("samples"), SizeIs(7));
  EXPECT_THAT(*variant.getArray("ratio_ci"), SizeIs(2));
}

} // namespace
