// Before each load and store stands
//
//     call preserve_most heddle_dependencies_access(address, what, place)
//
// with the size, whether it writes, and the operation of an update as one constant (runtime/format.h). Calls of
// functions outside the program tell their effects by the table of library.h. A convention that leaves registers
// alone keeps the caller's code as it is, but for the arguments; a test inline would save the call outside of packets
// only, where nobody waits.
//
// Left out: variables of the function's own that are addressed directly (a packet's stack is its own when staged),
// constants, the staging runtime's own variables, which sites read, and a second access of one kind to the same address within a block, with no call between: it has the
// first one's stage.
//
// An update whose old value is used for nothing else is recognised by its instructions alone (src/analysis,
// effects_updates.h); whether two of them met at the same bytes, the runtime sees.
#include "verify/dependencies/instrument.h"

#include "analysis/effects_updates.h"
#include "program/expensive.h"
#include "program/modelled.h"
#include "program/own_objects.h"
#include "transform/defer.h"
#include "transform/privatize.h"
#include "transform/site.h"
#include "transform/staging.h"
#include "verify/dependencies/calls.h"
#include "verify/dependencies/runtime/format.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;

namespace heddle {

namespace {

void note_stage(BasicBlock& from, BasicBlock& to, unsigned stage, const SiteKeeps& /*keeps*/) {
  BasicBlock& block = insert_block(from, to, "heddle.stage");
  IRBuilder<> builder(block.getTerminator());
  FunctionCallee note = block.getModule()->getOrInsertFunction("heddle_dependencies_stage",
                                                               builder.getVoidTy(), builder.getInt32Ty());
  builder.CreateCall(note, {builder.getInt32(stage)});
}

// What a load, store or atomic operation touches; a null address for others.
struct Touched {
  Value* address = nullptr;
  Type* type = nullptr;
};

Touched touched_by(Instruction& instruction) {
  if (auto* load = dyn_cast<LoadInst>(&instruction)) return {load->getPointerOperand(), load->getType()};
  if (auto* store = dyn_cast<StoreInst>(&instruction))
    return {store->getPointerOperand(), store->getValueOperand()->getType()};
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return {exchange->getPointerOperand(), exchange->getNewValOperand()->getType()};
  if (auto* update = dyn_cast<AtomicRMWInst>(&instruction))
    return {update->getPointerOperand(), update->getType()};
  return {};
}

class AccessInstrumenter {
public:
  AccessInstrumenter(Module& module, ArrayRef<PacketBody> bodies)
      : module_(module), layout_(module.getDataLayout()), updates_(module), runtime_(module),
        calls_(module, runtime_, result_) {
    result_.places = Places(bodies);
  }

  CheckedProgram run() {
    std::vector<Function*> functions;
    for (Function& function : module_)
      if (traceable(function)) functions.push_back(&function);
    for (Function* function : functions)
      instrument(*function);
    return std::move(result_);
  }

  // What the user declared to commute.
  void mark_regions(const Declarations& declarations) {
    constexpr uint32_t first = dependencies::first_group_region;
    static_assert(uint64_t(first) << (most_commuting_groups - 1) <= UINT32_MAX);
    uint32_t group = first;
    for (const Declaration& declaration : declarations.all) {
      if (declaration.kind != "commute") continue;
      for (Function& function : module_)
        if (!function.isDeclaration() && is_contained(declaration.names, declared_name(function)))
          mark_region(function, group);
      group <<= 1;
    }
  }

private:
  // A resolver runs before the program does; a naked function has no room for code.
  bool traceable(const Function& function) const {
    if (function.isDeclaration() || function.hasFnAttribute(Attribute::Naked)) return false;
    return none_of(module_.ifuncs(),
                   [&](const GlobalIFunc& ifunc) { return ifunc.getResolverFunction() == &function; });
  }

  // Until it returns. What an exception leaves behind ends with the packet.
  void mark_region(Function& function, uint32_t region) {
    std::vector<Instruction*> ends;
    for (BasicBlock& block : function) {
      if (CallInst* last = block.getTerminatingMustTailCall())
        ends.push_back(last);
      else if (isa<ReturnInst>(block.getTerminator()))
        ends.push_back(block.getTerminator());
    }
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    Value* around = runtime_.call(builder, "enter", {builder.getInt32(region)}, builder.getInt32Ty());
    for (Instruction* end : ends) {
      builder.SetInsertPoint(end);
      runtime_.call(builder, "leave", {around});
    }
  }

