// What a program does to its maps: bytes that it changes in place, and what is not understood.
#include "specialize/bpf/sites.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace heddle;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

// The uses of @map in a program that looks a value up and goes on with `body`.
MapUses uses_in(const std::string& body) {
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString(R"(
@map = global [8 x i8] zeroinitializer, section ".maps"
define i64 @program(ptr %key, i64 %number) {
entry:
  %value = call ptr inttoptr (i64 1 to ptr)(ptr @map, ptr %key)
)" + body + "}\n",
                                    problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  MapUses uses = find_map_uses(*module).front();
  uses.map = nullptr; // it goes with the module
  uses.lookups.clear();
  uses.updates.clear();
  return uses;
}

} // namespace

TEST(Sites, AValueThatIsOnlyReadIsNotWritten) {
  MapUses uses = uses_in("  %read = load i64, ptr %value\n  ret i64 %read\n");
  EXPECT_EQ(uses.reason, "");
  EXPECT_THAT(uses.written, IsEmpty());
}

TEST(Sites, WritesAtFixedPlacesAreTheirBytesAlone) {
  MapUses uses = uses_in(R"(
  %count = getelementptr i8, ptr %value, i64 8
  %before = atomicrmw add ptr %count, i64 1 seq_cst
  %mark = getelementptr i8, ptr %count, i64 -4
  store i16 7, ptr %mark
  store i16 8, ptr %mark
  ret i64 0
)");
  EXPECT_EQ(uses.reason, "");
  EXPECT_THAT(uses.written, testing::UnorderedElementsAre((ByteRange{8, 16}), (ByteRange{4, 6})));
  EXPECT_EQ(uses.first_write, "program");
}

TEST(Sites, AWriteThatMayBeAnywhereChangesTheMap) {
  MapUses uses =
      uses_in("  %at = getelementptr i8, ptr %value, i64 %number\n  store i8 1, ptr %at\n  ret i64 0\n");
  EXPECT_EQ(uses.reason, "data-plane-writes");
}

TEST(Sites, APointerThatMovesInALoopMayBeAnywhere) {
  MapUses uses = uses_in(R"(
  br label %loop
loop:
  %at = phi ptr [%value, %entry], [%next, %loop]
  store i8 1, ptr %at
  %next = getelementptr i8, ptr %at, i64 1
  %more = icmp eq ptr %next, null
  br i1 %more, label %loop, label %end
end:
  ret i64 0
)");
  EXPECT_EQ(uses.reason, "data-plane-writes");
}

TEST(Sites, TheSamePlaceByTwoWaysIsOnePlace) {
  MapUses uses = uses_in(R"(
  %one = getelementptr i8, ptr %value, i64 8
  %other = getelementptr i64, ptr %value, i64 1
  %which = icmp eq i64 %number, 0
  %either = select i1 %which, ptr %one, ptr %other
  store i32 1, ptr %either
  ret i64 0
)");
  EXPECT_EQ(uses.reason, "");
  EXPECT_THAT(uses.written, ElementsAre(ByteRange{8, 12}));
}

TEST(Sites, AStoredPointerEscapes) {
  EXPECT_EQ(uses_in("  store ptr %value, ptr %key\n  ret i64 0\n").reason, "value-escapes");
  EXPECT_EQ(uses_in("  %old = atomicrmw xchg ptr %key, ptr %value seq_cst\n  ret i64 0\n").reason,
            "value-escapes");
}

TEST(Sites, AnUpdateIsNoWriteInPlace) {
  MapUses uses = uses_in("  %done = call i64 inttoptr (i64 2 to ptr)(ptr @map, ptr %key, ptr %value, i64 0)\n"
                         "  ret i64 %done\n");
  EXPECT_EQ(uses.reason, "data-plane-updates");
}
