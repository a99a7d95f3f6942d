// Ways multiply along a path, and not between sides of a branch.
#include "specialize/ways.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include "gmock/gmock.h"

using namespace llvm;
using namespace heddle;
using testing::ElementsAre;

namespace {

// Lookups in turn: one in front, one on each side, one in a loop behind.
constexpr const char* program = R"(
declare i1 @look_up()
define void @run() {
entry:
  %first = call i1 @look_up()
  br i1 %first, label %left, label %right
left:
  %second = call i1 @look_up()
  br label %loop
right:
  %third = call i1 @look_up()
  br label %loop
loop:
  %fourth = call i1 @look_up()
  br i1 %fourth, label %loop, label %end
end:
  ret void
}
)";

Ways ways_of(std::vector<uint64_t> counts) {
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString(program, problem, context);
  Function& function = *module->getFunction("run");
  std::vector<Cases> sites;
  for (Instruction& instruction : instructions(function))
    if (auto* call = dyn_cast<CallInst>(&instruction)) sites.push_back({call, counts[sites.size()]});
  return most_ways(function, sites);
}

} // namespace

TEST(Ways, MultiplyAlongThePathThatHasMost) {
  Ways ways = ways_of({2, 3, 5, 7});
  EXPECT_EQ(ways.count, 2u * 5 * 7);
  EXPECT_THAT(ways.sites, ElementsAre(0, 2, 3));
}

TEST(Ways, AreCountedUpToTheMostThatThereIsANumberFor) {
  EXPECT_EQ(ways_of({uint64_t(1) << 40, 2, 1, uint64_t(1) << 40}).count, UINT64_MAX);
}

TEST(Ways, OneWhereNothingIsCompared) {
  EXPECT_EQ(ways_of({1, 1, 1, 1}).count, 1u);
}