  void instrument(Function& function) {
    std::vector<Instruction*> found;
    for (BasicBlock& block : function) {
      seen_.clear();
      for (Instruction& instruction : block)
        if (wanted(instruction)) found.push_back(&instruction);
    }
    for (Instruction* instruction : found) {
      if (auto* call = dyn_cast<CallBase>(instruction))
        calls_.instrument(*call);
      else
        access(*instruction);
    }
    if (!found.empty()) forget_conclusions(function);
    result_.accesses += found.size();
  }

  bool wanted(Instruction& instruction) {
    if (auto* call = dyn_cast<CallBase>(&instruction)) {
      if (!isa<IntrinsicInst>(call)) seen_.clear();
      return calls_.wanted(*call);
    }
    const Value* address = touched_by(instruction).address;
    if (!address || address->getType()->getPointerAddressSpace() != 0) return false;
    const Value* object = getUnderlyingObject(address);
    if (isa<AllocaInst>(object)) return false;
    if (auto* local = dyn_cast<IntrinsicInst>(object);
        local && local->getIntrinsicID() == Intrinsic::threadlocal_address)
      object = local->getArgOperand(0);
    auto* global = dyn_cast<GlobalVariable>(object);
    if (global && (global->isConstant() || global->getName().starts_with("heddle_"))) return false;
    return seen_.insert({address, what_of(instruction)}).second;
  }

  uint32_t what_of(Instruction& instruction) const {
    const uint64_t size = layout_.getTypeStoreSize(touched_by(instruction).type).getFixedValue();
    uint32_t what = uint32_t(size) & dependencies::what_size;
    if (!isa<LoadInst>(instruction)) what |= dependencies::what_write;
    return what | uint32_t(updates_.find(instruction).op) << dependencies::what_op_shift;
  }

  void access(Instruction& instruction) {
    IRBuilder<> builder(&instruction);
    runtime_.access(builder, touched_by(instruction).address, what_of(instruction),
                    result_.places.add(instruction));
  }

  Module& module_;
  const DataLayout& layout_;
  Updates updates_;
  RuntimeCalls runtime_;
  CheckedProgram result_;
  CallInstrumenter calls_;
  SmallSet<std::pair<const Value*, uint32_t>, 16> seen_; // accesses of the block, since the last call
};

// Each packet says where the variables are of which it would have a copy.
Error show_scratch(Module& module, const Plan& plan) {
  RuntimeCalls runtime(module);
  for (const BodyPlan& body : plan.bodies) {
    Function* function = body.sites.empty() ? nullptr : module.getFunction(body.body);
    if (!function || function->isDeclaration()) continue;
    IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
    for (const ScratchVariable& variable : body.scratch) {
      auto begin = scratch_address(builder, body, variable);
      if (!begin) return begin.takeError();
      runtime.call(builder, "scratch",
                   {*begin, builder.getInt32(variable.bytes), builder.getInt32(variable.begins_as_before)});
    }
  }
  return Error::success();
}

static_assert(dependencies::most_own_slots == most_own_objects);

// In the original order, too, each packet of a batch has objects of its own where the plan gives it some.
void give_own_objects(Module& module, const Plan& plan) {
  auto planned = [&](StringRef slot) {
    return any_of(plan.bodies, [&](const BodyPlan& body) {
      return !body.sites.empty() &&
             any_of(body.scratch, [&](const ScratchVariable& variable) { return variable.name == slot; });
    });
  };
  uint32_t number = 0;
  settle_own_objects(module, [&](CallBase& asked, CallBase& slot) -> Value* {
    if (!planned(slot.getArgOperand(0)->getName())) return nullptr;
    IRBuilder<> builder(&asked);
    FunctionCallee find =
        module.getOrInsertFunction("heddle_dependencies_own_slot", builder.getPtrTy(), builder.getInt32Ty());
    Value* own = builder.CreateCall(find, {builder.getInt32(number++)});
    slot.replaceAllUsesWith(own);
    return builder.CreateIsNotNull(own);
  });
}

// The runtime's table of variables: {address, size}, with a null address for thread-local ones, which a function finds.
void describe_globals(Module& module, std::vector<std::string>& names) {
  LLVMContext& context = module.getContext();
  auto* pointer = PointerType::get(context, 0);
  Type *word = Type::getInt32Ty(context), *size = Type::getInt64Ty(context);
  auto* row = StructType::get(pointer, size);
  std::vector<Constant*> rows;
  std::vector<GlobalVariable*> variables;
  for (GlobalVariable& global : module.globals()) {
    if (global.isDeclaration() || global.getName().starts_with("llvm.") || global.isConstant() ||
        global.hasAvailableExternallyLinkage())
      continue;
    variables.push_back(&global);
    names.push_back(global.getName().str());
    Constant* address = global.isThreadLocal() ? ConstantPointerNull::get(pointer) : cast<Constant>(&global);
    rows.push_back(ConstantStruct::get(
        row, address,
        ConstantInt::get(size, module.getDataLayout().getTypeAllocSize(global.getValueType()))));
  }
  auto* finder = Function::Create(FunctionType::get(pointer, {word}, false), GlobalValue::ExternalLinkage,
                                  "heddle_dependencies_thread_local", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", finder));
  auto* none = BasicBlock::Create(context, "", finder);
  SwitchInst* which = builder.CreateSwitch(finder->getArg(0), none);
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i]->isThreadLocal()) continue;
    auto* found = BasicBlock::Create(context, "", finder);
    which->addCase(builder.getInt32(uint32_t(i)), found);
    builder.SetInsertPoint(found);
    builder.CreateRet(builder.CreateThreadLocalAddress(variables[i]));
  }
  builder.SetInsertPoint(none);
  builder.CreateRet(ConstantPointerNull::get(pointer));

