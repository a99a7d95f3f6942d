// Which addresses can be made where packets step aside for another load.
#include "program/address_slice.h"

#include "program/expensive.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>

using namespace llvm;
using testing::HasSubstr;

namespace heddle {
namespace {

// Of @f, whose first mark is the place and whose last the load: "makes N", with the loads it makes anew, or why not. What was made is
// verified.
std::string sliced(const std::string& body) {
  LLVMContext context;
  SMDiagnostic problem;
  auto module =
      parseAssemblyString("declare void @heddle_expensive_load(ptr nocapture readnone, i32) #0\n" + body +
                              "\ndeclare void @unknown()\n"
                              "attributes #0 = { nounwind willreturn nofree nosync nocallback "
                              "memory(inaccessiblemem: readwrite) }",
                          problem, context);
  if (!module) return problem.getMessage().str();
  const AddressSlicer slicer(*module->getFunction("f"));
  const CallBase &at = *slicer.marks().front(), &load = *slicer.marks().back();
  if (!slicer.comes_before(at, load)) return "comes by other ways";
  const AddressSlice slice = slicer.slice(load, at);
  if (!slice.obstacle.empty()) return slice.obstacle;
  auto& before = const_cast<CallBase&>(at);
  fetch_hidden(before, *make_address(load, slice, before), 2);
  if (verifyModule(*module)) return "is no code";
  const auto loads = count_if(slice.made, [](const Instruction* made) { return isa<LoadInst>(made); });
  return "makes " + std::to_string(slice.made.size()) + ", loads " + std::to_string(loads);
}

// What waits for the first line, and makes the second address by way of `how`.
std::string behind_first(const std::string& how) {
  return sliced("define i64 @f(ptr %table, ptr %packet, i64 %key, i1 %which) {\n"
                "  %first = getelementptr i64, ptr %table, i64 %key\n"
                "  call void @heddle_expensive_load(ptr %first, i32 -1)\n"
                "  br label %waits\n"
                "waits:\n"
                "  %x = load i64, ptr %first\n" +
                how +
                "  %second = getelementptr i64, ptr %table, i64 %other\n"
                "  call void @heddle_expensive_load(ptr %second, i32 -1)\n"
                "  br label %end\n"
                "end:\n"
                "  %y = load i64, ptr %second\n"
                "  %sum = add i64 %x, %y\n"
                "  ret i64 %sum\n}");
}

TEST(AddressSlice, ArithmeticIsMadeAnew) {
  EXPECT_EQ(behind_first("%product = mul i64 %key, 77\n %other = lshr i64 %product, 40\n"),
            "makes 3, loads 0");
}

TEST(AddressSlice, WhatTheFirstBringsIsNotKnown) {
  EXPECT_THAT(behind_first("%other = and i64 %x, 255\n"), HasSubstr("what another expensive load brings"));
}

TEST(AddressSlice, ALoadThatIsSureToBeMadeIsMadeEarlier) {
  EXPECT_EQ(behind_first("%other = load i64, ptr %packet\n"), "makes 2, loads 1");
}

TEST(AddressSlice, ALoadOnSomeWaysMightFault) {
  const std::string then = "br i1 %which, label %then, label %rest\nthen:\n%other = load i64, ptr %packet\n"
                           "%z = add i64 %other, 1\nbr label %go\nrest: ret i64 0\ngo:\n";
  EXPECT_THAT(behind_first(then), HasSubstr("might fault there"));
}

TEST(AddressSlice, OneFromKnownMemoryDoesNot) {
  EXPECT_EQ(
      sliced("define i64 @f(ptr %table, ptr dereferenceable(8) align 8 %packet, i1 %which) nofree nosync {\n"
             "  call void @heddle_expensive_load(ptr %table, i32 -1)\n"
             "  br label %waits\n"
             "waits: br i1 %which, label %then, label %rest\n"
             "rest: ret i64 0\n"
             "then:\n"
             "  %other = load i64, ptr %packet\n"
             "  %second = getelementptr i64, ptr %table, i64 %other\n"
             "  call void @heddle_expensive_load(ptr %second, i32 -1)\n"
             "  br label %rest\n}"),
      "makes 2, loads 1");
}

TEST(AddressSlice, ALoadBehindWhatMayNotComeBackMightFault) {
  EXPECT_THAT(behind_first("call void @unknown()\n %other = load i64, ptr %packet\n"),
              HasSubstr("might fault there"));
}

TEST(AddressSlice, ALoadBehindALoopMightFault) {
  EXPECT_THAT(behind_first("br label %loop\nloop: br i1 %which, label %loop, label %out\nout:\n"
                           "%other = load i64, ptr %packet\n"),
              HasSubstr("might fault there"));
}

TEST(AddressSlice, WhatAPointerLeadsToIsReadIfNothingIsWritten) {
  const std::string links = "%link = load ptr, ptr %packet\n %other = load i64, ptr %link\n";
  EXPECT_EQ(behind_first(links), "makes 3, loads 2");
  EXPECT_THAT(behind_first("%out = getelementptr i8, ptr %packet, i64 64\n store i64 0, ptr %out\n" + links),
              HasSubstr("might fault there"));
}

TEST(AddressSlice, WhatIsWrittenOnTheWayIsNotReadBefore) {
  EXPECT_THAT(behind_first("store i64 %x, ptr %packet\n %other = load i64, ptr %packet\n"),
              HasSubstr("written on the way"));
}

TEST(AddressSlice, AVolatileLoadIsNotMadeTwice) {
  EXPECT_THAT(behind_first("%other = load volatile i64, ptr %packet\n"), HasSubstr("volatile"));
}

TEST(AddressSlice, ADivisionMightTrapUnlessItIsSureToBeMade) {
  EXPECT_EQ(behind_first("%other = udiv i64 %key, 10\n"), "makes 2, loads 0");
  EXPECT_EQ(behind_first("%by = load i64, ptr %packet\n %other = udiv i64 9, %by\n"), "makes 3, loads 1");
  EXPECT_THAT(
      behind_first("br i1 %which, label %then, label %rest\nthen: %other = udiv i64 9, %key\nbr label %go\n"
                   "rest: ret i64 0\ngo:\n"),
      HasSubstr("might trap there"));
}

TEST(AddressSlice, AValueOfTwoWaysIsNotKnown) {
  EXPECT_THAT(behind_first("br i1 %which, label %then, label %go\nthen: br label %go\n"
                           "go: %other = phi i64 [ 7, %then ], [ %key, %waits ]\n"),
              HasSubstr("depends on the way there"));
}

// As where functions were joined.
TEST(AddressSlice, MarksMayStandInOneBlock) {
  EXPECT_EQ(sliced("define i64 @f(ptr %table, ptr %packet, i64 %key) {\n"
                   "  %first = getelementptr i64, ptr %table, i64 %key\n"
                   "  call void @heddle_expensive_load(ptr %first, i32 -1)\n"
                   "  %x = load i64, ptr %first\n"
                   "  %other = load i64, ptr %packet\n"
                   "  %second = getelementptr i64, ptr %table, i64 %other\n"
                   "  call void @heddle_expensive_load(ptr %second, i32 -1)\n"
                   "  ret i64 %x\n}"),
            "makes 2, loads 1");
}

TEST(AddressSlice, AnOldValueWillDo) {
  EXPECT_EQ(sliced("define i64 @f(ptr %app, ptr %counts, i64 %key, i1 %which) {\n"
                   "  %mask = load i64, ptr %app\n"
                   "  %masked = and i64 %key, %mask\n"
                   "  %first = getelementptr i64, ptr null, i64 %masked\n"
                   "  call void @heddle_expensive_load(ptr %first, i32 -1)\n"
                   "  br label %waits\n"
                   "waits: br i1 %which, label %then, label %rest\n"
                   "rest: ret i64 0\n"
                   "then:\n"
                   "  store i64 1, ptr %counts\n"
                   "  %again = load i64, ptr %app\n"
                   "  %product = mul i64 %key, 77\n"
                   "  %other = and i64 %product, %again\n"
                   "  %second = getelementptr i64, ptr null, i64 %other\n"
                   "  call void @heddle_expensive_load(ptr %second, i32 -1)\n"
                   "  br label %rest\n}"),
            "makes 3, loads 0");
}

} // namespace
} // namespace heddle
