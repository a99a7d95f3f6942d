#include "program/own_objects.h"

#include "program/modelled.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <optional>

using namespace llvm;

namespace heddle {

namespace {

constexpr StringLiteral own_function = "heddle_own_", own_slot = "heddle_slot_",
                        asked_function = "heddle_is_staged", mark = "heddle-own-object";
constexpr unsigned most_copied = 64; // functions that make one kind of object

// "struct.session.12" -> "session"
StringRef name_of_type(const StructType& type) {
  if (!type.hasName()) return "";
  StringRef name = type.getName();
  for (StringRef kind : {"struct.", "class.", "union."})
    if (name.consume_front(kind)) break;
  auto [front, back] = name.rsplit('.');
  unsigned number = 0;
  return !back.empty() && !back.getAsInteger(10, number) ? front : name;
}

// A field that holds a pointer, or a variable that does.
struct PointerPlace {
  GlobalVariable* variable = nullptr;
  StringRef type;
  uint64_t offset = 0; // in bytes
};

const DICompositeType* composite(const DIType* type) {
  while (const auto* derived = dyn_cast_or_null<DIDerivedType>(type))
    type = derived->getTag() == dwarf::DW_TAG_typedef ? derived->getBaseType() : nullptr;
  return dyn_cast_or_null<DICompositeType>(type);
}

class Inserter {
public:
  Inserter(Module& module, const Declarations& declarations, const Declaration& declaration, unsigned number)
      : module_(module), declarations_(declarations), declaration_(declaration), number_(number) {}

  Error run(const DebugInfoFinder& types) {
    auto made = parse_make();
    if (!made) return made.takeError();
    std::vector<LoadInst*> loads;
    for (const std::string& name : declaration_.names) {
      auto place = find_place(types, name);
      if (!place) return place.takeError();
      const size_t before = loads.size();
      find_loads(*place, loads);
      if (loads.size() == before)
        return fail("the program reads '" + name + "' nowhere",
                    "name the field or variable that packets read the pointer from");
    }
    Function* own = define_own(*made);
    if (!own)
      return fail("what '" + declaration_.make + "' calls is too much to copy", "name a simpler function");
    for (LoadInst* load : loads)
      use_own(*load, *own);
    return Error::success();
  }

private:
  struct Make {
    Function* function;
    SmallVector<Constant*, 4> arguments;
  };

  Error fail(const Twine& what, const Twine& hint) const {
    return diagnose(what, hint, declarations_.place(declaration_));
  }

  // "name(1, 2)"
  Expected<Make> parse_make() const {
    auto [name, rest] = StringRef(declaration_.make).split('(');
    Make result{};
    for (Function& function : module_)
      if (!function.isDeclaration() && is_called(function, name.trim())) result.function = &function;
    if (!result.function) // said better by check_declared()
      return fail("the program has no function '" + name + "'", "give the name as in the source");
    if (!result.function->getReturnType()->isPointerTy())
      return fail("'" + name + "' returns no pointer", "name the function that makes the object");
    SmallVector<StringRef, 4> given;
    StringRef list = rest.drop_back(1).trim();
    if (!list.empty()) list.split(given, ',');
    const FunctionType& type = *result.function->getFunctionType();
    if (given.size() != type.getNumParams())
      return fail("'" + name + "' takes " + Twine(type.getNumParams()) + " arguments, and 'make' gives " +
                      Twine(given.size()),
                  "write numbers, and null for pointers");
    for (unsigned i = 0; i != given.size(); ++i) {
      Type* parameter = type.getParamType(i);
      StringRef text = given[i].trim();
      long long number = 0;
      const bool is_number = !text.getAsInteger(0, number);
      if (parameter->isIntegerTy() && is_number)
        result.arguments.push_back(ConstantInt::getSigned(parameter, number));
      else if (parameter->isPointerTy() && (text == "null" || text == "NULL"))
        result.arguments.push_back(ConstantPointerNull::get(cast<PointerType>(parameter)));
      else
        return fail("argument " + Twine(i + 1) + " of '" + name + "' cannot be " + text,
                    "write numbers, and null for pointers");
    }
    return result;
  }

  Expected<PointerPlace> find_place(const DebugInfoFinder& types, StringRef name) const {
    PointerPlace place;
    auto [type, field] = name.rsplit('.');
    if (field.empty()) {
      for (GlobalVariable& variable : module_.globals())
        if (source_name(variable) == name && variable.getValueType()->isPointerTy())
          place.variable = &variable;
      if (place.variable) return place;
      return fail("the program has no variable '" + name + "' that holds a pointer",
                  "write the variable's name, or type.field");
    }
    place.type = type;
    if (std::optional<uint64_t> offset = offset_of(types, type, field)) {
      place.offset = *offset;
      return place;
    }
    return fail("no type '" + type + "' with a field '" + field + "' is known",
                "write names as in the source; -g0 leaves none");
  }