  auto* table = ConstantArray::get(ArrayType::get(row, rows.size()), rows);
  new GlobalVariable(module, table->getType(), true, GlobalValue::ExternalLinkage, table,
                     "heddle_dependencies_globals");
  new GlobalVariable(module, word, true, GlobalValue::ExternalLinkage,
                     builder.getInt32(uint32_t(rows.size())), "heddle_dependencies_global_count");
}

// Staged, packets start within the runtime; so their bodies say it.
void number_packets(Module& module, ArrayRef<PacketBody> bodies) {
  for (const PacketBody& body : bodies) {
    Function* function = module.getFunction(body.body->getName());
    if (!function || function->isDeclaration()) continue;
    IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
    builder.CreateCall(module.getOrInsertFunction("heddle_dependencies_packet", builder.getVoidTy()));
  }
}

void name_program(Module& module, StringRef id) {
  auto* text = ConstantDataArray::getString(module.getContext(), id);
  new GlobalVariable(module, text->getType(), true, GlobalValue::ExternalLinkage, text,
                     "heddle_dependencies_program");
}

} // namespace

Expected<CheckedProgram> instrument_accesses(Module& clone, const Program& program, const Plan& plan,
                                             Order order) {
  const bool staged = order == Order::Staged;
  Plan applied = plan;
  if (!staged) // each packet ends before the next one starts, so they use the variables themselves
    for (BodyPlan& body : applied.bodies)
      body.scratch.clear();
  if (!staged) give_own_objects(clone, plan);
  if (Error error = stage_module(clone, applied, staged ? insert_site : note_stage, Interleaved::AsStages))
    return std::move(error);
  finish_expensive(clone);
  AccessInstrumenter instrumenter(clone, program.bodies);
  CheckedProgram result = instrumenter.run();
  instrumenter.mark_regions(plan.declarations.trusted(plan.trust));
  if (!staged) make_output_directly(clone);
  StripDebugInfo(clone);
  if (!staged)
    if (Error error = show_scratch(clone, plan)) return std::move(error);
  if (staged) {
    number_packets(clone, program.bodies);
    define_default_batch(clone, plan.batch);
  }
  describe_globals(clone, result.globals);
  name_program(clone, program.id);
  std::string problem;
  raw_string_ostream out(problem);
  if (verifyModule(clone, &out))
    return diagnose("the instrumented module is not valid: " + problem, "report this with the program");
  return result;
}

} // namespace heddle
