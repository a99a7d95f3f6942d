#include "ir.h"
#include "transform/site.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::test;

namespace {

constexpr const char* branchy = R"(
define i32 @body(ptr %env) {
entry:
  %v = load i32, ptr %env
  switch i32 %v, label %other [ i32 1, label %join
                                i32 2, label %join ]
other:
  br label %join
join:
  %p = phi i32 [ 7, %entry ], [ 7, %entry ], [ 9, %other ]
  ret i32 %p
}
)";

unsigned count_switches(const Function& function) {
  unsigned count = 0;
  for (const BasicBlock& block : function)
    for (const Instruction& instruction : block)
      if (const auto* call = dyn_cast<CallInst>(&instruction))
        count += isa<InlineAsm>(call->getCalledOperand());
  return count;
}

TEST(SiteOnEdge, ChecksTheRoundThenSwitches) {
  LLVMContext context;
  auto module = parse(context, branchy);
  Function& body = *module->getFunction("body");
  auto* from = const_cast<BasicBlock*>(block_named(body, "other"));
  auto* to = const_cast<BasicBlock*>(block_named(body, "join"));
  insert_site(*from, *to, 3);
  EXPECT_EQ(valid(*module), "");
  EXPECT_EQ(count_switches(body), 1u);
  EXPECT_FALSE(has_edge(*from, *to));
  const GlobalVariable* state = module->getNamedGlobal("heddle_this_thread");
  ASSERT_NE(state, nullptr);
  EXPECT_TRUE(state->isThreadLocal());
  EXPECT_TRUE(state->isDeclaration());
}

TEST(SiteOnEdge, TakesEveryEdgeOfASwitchToTheSameBlock) {
  LLVMContext context;
  auto module = parse(context, branchy);
  Function& body = *module->getFunction("body");
  auto* from = const_cast<BasicBlock*>(block_named(body, "entry"));
  auto* to = const_cast<BasicBlock*>(block_named(body, "join"));
  insert_site(*from, *to, 1);
  EXPECT_EQ(valid(*module), "");
  EXPECT_EQ(count_switches(body), 1u);
  EXPECT_FALSE(has_edge(*from, *to));
  EXPECT_EQ(cast<PHINode>(to->front()).getNumIncomingValues(), 2u);
}

TEST(SiteOnEdge, WideVectorRegistersAreGivenUpWhereTheFunctionHasThem) {
  LLVMContext context;
  auto module = parse(context, branchy);
  Function& body = *module->getFunction("body");
  body.addFnAttr("target-features", "+avx512f,+sse2");
  insert_site(*const_cast<BasicBlock*>(block_named(body, "other")),
              *const_cast<BasicBlock*>(block_named(body, "join")), 1);
  std::string text;
  raw_string_ostream out(text);
  module->print(out, nullptr);
  EXPECT_NE(text.find("~{xmm31}"), std::string::npos);
  EXPECT_NE(text.find("~{k7}"), std::string::npos);
}

TEST(SiteOnEdge, NoPlaceOnTheWayIntoALandingPad) {
  LLVMContext context;
  auto module = parse(context, R"(
declare void @f()
declare i32 @__gxx_personality_v0(...)
define void @g() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @f() to label %normal unwind label %pad
normal:
  ret void
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
)");
  const Function& g = *module->getFunction("g");
  const BasicBlock& entry = *block_named(g, "entry");
  EXPECT_TRUE(edge_takes_site(entry, *block_named(g, "normal")));
  EXPECT_FALSE(edge_takes_site(entry, *block_named(g, "pad")));
}

TEST(SiteOnEdge, InvokeKeepsItsNormalEdge) {
  LLVMContext context;
  auto module = parse(context, R"(
declare i32 @f()
declare i32 @__gxx_personality_v0(...)
define i32 @g() personality ptr @__gxx_personality_v0 {
entry:
  %v = invoke i32 @f() to label %normal unwind label %pad
normal:
  %p = phi i32 [ %v, %entry ]
  ret i32 %p
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
)");
  Function& g = *module->getFunction("g");
  insert_site(*const_cast<BasicBlock*>(block_named(g, "entry")),
              *const_cast<BasicBlock*>(block_named(g, "normal")), 2);
  EXPECT_EQ(valid(*module), "");
  EXPECT_EQ(count_switches(g), 1u);
}

TEST(DefaultBatch, IsAWeakConstant) {
  LLVMContext context;
  auto module = parse(context, branchy);
  define_default_batch(*module, 16);
  define_default_batch(*module, 8);
  const GlobalVariable* batch = module->getNamedGlobal("heddle_default_batch");
  ASSERT_NE(batch, nullptr);
  EXPECT_TRUE(batch->hasWeakAnyLinkage());
  EXPECT_EQ(cast<ConstantInt>(batch->getInitializer())->getZExtValue(), 8u);
}

} // namespace
