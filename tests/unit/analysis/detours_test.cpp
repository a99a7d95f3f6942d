// Which rare blocks may count as common: in these functions, rare is what is named so.
#include "analysis/detours.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A packet's `p`, with a field at 0 that common code writes, one at 4 that it reads, and one at 8; the blocks from `rest` on.
std::vector<std::string> detours_in(const std::string& rest) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::string text = R"(
    @packet = internal global [3 x i32] zeroinitializer
    declare void @other()
    declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
    define void @caller() {
      call void @body(ptr @packet)
      ret void
    }
    define internal void @body(ptr %p) {
    begin:
      %third = getelementptr i8, ptr %p, i64 8
      %second = getelementptr i8, ptr %p, i64 4
      %n = load i32, ptr %second
      %seldom = icmp ugt i32 %n, 7
      br i1 %seldom, label %rare, label %end
    )" + rest + R"(
    end:
      store i32 %n, ptr %p
      ret void
    })";
  auto module = llvm::parseAssemblyString(text, problem, context);
  if (!module) {
    ADD_FAILURE() << problem.getMessage().str();
    return {};
  }
  auto points_to = PointsTo::run(*module);
  auto rare = [](const llvm::BasicBlock& block) { return block.getName().starts_with("rare"); };
  std::vector<std::string> names;
  for (const llvm::BasicBlock* block : detours(*module->getFunction("body"), *points_to, rare))
    names.push_back(block->getName().str());
  return names;
}

TEST(Detours, TouchWhatCommonCodeTouches) {
  EXPECT_THAT(detours_in("rare:\n store i32 1, ptr %p\n br label %end"), UnorderedElementsAre("rare"));
  EXPECT_THAT(
      detours_in("rare:\n call void @llvm.memset.p0.i64(ptr %p, i8 48, i64 4, i1 false)\n br label %end"),
      UnorderedElementsAre("rare"));
  EXPECT_THAT(detours_in("rare:\n %x = load i32, ptr %p\n br label %end"), UnorderedElementsAre("rare"));
  EXPECT_THAT(detours_in("rare:\n br label %end"), UnorderedElementsAre("rare"));
}

TEST(Detours, WriteNothingThatCommonCodeOnlyReadsOrDoesNotTouch) {
  EXPECT_THAT(detours_in("rare:\n store i32 1, ptr %second\n br label %end"), IsEmpty());
  EXPECT_THAT(detours_in("rare:\n store i32 1, ptr %third\n br label %end"), IsEmpty());
  EXPECT_THAT(detours_in("rare:\n %x = load i32, ptr %third\n br label %end"), IsEmpty());
}

TEST(Detours, CallNothingAndAreNotAtomic) {
  EXPECT_THAT(detours_in("rare:\n call void @other()\n br label %end"), IsEmpty());
  EXPECT_THAT(detours_in("rare:\n store volatile i32 1, ptr %p\n br label %end"), IsEmpty());
  EXPECT_THAT(detours_in("rare:\n %x = atomicrmw add ptr %p, i32 1 seq_cst\n br label %end"), IsEmpty());
}

TEST(Detours, AreWholeOrNotAtAll) {
  const std::string loop = "rare:\n br label %rare.loop\nrare.loop:\n store i32 1, ptr %p\n br i1 %seldom, "
                           "label %rare.loop, label ";
  EXPECT_THAT(detours_in(loop + "%end"), UnorderedElementsAre("rare", "rare.loop"));
  EXPECT_THAT(detours_in(loop + "%rare.last\nrare.last:\n call void @other()\n br label %end"), IsEmpty());
  EXPECT_THAT(detours_in("rare:\n ret void"), IsEmpty());
}

TEST(Detours, LeadNowhereButOnwards) {
  const std::string before = R"(rare:
      br label %again
    again:
      store i32 2, ptr %p
      br i1 %seldom, label %rare.back, label %end
    rare.back:
      store i32 1, ptr %p
      br label )";
  EXPECT_THAT(detours_in(before + "%end"), UnorderedElementsAre("rare.back"));
  EXPECT_THAT(detours_in(before + "%again"), IsEmpty()); // it would make a loop of common code
}

} // namespace
} // namespace heddle
