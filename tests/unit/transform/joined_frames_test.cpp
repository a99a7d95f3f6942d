#include "ir.h"
#include "transform/frames.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::test;

namespace {

struct Case {
  const char* name;
  const char* text; // a module in which @context is marked and @body calls it
  unsigned joined;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class JoinedFrames : public ::testing::TestWithParam<Case> {};

TEST_P(JoinedFrames, OnlyWhereTheCompilerCan) {
  LLVMContext context;
  auto module = parse(context, GetParam().text);
  mark_context(*module->getFunction("context"));
  if (Function* outer = module->getFunction("outer")) mark_context(*outer);
  auto result = join_frames(*module);
  EXPECT_EQ(result.performed, GetParam().joined);
  EXPECT_EQ(module->getFunction("context") == nullptr, GetParam().joined > 0);
  EXPECT_EQ(valid(*module), "");
  EXPECT_EQ(join_frames(*module).possible, 0u); // done once
}

const Case cases[] = {
    {"one call", R"(
define internal i32 @context(i32 %a) noinline { ret i32 %a }
define i32 @body(i32 %a) { %r = call i32 @context(i32 %a) ret i32 %r })",
     1},
    {"a chain", R"(
define internal i32 @context(i32 %a) { ret i32 %a }
define internal i32 @outer(i32 %a) { %r = call i32 @context(i32 %a) ret i32 %r }
define i32 @body(i32 %a) { %r = call i32 @outer(i32 %a) ret i32 %r })",
     2},
    {"an invoke", R"(
declare i32 @__gxx_personality_v0(...)
declare void @other()
define internal i32 @context(i32 %a) { call void @other() ret i32 %a }
define i32 @body(i32 %a) personality ptr @__gxx_personality_v0 {
  %r = invoke i32 @context(i32 %a) to label %good unwind label %bad
good:
  ret i32 %r
bad:
  %e = landingpad { ptr, i32 } cleanup
  ret i32 0
})",
     1},
    {"two calls", R"(
define internal i32 @context(i32 %a) { ret i32 %a }
define i32 @body(i32 %a) { %r = call i32 @context(i32 %a) %s = call i32 @context(i32 %r) ret i32 %s })",
     0},
    {"its address is taken", R"(
define internal i32 @context(i32 %a) { ret i32 %a }
define ptr @body(i32 %a) { ret ptr @context })",
     0},
    {"variable arguments", R"(
declare void @llvm.va_start(ptr)
define internal i32 @context(i32 %a, ...) { %l = alloca [24 x i8] call void @llvm.va_start(ptr %l) ret i32 %a }
define i32 @body(i32 %a) { %r = call i32 (i32, ...) @context(i32 %a, i32 1) ret i32 %r })",
     0},
    {"setjmp", R"(
declare i32 @setjmp(ptr) returns_twice
define internal i32 @context(ptr %a) { %r = call i32 @setjmp(ptr %a) returns_twice ret i32 %r }
define i32 @body(ptr %a) { %r = call i32 @context(ptr %a) ret i32 %r })",
     0},
    {"other features of the processor", R"(
define internal i32 @context(i32 %a) "target-features"="+avx2" { ret i32 %a }
define i32 @body(i32 %a) { %r = call i32 @context(i32 %a) ret i32 %r })",
     0},
    {"recursive", R"(
define internal i32 @context(i32 %a) { %r = call i32 @context(i32 %a) ret i32 %r })",
     0},
};

INSTANTIATE_TEST_SUITE_P(Frames, JoinedFrames, ::testing::ValuesIn(cases));

} // namespace
