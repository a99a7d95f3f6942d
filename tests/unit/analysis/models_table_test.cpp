#include "analysis/external_models.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace heddle;

TEST(ModelsTable, clauses_are_parsed) {
  const ExternalModel* copy = find_model("memcpy");
  ASSERT_TRUE(copy);
  ASSERT_EQ(copy->clauses.size(), 2u);
  EXPECT_EQ(copy->clauses[0].kind, ModelClause::Kind::Copy);
  EXPECT_EQ(copy->clauses[0].argument, 0);
  EXPECT_EQ(copy->clauses[0].source_argument, 1);
  EXPECT_EQ(copy->clauses[0].size_argument, 2);
}

TEST(ModelsTable, allocators_return_fresh_memory_and_exits_do_not_return) {
  EXPECT_TRUE(find_model("malloc")->has_fresh_result());
  EXPECT_TRUE(find_model("rte_zmalloc")->has_fresh_result());
  EXPECT_FALSE(find_model("strchr")->has_fresh_result());
  EXPECT_FALSE(find_model("exit")->returns);
  EXPECT_EQ(find_model("no_such_function"), nullptr);
}

static bool models_fit(const char* definition) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(definition, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  llvm::Error error = check_models(*module);
  bool fit = !error;
  llvm::consumeError(std::move(error));
  return fit;
}

TEST(ModelsTable, a_function_that_lost_an_argument_of_its_model_is_an_error) {
  EXPECT_TRUE(
      models_fit("define internal i16 @rte_eth_rx_burst(i16 %p, i16 %q, ptr %a, i16 %n) { ret i16 0 }"));
  EXPECT_FALSE(models_fit("define internal i16 @rte_eth_rx_burst(i16 %p, ptr %a) { ret i16 0 }"));
  EXPECT_FALSE(
      models_fit("define internal i16 @rte_eth_tx_burst.3(i16 %p, i16 %q, i64 %a, i16 %n) { ret i16 0 }"));
}

TEST(ModelsTable, callbacks_have_their_arguments) {
  const ExternalModel* sort = find_model("qsort");
  const ModelClause& call = sort->clauses.back();
  EXPECT_EQ(call.kind, ModelClause::Kind::Call);
  EXPECT_EQ(call.argument, 3);
  ASSERT_EQ(call.actuals.size(), 2u);
  EXPECT_EQ(call.actuals[0].source, ModelClause::Source::Into);
}
