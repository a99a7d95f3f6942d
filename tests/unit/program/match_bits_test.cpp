// A bucket's slots compared with a key become one comparison of a vector, where all of them are loaded and nothing is written in between.
#include "program/match_bits.h"
#include "program/pipeline.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace heddle;

namespace {

struct Slots {
  unsigned count = 4, first_bit = 0, step = 1; // of elements
  std::string between = "";                    // the second and the third
  std::string made = "%s";                     // of an element, what is compared
};

// matches(bucket, key), as the optimiser leaves it of a loop.
std::string text_of(const Slots& slots) {
  std::string text = "target triple = \"x86_64-unknown-linux-gnu\"\ndeclare void @unknown()\n"
                     "define i32 @matches(ptr %bucket, i32 %key, ptr %other) #0 {\n  %or0 = add i32 0, 0\n";
  for (unsigned k = 0; k != slots.count; ++k) {
    const unsigned bit = k + slots.first_bit;
    if (k == 2) text += slots.between;
    text += formatv("  %p{0} = getelementptr i32, ptr %bucket, i64 {1}\n", k, k * slots.step);
    text += formatv("  %s{0} = load i32, ptr %p{0}\n", k);
    if (slots.made == "%x") text += formatv("  %x{0} = lshr i32 %s{0}, 8\n", k);
    text += formatv("  %c{0} = icmp eq i32 {1}{0}, %key\n", k, slots.made);
    text += bit == 0 ? std::string("  %b0 = zext i1 %c0 to i32\n")
                     : formatv("  %b{0} = select i1 %c{0}, i32 {1}, i32 0\n", k, 1U << bit).str();
    text += formatv("  %or{0} = or i32 %or{1}, %b{1}\n", k + 1, k);
  }
  return text + formatv("  ret i32 %or{0}\n", slots.count).str() +
         "}\nattributes #0 = { \"target-features\"=\"+avx2\" }\n";
}

// How many loads there are then, and of how many bits the comparison is.
std::pair<unsigned, unsigned> joined(const Slots& slots) {
  LLVMContext context;
  SMDiagnostic problem;
  const std::string text = text_of(slots);
  auto module = parseIR(MemoryBufferRef(text, "test"), problem, context);
  EXPECT_NE(module, nullptr) << problem.getMessage().str() << text;
  auto machine = cantFail(target_machine(*module));
  Function& function = *module->getFunction("matches");
  join_matches(function, machine->getTargetTransformInfo(function));
  EXPECT_FALSE(verifyModule(*module, &errs()));
  unsigned loads = 0, bits = 0;
  for (const Instruction& instruction : instructions(function)) {
    loads += isa<LoadInst>(instruction);
    if (auto* vector = dyn_cast<FixedVectorType>(instruction.getType()); vector && isa<ICmpInst>(instruction))
      bits = vector->getNumElements();
  }
  return {loads, bits};
}

TEST(MatchBits, AreOneComparison) {
  EXPECT_EQ(joined({}), std::pair(1U, 4U));
  EXPECT_EQ(joined({.count = 8}), std::pair(1U, 8U));
  EXPECT_EQ(joined({.count = 8, .first_bit = 3}), std::pair(1U, 8U));
}

TEST(MatchBits, MayBeMadeOfTheElements) {
  EXPECT_EQ(joined({.made = "%x"}), std::pair(1U, 4U));
}

TEST(MatchBits, StayWhereSomethingMayBeWrittenInBetween) {
  EXPECT_EQ(joined({.between = "  store i32 1, ptr %other\n"}), std::pair(4U, 0U));
  EXPECT_EQ(joined({.between = "  call void @unknown()\n"}), std::pair(4U, 0U));
  EXPECT_EQ(joined({.between = "  %o = load i32, ptr %other\n"}), std::pair(2U, 4U));
}

TEST(MatchBits, StayWhereElementsAreApartOrFew) {
  EXPECT_EQ(joined({.step = 2}), std::pair(4U, 0U));
  EXPECT_EQ(joined({.count = 2}), std::pair(2U, 0U));
  EXPECT_EQ(joined({.count = 6}), std::pair(6U, 0U));
}

} // namespace
