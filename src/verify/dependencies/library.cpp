// The parser of the table in library_table.cpp.
#include "verify/dependencies/library.h"

#include "program/deferrable.h"
#include "program/modelled.h"
#include "verify/dependencies/library_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace heddle {

namespace {

using Kind = LibraryEffect::Kind;
using Extent = LibraryEffect::Extent;

std::vector<std::string>& system_names() {
  static std::vector<std::string> names;
  return names;
}

unsigned system_number(StringRef name) {
  std::vector<std::string>& names = system_names();
  auto* found = std::find(names.data(), names.data() + names.size(), name.str());
  const auto number = unsigned(found - names.data());
  if (number == names.size()) names.push_back(name.str());
  return number;
}

int take_number(StringRef& text) {
  int number = -1;
  StringRef digits = text.take_while(isDigit);
  text = text.drop_front(digits.size());
  return digits.getAsInteger(10, number) ? -1 : number;
}

void parse_extent(StringRef& text, LibraryEffect& effect) {
  if (text.consume_front("=")) {
    effect.extent = Extent::Bytes;
    effect.bytes = uint64_t(take_number(text));
    return;
  }
  if (text.consume_front("$")) {
    effect.extent = Extent::String;
    effect.size_argument = take_number(text);
    return;
  }
  effect.extent = text.consume_front("^") ? Extent::Returned : Extent::Arguments;
  if (text.consume_front("*")) effect.size_argument = take_number(text);
  if (text.consume_front("*")) effect.size_argument2 = take_number(text);
}

LibraryEffect parse_effect(StringRef text) {
  LibraryEffect effect;
  if (text.consume_front("@")) {
    effect.kind = Kind::System;
    effect.writes = !text.consume_back(".r");
    text.consume_back(".w");
    if (auto [name, flags] = text.split(".o"); !flags.getAsInteger(10, effect.argument)) text = name;
    effect.system = system_number(text);
    return effect;
  }
  static const std::pair<StringRef, Kind> words[] = {
      {"new", Kind::New},          {"get", Kind::Get},      {"put", Kind::Put},
      {"free", Kind::FreeBuffers}, {"r", Kind::Read},       {"w", Kind::Write},
      {"f", Kind::Format},         {"s-", Kind::Stream},    {"s", Kind::Stream},
      {"d-", Kind::NewDescriptor}, {"d", Kind::Descriptor}, {"x", Kind::Release},
      {"W", Kind::WriteResult},
  };
  for (auto [word, kind] : words) {
    if (!text.consume_front(word)) continue;
    effect.kind = kind;
    effect.argument = take_number(text);
    if (kind == Kind::New && effect.argument >= 0) effect.kind = Kind::NewAt;
    if (!text.empty()) parse_extent(text, effect);
    if (text.empty()) return effect;
    break;
  }
  report_fatal_error("malformed effect in the table of library functions: " + text);
}

void add_lines(ArrayRef<LibraryLine> lines, StringMap<LibraryFunction>& functions) {
  for (const LibraryLine& line : lines) {
    LibraryFunction function;
    SmallVector<StringRef, 8> effects, names;
    StringRef(line.effects).split(effects, ' ', -1, false);
    StringRef(line.names).split(names, ' ', -1, false);
    for (StringRef effect : effects) {
      if (effect == "?")
        function.more = true;
      else if (effect == "alloc")
        function.allocator = true;
      else
        function.effects.push_back(parse_effect(effect));
    }
    for (StringRef name : names)
      functions[name] = function;
  }
}

} // namespace

const LibraryFunction* library_function(const Function& function) {
  static const StringMap<LibraryFunction> outside = [] {
    StringMap<LibraryFunction> functions;
    add_lines(library_table(), functions);
    return functions;
  }();
  static const StringMap<LibraryFunction> inlined = [] {
    StringMap<LibraryFunction> functions;
    add_lines(inline_table(), functions);
    for (const char* name : pool_allocators())
      functions[name].effects = {parse_effect("new*1")}; // pool, size
    return functions;
  }();
  static const StringMap<LibraryFunction> kept = [] {
    StringMap<LibraryFunction> functions;
    for (const DeferrableFunction& deferrable : deferrable_functions()) {
      auto found = outside.find(deferrable.name);
      if (found == outside.end()) continue;
      LibraryFunction function = found->second;
      function.kept = true;
      erase_if(function.effects, [](const LibraryEffect& effect) {
        return effect.kind == Kind::Stream || effect.kind == Kind::Descriptor || effect.kind == Kind::System;
      });
      for (StringRef name : {deferrable.stand_in, deferrable.sure})
        if (!name.empty()) functions[name] = function;
    }
    return functions;
  }();
  StringRef name = source_name(function);
  if (auto found = kept.find(name); found != kept.end()) return &found->second;
  if (auto found = inlined.find(name); found != inlined.end()) return &found->second;
  auto found = function.isDeclaration() ? outside.find(name) : outside.end();
  return found == outside.end() ? nullptr : &found->second;
}

StringRef system_state_name(unsigned number) {
  return number < system_names().size() ? StringRef(system_names()[number]) : StringRef("?");
}

} // namespace heddle
