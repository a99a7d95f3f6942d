// Merging follows the linker that made the program: modules in link order, one strong definition wins over
// weak ones, the first of several weak or linkonce ones stays, commons take the largest size. IRMover does
// all of this; what it cannot know is who else uses a symbol.
//
// A symbol stays visible when something outside the bitcode may name it:
//  - the linked file's dynamic symbol table has it. The linker puts there exactly what -shared,
//    -rdynamic, a dynamic list or a shared library's own reference asks for, so no list of options is needed;
//  - a native object or archive of the link refers to it. Their undefined symbols are read; if one cannot be
//    read, everything stays visible;
//  - inline assembly mentions it, at file level or in a function (a scan of the text: too much is harmless);
//  - it lies in a section that the linker gives __start_/__stop_ symbols;
//  - it is main, or a libc function of the program's own that code generation may call by name (memcpy).
// Making one symbol too many internal breaks the program; one too few only costs precision.
#include "program/merge.h"

#include "support/diagnostic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ModuleSymbolTable.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace heddle {
namespace {

// IRMover reports through the context; the last error is what the caller is told.
struct CollectErrors : DiagnosticHandler {
  explicit CollectErrors(std::string& text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo& info) override {
    if (info.getSeverity() != DS_Error) return true;
    raw_string_ostream out(text);
    DiagnosticPrinterRawOStream printer(out);
    if (!text.empty()) out << "; ";
    info.print(printer);
    return true;
  }
  std::string& text;
};

// Module flags of class Error stop the merge although the linker had no objection (-fshort-wchar in one file,
// another PIC level); the first module's value stays.
void soften_flags(Module& module) {
  NamedMDNode* flags = module.getModuleFlagsMetadata();
  if (!flags) return;
  for (unsigned i = 0; i < flags->getNumOperands(); ++i) {
    MDNode* flag = flags->getOperand(i);
    auto* behaviour = mdconst::dyn_extract<ConstantInt>(flag->getOperand(0));
    if (!behaviour || behaviour->getZExtValue() != Module::Error) continue;
    Metadata* softer = ConstantAsMetadata::get(ConstantInt::get(behaviour->getType(), Module::Warning));
    flags->setOperand(i,
                      MDNode::get(module.getContext(), {softer, flag->getOperand(1), flag->getOperand(2)}));
  }
}

// Names in `object` that fit `wanted`; false if it cannot be read.
template <typename Wanted>
bool symbols_of(const object::ObjectFile& object, Wanted wanted, StringSet<>& names) {
  auto add = [&](const object::SymbolRef& symbol) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      return false;
    }
    if (wanted(*flags)) names.insert(*name);
    return true;
  };
  return all_of(object.symbols(), add);
}

bool undefined_names(MemoryBufferRef bytes, StringSet<>& names) {
  Expected<std::unique_ptr<object::Binary>> binary = object::createBinary(bytes);
  if (!binary) {
    consumeError(binary.takeError());
    return false;
  }
  auto undefined = [](uint32_t flags) { return flags & object::SymbolRef::SF_Undefined; };
  if (auto* object = dyn_cast<object::ObjectFile>(binary->get()))
    return symbols_of(*object, undefined, names);
  auto* archive = dyn_cast<object::Archive>(binary->get());
  if (!archive) return false;
  Error error = Error::success();
  bool readable = true;
  for (const object::Archive::Child& child : archive->children(error)) {
    Expected<MemoryBufferRef> member = child.getMemoryBufferRef();
    if (!member) {
      consumeError(member.takeError());
      readable = false;
      continue;
    }
    readable &= undefined_names(*member, names);
  }
  if (error) {
    consumeError(std::move(error));
    return false;
  }
  return readable;
}

void dynamic_names(StringRef path, StringSet<>& names) {
  if (path.empty()) return;
  Expected<object::OwningBinary<object::Binary>> file = object::createBinary(path);
  if (!file) {
    consumeError(file.takeError());
    return;
  }
  auto* elf = dyn_cast<object::ELFObjectFileBase>(file->getBinary());
  if (!elf) return;
  for (const object::ELFSymbolRef& symbol : elf->getDynamicSymbolIterators()) {
    Expected<StringRef> name = symbol.getName();
    if (name)
      names.insert(*name);
    else
      consumeError(name.takeError());
  }
}

// Every word of the assembly text that could be a symbol.
void words_of(StringRef text, StringSet<>& names) {
  auto in_name = [](char c) { return isAlnum(c) || c == '_' || c == '.' || c == '$'; };
  while (!text.empty()) {
    text = text.drop_until(in_name);
    StringRef word = text.take_while(in_name);
    if (!word.empty()) names.insert(word);
    text = text.drop_front(word.size());
  }
}

void assembly_names(const Module& module, StringSet<>& names) {
  words_of(module.getModuleInlineAsm(), names);
  for (const Function& function : module)
    for (const Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction))
        if (auto* assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
          words_of(assembly->getAsmString(), names);
}

// Options that give the linker names of its own.
bool linker_names_symbols(const LinkRecipe& link) {
  return any_of(link.inputs, [](const LinkInput& input) {
    StringRef text = input.text;
    return input.kind == LinkInput::Kind::Argument &&
           (text.contains("--wrap") || text.contains("--defsym") || text.contains("--init") ||
            text.contains("--fini") || text.contains("--entry") || text.starts_with("-e"));
  });
}

bool c_identifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

void internalise(Module& module, const ProgramImage& image) {
  StringSet<> outside;
  outside.insert("main");
  dynamic_names(image.path, outside);
  assembly_names(module, outside);
  bool readable = !linker_names_symbols(image.link);
  for (const auto& [key, bytes] : image.carried)
    readable &= undefined_names(MemoryBufferRef(bytes, key), outside);
  if (!readable) return;
  TargetLibraryInfoImpl library(Triple(module.getTargetTriple()));
  internalizeModule(module, [&](const GlobalValue& value) {
    LibFunc function;
    auto* object = dyn_cast<GlobalObject>(&value);
    return outside.contains(value.getName()) || library.getLibFunc(value.getName(), function) ||
           (object && c_identifier(object->getSection()));
  });
}

Error cannot_merge(StringRef why, const ProgramImage& image) {
  return diagnose("the bitcode of the program cannot be merged: " + why,
                  "build all of the program with one version of heddle cc and for one target", image.path);
}

} // namespace

Expected<std::unique_ptr<Module>> merge_modules(const ProgramImage& image, LLVMContext& context) {
  std::string errors;
  context.setDiagnosticHandler(std::make_unique<CollectErrors>(errors));
  std::unique_ptr<Module> merged;
  for (const std::string& bitcode : image.modules) {
    Expected<std::unique_ptr<Module>> part = parseBitcodeFile(MemoryBufferRef(bitcode, "module"), context);
    if (!part) return cannot_merge(toString(part.takeError()), image);
    soften_flags(**part);
    if (!merged) {
      merged = std::move(*part);
      continue;
    }
    if (merged->getDataLayout() != (*part)->getDataLayout())
      return cannot_merge((*part)->getSourceFileName() + " was compiled for another target", image);
    if (Linker::linkModules(*merged, std::move(*part))) return cannot_merge(errors, image);
  }
  if (!merged) return cannot_merge("there is none", image);
  internalise(*merged, image);
  merged->setModuleIdentifier("heddle");
  return merged;
}

} // namespace heddle
