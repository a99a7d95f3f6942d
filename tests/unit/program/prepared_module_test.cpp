// What later steps rely on: normal form, numbering, identity, and the same program after saving and loading.
#include "build_and_run.h"
#include "program/inspect.h"
#include "program/modelled.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::testing {
namespace {

class PreparedModule : public ::testing::Test {
protected:
  PreparedModule() : image_(workshop_.image({HEDDLE_TEST_DIR "/programs/break_and_carried.c"})) {}

  Program program() {
    Expected<Program> program = prepare(image_);
    EXPECT_TRUE(bool(program));
    return std::move(*program);
  }

  Workshop workshop_;
  ProgramImage image_;
};

TEST_F(PreparedModule, CallsEndTheirBlocks) {
  Program program = this->program();
  unsigned calls = 0;
  for (Function& function : *program.module)
    for (Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallInst>(&instruction);
      if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm()) continue;
      ++calls;
      Instruction* next = call->getNextNonDebugInstruction();
      auto* branch = dyn_cast<BranchInst>(next);
      EXPECT_TRUE(isa<UnreachableInst>(next) || (branch && branch->isUnconditional()));
    }
  EXPECT_GT(calls, 3U);
}

TEST_F(PreparedModule, RunIsTheCallWithTheBody) {
  Program program = this->program();
  ASSERT_EQ(program.bodies.size(), 1U);
  PacketBody& body = program.bodies[0];
  EXPECT_EQ(body.run->getCalledFunction()->getName(), "heddle_run_loop");
  EXPECT_EQ(body.run->getArgOperand(0), body.body);
  EXPECT_EQ(body.body->getName(), "heddle.body.0");
  EXPECT_FALSE(body.body->doesNotThrow() && body.body->hasFnAttribute(Attribute::AlwaysInline));
  EXPECT_EQ(body.receive_at.line, 15U);
  EXPECT_EQ(body.loop_at.line, 19U);
}

TEST_F(PreparedModule, CountIsKnownOnEntry) {
  Program program = this->program();
  EXPECT_FALSE(isa<Constant>(program.bodies[0].run->getArgOperand(2)));
}

TEST_F(PreparedModule, ModelledInlinesStayCalls) {
  Program program = this->program();
  bool seen = false;
  for (Function& function : *program.module)
    seen |= source_name(function) == "rte_eth_rx_burst" && !function.use_empty();
  EXPECT_TRUE(seen);
}

TEST_F(PreparedModule, SavedAndLoadedIsTheSame) {
  Program program = this->program();
  std::string path = workshop_.path("saved.bc");
  ASSERT_FALSE(errorToBool(save_program(program, path)));
  Expected<Program> loaded = load_program(path);
  ASSERT_TRUE(bool(loaded)) << toString(loaded.takeError());
  EXPECT_EQ(loaded->id, program.id);
  ASSERT_EQ(loaded->bodies.size(), 1U);
  EXPECT_EQ(loaded->bodies[0].function, program.bodies[0].function);
  EXPECT_EQ(loaded->bodies[0].loop_at.str(), program.bodies[0].loop_at.str());
  EXPECT_NE(loaded->bodies[0].run, nullptr);
  EXPECT_EQ(loaded->remarks.size(), program.remarks.size());
  BlockTable before(*program.module), after(*loaded->module);
  ASSERT_EQ(before.size(), after.size());
  for (BlockId id = 0; id < before.size(); ++id)
    EXPECT_EQ(before.block(id)->size(), after.block(id)->size());
}

TEST_F(PreparedModule, IdDependsOnOptions) {
  PrepareOptions options;
  options.bodies = {"main:0"};
  EXPECT_EQ(program().id, program_id(image_));
  EXPECT_NE(program_id(image_), program_id(image_, options));
}

TEST_F(PreparedModule, OtherFilesAreNoPreparedPrograms) {
  std::string why = toString(load_program(workshop_.source("x.bc", "nothing")).takeError());
  EXPECT_NE(why.find("not a prepared program"), std::string::npos) << why;
}

TEST_F(PreparedModule, UnknownFunctionIsAnError) {
  PrepareOptions options;
  options.bodies = {"nowhere"};
  std::string why = toString(prepare(image_, options).takeError());
  EXPECT_NE(why.find("no function nowhere"), std::string::npos) << why;
}

TEST_F(PreparedModule, UnknownLoopIsAnError) {
  PrepareOptions options;
  options.bodies = {"main:77"};
  std::string why = toString(prepare(image_, options).takeError());
  EXPECT_NE(why.find("no such loop"), std::string::npos) << why;
}

TEST_F(PreparedModule, LoopIsNamedByItsLine) {
  PrepareOptions options;
  options.bodies = {"main:19"};
  Expected<Program> program = prepare(image_, options);
  ASSERT_TRUE(bool(program)) << toString(program.takeError());
  EXPECT_EQ(program->bodies[0].loop_at.line, 19U);
}

TEST_F(PreparedModule, InspectionNamesBodiesAndIndirectCalls) {
  Workshop workshop;
  Expected<Program> program = prepare(workshop.image({HEDDLE_TEST_DIR "/programs/epoll_server.c"}));
  ASSERT_TRUE(bool(program)) << toString(program.takeError());
  InspectSources sources;
  sources.targets = [&](const CallBase&) {
    return std::vector<const Function*>{program->module->getFunction("main")};
  };
  sources.code_bytes = [](const Function&) { return 100; };
  Inspection inspection = inspect(*program, sources);
  ASSERT_EQ(inspection.bodies.size(), 1U);
  EXPECT_GE(inspection.bodies[0].functions, 1U);
  EXPECT_GE(inspection.bodies[0].code_bytes, 100U);
  EXPECT_FALSE(inspection.bodies[0].indirect_calls.empty());
  std::string text, json;
  raw_string_ostream text_out(text), json_out(json);
  print_text(inspection, text_out);
  print_json(inspection, json_out);
  EXPECT_NE(text.find("process_events at "), std::string::npos) << text;
  EXPECT_NE(json.find("\"receive\": \"epoll_wait\""), std::string::npos) << json;
}

} // namespace
} // namespace heddle::testing