  static std::optional<uint64_t> offset_of(const DebugInfoFinder& types, StringRef name, StringRef field) {
    StringRef last = name.contains("::") ? name.rsplit("::").second : name;
    for (const DIType* type : types.types()) {
      const DICompositeType* found = type->getName() == last ? composite(type) : nullptr;
      if (!found) continue;
      for (const DINode* element : found->getElements())
        if (const auto* member = dyn_cast_or_null<DIDerivedType>(element);
            member && member->getTag() == dwarf::DW_TAG_member && member->getName() == field)
          return member->getOffsetInBits() / 8;
    }
    return std::nullopt;
  }

  bool is_at(const Value& address, const PointerPlace& place) const {
    if (place.variable) return address.stripPointerCasts() == place.variable;
    const auto* field = dyn_cast<GEPOperator>(&address);
    auto* type = field ? dyn_cast<StructType>(field->getSourceElementType()) : nullptr;
    if (!type || field->getNumIndices() != 2 || name_of_type(*type) != place.type) return false;
    const auto* index = dyn_cast<ConstantInt>(field->getOperand(2));
    return index && module_.getDataLayout().getStructLayout(type)->getElementOffset(
                        unsigned(index->getZExtValue())) == place.offset;
  }

  void find_loads(const PointerPlace& place, std::vector<LoadInst*>& loads) const {
    for (Function& function : module_) {
      if (makes_own_object(function)) continue;
      for (Instruction& instruction : instructions(function))
        if (auto* load = dyn_cast<LoadInst>(&instruction);
            load && load->getType()->isPointerTy() && is_at(*load->getPointerOperand(), place))
          loads.push_back(load);
    }
  }

  // With all that it calls by name.
  Function* copy(Function& function) {
    auto [known, fresh] = copies_.try_emplace(&function, nullptr);
    if (!fresh) return known->second;
    if (copies_.size() > most_copied) return nullptr;
    ValueToValueMapTy values;
    Function* made = CloneFunction(&function, values);
    copies_[&function] = made;
    made->setLinkage(GlobalValue::InternalLinkage);
    made->setComdat(nullptr);
    made->addFnAttr(mark);
    for (Instruction& instruction : instructions(made)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      Function* callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || callee->isDeclaration() || makes_own_object(*callee) ||
          is_modelled_inline(source_name(*callee)))
        continue;
      Function* inner = copy(*callee);
      if (!inner) return nullptr;
      call->setCalledFunction(inner);
    }
    return made;
  }

  Function* define_own(const Make& make) {
    Function* maker = copy(*make.function);
    if (!maker) return nullptr;
    LLVMContext& context = module_.getContext();
    auto* pointer = PointerType::get(context, 0);
    auto* slot = new GlobalVariable(module_, pointer, false, GlobalValue::ExternalLinkage,
                                    ConstantPointerNull::get(pointer), own_slot + Twine(number_), nullptr,
                                    GlobalValue::InitialExecTLSModel);
    slot->setVisibility(GlobalValue::HiddenVisibility);
    auto* own = Function::Create(FunctionType::get(pointer, {pointer}, false), GlobalValue::ExternalLinkage,
                                 own_function + Twine(number_), module_);
    own->setVisibility(GlobalValue::HiddenVisibility);
    own->addFnAttr(mark);
    own->addFnAttr(Attribute::NoInline);
    own->addFnAttr(Attribute::NoUnwind);
    if (DISubprogram* subprogram = maker->getSubprogram()) // calls of functions with lines need some
      own->setSubprogram(own_subprogram(*subprogram));
    auto block = [&](const char* name) { return BasicBlock::Create(context, name, own); };
    BasicBlock *entry = block("entry"), *mine = block("mine"), *make_it = block("make"),
               *made_it = block("made"), *none = block("none"), *theirs = block("theirs");
    IRBuilder<> builder(entry);
    if (own->getSubprogram())
      builder.SetCurrentDebugLocation(
          DILocation::get(context, own->getSubprogram()->getLine(), 0, own->getSubprogram()));
    FunctionCallee ask = module_.getOrInsertFunction(asked_function, builder.getInt1Ty());
    cast<Function>(ask.getCallee())->setVisibility(GlobalValue::HiddenVisibility);
    Value* staged = builder.CreateCall(ask);
    Value* shared = own->getArg(0);
    builder.CreateCondBr(builder.CreateAnd(staged, builder.CreateIsNotNull(shared)), mine, theirs);
    builder.SetInsertPoint(mine);
    Value* place = builder.CreateThreadLocalAddress(slot);
    Value* known = builder.CreateLoad(pointer, place);
    builder.CreateCondBr(builder.CreateIsNull(known), make_it, made_it);
    builder.SetInsertPoint(make_it);
    Value* made =
        builder.CreateCall(maker, SmallVector<Value*, 4>(make.arguments.begin(), make.arguments.end()));
    builder.CreateStore(made, place);
    builder.CreateCondBr(builder.CreateIsNull(made), none, made_it);
    builder.SetInsertPoint(made_it);
    PHINode* result = builder.CreatePHI(pointer, 2);
    result->addIncoming(known, mine);
    result->addIncoming(made, make_it);
    builder.CreateRet(result);
    builder.SetInsertPoint(none); // no memory for an object: to go on with the shared one would be wrong
    FunctionCallee abort = module_.getOrInsertFunction("abort", builder.getVoidTy());
    builder.CreateCall(abort)->setDoesNotReturn();
    builder.CreateUnreachable();
    builder.SetInsertPoint(theirs);
    builder.CreateRet(shared);
    appendToCompilerUsed(module_, {own, slot});
    return own;
  }

