// Reads of bytes that are the same in all entries.
#include "specialize/inline_table.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace heddle;

namespace {

// The field at 0 decides, the one at 4 does not; a wide read reaches both, a volatile one is left alone.
constexpr const char* program = R"(
declare ptr @lookup(ptr)
define i32 @read(ptr %key) {
  %value = call ptr @lookup(ptr %key)
  %first = load i32, ptr %value
  %is_one = icmp eq i32 %first, 1
  %at = getelementptr i8, ptr %value, i64 4
  %second = load i32, ptr %at
  %third = load volatile i32, ptr %value
  %beyond = getelementptr i8, ptr %value, i64 8
  %outside = load i32, ptr %beyond
  %sum = add i32 %second, %third
  %more = add i32 %sum, %outside
  %result = select i1 %is_one, i32 %more, i32 0
  ret i32 %result
}
)";

struct Parsed {
  LLVMContext context;
  std::unique_ptr<Module> module;
  CallInst* lookup = nullptr;

  Parsed() {
    SMDiagnostic problem;
    module = parseAssemblyString(program, problem, context);
    lookup = cast<CallInst>(&*inst_begin(module->getFunction("read")));
  }
  size_t loads() const {
    return count_if(instructions(module->getFunction("read")),
                    [](const Instruction& i) { return isa<LoadInst>(i); });
  }
};

Table table_of(std::vector<std::string> values) {
  Table table{"t", TableKind::Exact, 4, 8, 64, {}};
  for (std::string& value : values)
    table.entries.push_back({std::string(4, static_cast<char>(table.entries.size())), std::move(value)});
  return table;
}

const std::string one("\1\0\0\0", 4), two("\2\0\0\0", 4);

} // namespace

TEST(ConstantFields, FoldsWhatAllEntriesShare) {
  Parsed parsed;
  Table table = table_of({one + one, one + two});
  EXPECT_EQ(count_deciding_fields(*parsed.lookup, table), 1U);
  EXPECT_EQ(fold_constant_fields(*parsed.lookup, table), 1U);
  EXPECT_EQ(parsed.loads(), 3U);
  EXPECT_FALSE(verifyModule(*parsed.module, &errs()));
}

TEST(ConstantFields, LeavesWhatDiffers) {
  Parsed parsed;
  Table table = table_of({one + one, two + two});
  EXPECT_EQ(count_deciding_fields(*parsed.lookup, table), 0U);
  EXPECT_EQ(fold_constant_fields(*parsed.lookup, table), 0U);
  EXPECT_EQ(parsed.loads(), 4U);
}

TEST(ConstantFields, LeavesBytesThatTheProgramChanges) {
  Parsed parsed;
  Table table = table_of({one + one, one + two});
  table.written = {{3, 4}};
  EXPECT_EQ(count_deciding_fields(*parsed.lookup, table), 0U);
  EXPECT_EQ(fold_constant_fields(*parsed.lookup, table), 0U);
  table.written = {{4, 8}};
  EXPECT_EQ(table.written_bytes(), 4U);
  EXPECT_EQ(count_deciding_fields(*parsed.lookup, table), 1U);
}

TEST(ConstantFields, AFieldThatDecidesNothingIsNotWorthACheck) {
  Parsed parsed;
  EXPECT_EQ(count_deciding_fields(*parsed.lookup, table_of({one + two, two + two})), 0U);
}
