// What a packet need not keep while it waits, as it is quickly made of the rest.
#include "ir.h"
#include "transform/remade_values.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::test;

namespace {

constexpr const char* source = R"(
  define void @body(ptr %rows, i64 %mask, ptr %key) {
    %hash = load i64, ptr %key
    %high = lshr i64 %hash, 32
    %index = and i64 %high, %mask
    %row = getelementptr [64 x i8], ptr %rows, i64 %index
    %long = mul i64 %hash, 77
    %third = xor i64 %long, %high
    %twice = add i64 %third, %third
    %square = mul i64 %hash, %hash
    %low = trunc i64 %high to i32
    %tag = or i32 %low, 1
    ret void
  }
)";

// Of the named values, those that stay, and those that are made in turn.
std::string left_of(ArrayRef<StringRef> names) {
  LLVMContext context;
  auto module = parse(context, source);
  SetVector<Instruction*> live;
  for (StringRef name : names)
    for (Instruction& instruction : module->getFunction("body")->front())
      if (instruction.getName() == name) live.insert(&instruction);
  const auto made = take_remade(live, [](const Value& value) { return isa<Argument>(value); });
  std::string told;
  for (const Instruction* value : live)
    told += value->getName().str() + " ";
  told += "|";
  for (const Instruction* value : made)
    told += " " + value->getName().str();
  return told;
}

TEST(RemadeValues, AreMadeOfWhatIsKept) {
  EXPECT_EQ(left_of({"hash", "index", "row"}), "hash | high index row");
}

// A part of a register takes nothing.
TEST(RemadeValues, CountInstructionsOfTheProcessor) {
  EXPECT_EQ(left_of({"hash", "tag"}), "hash | high low tag");
  EXPECT_EQ(left_of({"hash", "long"}), "hash | long");
}

TEST(RemadeValues, AreKeptWhereNothingElseIs) {
  EXPECT_EQ(left_of({"index"}), "index |");
  EXPECT_EQ(left_of({"row"}), "row |");
}

TEST(RemadeValues, AreNotMadeByLoadsOrManyInstructions) {
  EXPECT_EQ(left_of({"hash", "third"}), "hash third |");
  EXPECT_EQ(left_of({"hash", "square"}), "hash square |");
}

// What is made of a value needs it, so it stays, in whatever order they come.
TEST(RemadeValues, StayWhereOthersAreMadeOfThem) {
  EXPECT_EQ(left_of({"row", "index", "hash"}), "index hash | row");
  EXPECT_EQ(left_of({"third", "twice"}), "third | twice");
}

TEST(RemadeValues, AreMadeAgain) {
  LLVMContext context;
  auto module = parse(context, source);
  BasicBlock& block = module->getFunction("body")->front();
  SetVector<Instruction*> live;
  for (Instruction& instruction : block)
    if (instruction.getName() == "hash" || instruction.getName() == "index") live.insert(&instruction);
  const auto made = take_remade(live, [](const Value& value) { return isa<Argument>(value); });
  IRBuilder<> builder(block.getTerminator());
  AllocaInst* hash = builder.CreateAlloca(builder.getInt64Ty());
  remake(builder, made, [&](Instruction& value) { return value.getName() == "hash" ? hash : nullptr; });
  EXPECT_EQ(valid(*module), "");
  const Instruction* last = block.getTerminator()->getPrevNode();
  EXPECT_TRUE(last->getName().starts_with("index"));
  EXPECT_NE(last, made.back());
}

} // namespace