  DISubprogram* own_subprogram(const DISubprogram& like) const {
    DIBuilder builder(module_, false, like.getUnit());
    DISubprogram* made = builder.createFunction(
        like.getUnit(), (own_function + Twine(number_)).str(), "", like.getFile(), like.getLine(),
        builder.createSubroutineType(builder.getOrCreateTypeArray({})), like.getLine(), DINode::FlagZero,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit);
    builder.finalizeSubprogram(made);
    return made;
  }

  static void use_own(LoadInst& load, Function& own) {
    IRBuilder<> builder(load.getParent(), std::next(load.getIterator()));
    builder.SetCurrentDebugLocation(load.getDebugLoc());
    if (!load.getDebugLoc())
      if (DISubprogram* function = load.getFunction()->getSubprogram())
        builder.SetCurrentDebugLocation(DILocation::get(load.getContext(), function->getLine(), 0, function));
    CallInst* call = builder.CreateCall(&own, {&load});
    call->setDoesNotThrow();
    load.replaceUsesWithIf(call, [&](const Use& use) { return use.getUser() != call; });
  }

  Module& module_;
  const Declarations& declarations_;
  const Declaration& declaration_;
  unsigned number_;
  DenseMap<Function*, Function*> copies_;
};

bool is_behind_pointer(const Declaration& declaration) {
  return declaration.kind == "scratch" && !declaration.make.empty();
}

} // namespace

Error insert_own_objects(Module& module, const Declarations& declarations) {
  std::optional<DebugInfoFinder> types;
  unsigned number = 0;
  for (const Declaration& declaration : declarations.all) {
    if (!is_behind_pointer(declaration)) continue;
    if (!types) types.emplace().processModule(module);
    if (Error error = Inserter(module, declarations, declaration, number++).run(*types)) return error;
  }
  return Error::success();
}

bool gives_own_object(const Function& function) {
  return function.getName().starts_with(own_function) && function.hasFnAttribute(mark);
}

bool makes_own_object(const Function& function) {
  return function.hasFnAttribute(mark);
}

bool is_own_object(const Value& site) {
  if (const auto* variable = dyn_cast<GlobalVariable>(&site))
    return variable->getName().starts_with(own_slot);
  const auto* instruction = dyn_cast<CallBase>(&site);
  return instruction && makes_own_object(*instruction->getFunction());
}

const Declaration* declaration_of_slot(const Declarations& declarations, StringRef variable) {
  unsigned number = 0;
  if (!variable.consume_front(own_slot) || variable.getAsInteger(10, number)) return nullptr;
  for (const Declaration& declaration : declarations.all)
    if (is_behind_pointer(declaration) && number-- == 0) return &declaration;
  return nullptr;
}

void settle_own_objects(Module& module, function_ref<Value*(CallBase&, CallBase&)> staged) {
  Function* ask = module.getFunction(asked_function);
  if (!ask) return;
  for (User* user : make_early_inc_range(ask->users())) {
    auto& asked = *cast<CallBase>(user);
    CallBase* slot = nullptr;
    for (Instruction& instruction : instructions(asked.getFunction()))
      if (auto* address = dyn_cast<IntrinsicInst>(&instruction);
          address && address->getIntrinsicID() == Intrinsic::threadlocal_address &&
          is_own_object(*address->getArgOperand(0)))
        slot = address;
    Value* answer = slot ? staged(asked, *slot) : nullptr;
    asked.replaceAllUsesWith(answer ? answer : ConstantInt::getFalse(module.getContext()));
    asked.eraseFromParent();
  }
  ask->eraseFromParent();
}

void drop_own_objects(Module& module) {
  settle_own_objects(module, [](CallBase&, CallBase&) -> Value* { return nullptr; });
}

} // namespace heddle
