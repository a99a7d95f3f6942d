#include "ir.h"
#include "transform/staging.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::test;

namespace {

// The body opens two calls of @shared and, below the second, one of @deep; @once has one use.
constexpr const char* program = R"(
define internal i32 @deep(i32 %a) memory(none) {
  br label %rest
rest:
  ret i32 %a
}
define internal i32 @shared(i32 %a) memory(none) {
  %r = call i32 @deep(i32 %a)
  br label %rest
rest:
  ret i32 %r
}
define internal i32 @once(i32 %a) {
  br label %rest
rest:
  ret i32 %a
}
define internal i32 @"heddle.body.0"(ptr %env) {
  %v = load i32, ptr %env
  %x = call i32 @shared(i32 %v)
  br label %second
second:
  %y = call i32 @shared(i32 %x) memory(none)
  br label %third
third:
  %z = call i32 @once(i32 %y)
  br label %end
end:
  ret i32 %z
}
declare i32 @heddle_run_loop(ptr, ptr, i64)
define i32 @main() {
  %env = alloca i32
  %r = call i32 @heddle_run_loop(ptr @"heddle.body.0", ptr %env, i64 -1)
  ret i32 %r
}
)";

class OpenedContexts : public ::testing::Test {
protected:
  OpenedContexts() : module(parse(context, program)), blocks(*module) {
    plan = plan_for("heddle.body.0");
    add(0, "heddle.body.0", 0, "shared"); // 1
    add(0, "heddle.body.0", 1, "shared"); // 2
    add(2, "shared", 0, "deep");          // 3
    add(0, "heddle.body.0", 2, "once");   // 4
  }

  uint32_t id(StringRef function, unsigned block) {
    return blocks.id(&*std::next(module->getFunction(function)->begin(), block));
  }
  void add(uint32_t parent, StringRef caller, unsigned block, StringRef callee) {
    CutContext opened;
    opened.parent = parent;
    opened.call_block = id(caller, block);
    opened.function = callee.str();
    plan.contexts.push_back(opened);
  }
  Function* callee(StringRef function, unsigned block) {
    auto at = std::next(module->getFunction(function)->begin(), block);
    return cast<CallBase>(at->getTerminator()->getPrevNode())->getCalledFunction();
  }
  std::string failure() {
    auto applied = apply_plan(*module, plan, blocks);
    return applied ? "" : message(applied.takeError());
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
  BlockTable blocks;
  BodyPlan plan;
};

TEST_F(OpenedContexts, OnlyTheChainThatHoldsASiteIsCopied) {
  plan.sites.push_back(site(3, id("deep", 0), id("deep", 1), 1));
  auto result = apply_plan(*module, plan, blocks);
  ASSERT_TRUE(bool(result)) << message(result.takeError());
  EXPECT_EQ(result->cloned, 2u);
  EXPECT_EQ(result->sites, 1u);
  EXPECT_EQ(callee("heddle.body.0", 0)->getName(), "shared");
  EXPECT_EQ(callee("heddle.body.0", 1)->getName(), "shared.heddle.ctx2");
  EXPECT_EQ(callee("shared.heddle.ctx2", 0)->getName(), "deep.heddle.ctx3");
  EXPECT_EQ(callee("shared", 0)->getName(), "deep");
  EXPECT_EQ(module->getFunction("deep")->size(), 2u);
  EXPECT_EQ(module->getFunction("deep.heddle.ctx3")->size(), 5u);
}

TEST_F(OpenedContexts, AFunctionWithOneUseIsEditedInPlace) {
  plan.sites.push_back(site(4, id("once", 0), id("once", 1), 1));
  auto result = apply_plan(*module, plan, blocks);
  ASSERT_TRUE(bool(result)) << message(result.takeError());
  EXPECT_EQ(result->cloned, 0u);
  EXPECT_EQ(result->in_place, 1u);
  EXPECT_EQ(module->getFunction("once")->size(), 5u);
}

TEST_F(OpenedContexts, SitesOnOneEdgeBecomeOneOfTheHighestStage) {
  plan.sites.push_back(site(0, id("heddle.body.0", 0), id("heddle.body.0", 1), 1));
  plan.sites.push_back(site(0, id("heddle.body.0", 0), id("heddle.body.0", 1), 4));
  auto result = apply_plan(*module, plan, blocks);
  ASSERT_TRUE(bool(result)) << message(result.takeError());
  EXPECT_EQ(result->sites, 1u);
  std::string text;
  raw_string_ostream out(text);
  module->print(out, nullptr);
  EXPECT_NE(text.find("icmp ult i32 %round, 4"), std::string::npos);
}

TEST_F(OpenedContexts, NothingIsAssumedOfCallsThatHoldSites) {
  plan.sites.push_back(site(3, id("deep", 0), id("deep", 1), 1));
  ASSERT_EQ(failure(), "");
  EXPECT_FALSE(module->getFunction("shared.heddle.ctx2")->hasFnAttribute(Attribute::Memory));
  EXPECT_TRUE(module->getFunction("shared")->hasFnAttribute(Attribute::Memory));
  for (const Instruction& instruction : *std::next(module->getFunction("heddle.body.0")->begin()))
    if (const auto* call = dyn_cast<CallBase>(&instruction)) {
      EXPECT_FALSE(call->hasFnAttr(Attribute::Memory));
    }
}

TEST_F(OpenedContexts, UnknownBodyIsRefused) {
  plan.body = "heddle.body.7";
  EXPECT_NE(failure().find("heddle.body.7, which the program does not have"), std::string::npos);
}

TEST_F(OpenedContexts, UnknownBlockIsRefused) {
  plan.sites.push_back(site(0, 12345, 0, 1));
  EXPECT_NE(failure().find("block 12345 is not in heddle.body.0"), std::string::npos);
}

TEST_F(OpenedContexts, BlockOfAnotherFunctionIsRefused) {
  plan.sites.push_back(site(0, id("deep", 0), id("deep", 1), 1));
  EXPECT_NE(failure().find("is not in heddle.body.0"), std::string::npos);
}

TEST_F(OpenedContexts, MissingEdgeIsRefused) {
  plan.sites.push_back(site(0, id("heddle.body.0", 0), id("heddle.body.0", 2), 1));
  EXPECT_NE(failure().find("does not exist"), std::string::npos);
}

TEST_F(OpenedContexts, UnknownContextIsRefused) {
  plan.sites.push_back(site(9, 0, 1, 1));
  EXPECT_NE(failure().find("context 9"), std::string::npos);
}

TEST_F(OpenedContexts, ContextOfAnotherCalleeIsRefused) {
  plan.contexts[1].function = "deep";
  plan.sites.push_back(site(1, id("deep", 0), id("deep", 1), 1));
  EXPECT_NE(failure().find("does not end with a call of deep"), std::string::npos);
}

} // namespace
