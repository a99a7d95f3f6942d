// What is the same for all packets: made of what is known before them, or loaded from where none of them writes.
#include "ir.h"
#include "transform/uniform_values.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::test;

namespace {

// A table's fields are pointers and 64-bit numbers, results are 32-bit ones: by the language's types neither is the other.
constexpr const char* source = R"(
  declare void @unknown()
  define void @run(ptr %table, ptr %results, i64 %i) {
  entry:
    %known = ptrtoint ptr %table to i64
    br label %body
  body:
    %number = phi i64 [ %i, %entry ], [ %next, %body ]
    %next = add i64 %number, 1
    %rows = load ptr, ptr %table, !tbaa !3
    %field = getelementptr i8, ptr %table, i64 8
    %mask = load i64, ptr %field, !tbaa !5
    %limit = and i64 %mask, %known
    %written = load i32, ptr %results, !tbaa !7
    %index = and i64 %number, %mask
    %row = getelementptr i32, ptr %rows, i64 %index
    %own = load i32, ptr %row, !tbaa !7
    %result = getelementptr i32, ptr %results, i64 %number
    store i32 %own, ptr %result, !tbaa !7
    %more = icmp ult i64 %next, 9
    br i1 %more, label %body, label %end
  end:
    CALL
    ret void
  }
  !0 = !{!"C"}
  !1 = !{!"char", !0, i64 0}
  !2 = !{!"pointer", !1, i64 0}
  !3 = !{!2, !2, i64 0}
  !4 = !{!"long", !1, i64 0}
  !5 = !{!4, !4, i64 0}
  !6 = !{!"int", !1, i64 0}
  !7 = !{!6, !6, i64 0}
)";

std::string uniform_with(StringRef call) {
  LLVMContext context;
  std::string text = source;
  text.replace(text.find("CALL"), 4, call);
  auto module = parse(context, text);
  Function& run = *module->getFunction("run");
  std::vector<BasicBlock*> blocks;
  for (BasicBlock& block : drop_begin(run))
    blocks.push_back(&block);
  const UniformValues found = uniform_values(run, run.getEntryBlock(), blocks);
  std::string names;
  for (const Instruction& instruction : instructions(run))
    if (found.contains(&instruction)) names += instruction.getName().str() + " ";
  return names;
}

TEST(UniformValues, AreNotWrittenByPackets) {
  EXPECT_EQ(uniform_with(""), "rows field mask limit ");
}

TEST(UniformValues, AreNotLoadedWhereAnythingMayBeWritten) {
  EXPECT_EQ(uniform_with("call void @unknown()"), "field ");
  EXPECT_EQ(uniform_with("%shared = load atomic i64, ptr %field seq_cst, align 8"), "field ");
}

TEST(UniformValues, ArePlaceByPlace) {
  EXPECT_EQ(uniform_with("store i64 0, ptr %field, !tbaa !5"), "rows field ");
}

} // namespace
