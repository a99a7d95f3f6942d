// The parser of the table in external_table.cpp.
#include "analysis/external_models.h"

#include "analysis/external_table.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace heddle {

using Kind = ModelClause::Kind;
using Source = ModelClause::Source;

static SystemLocation system_named(StringRef name) {
  return StringSwitch<SystemLocation>(name)
      .Case("stdio", SystemLocation::StdioChannel)
      .Case("fd", SystemLocation::FileDescriptor)
      .Case("tx", SystemLocation::TransmitPort)
      .Case("rx", SystemLocation::ReceivePort)
      .Case("syslog", SystemLocation::Syslog)
      .Case("errno", SystemLocation::Errno)
      .Case("alloc", SystemLocation::Allocator)
      .Case("time", SystemLocation::Time)
      .Case("random", SystemLocation::Random)
      .Case("exit", SystemLocation::ProcessExit)
      .Case("jump", SystemLocation::Jump)
      .Case("abort", SystemLocation::AbnormalExit)
      .Case("lock", SystemLocation::Lock)
      .Case("env", SystemLocation::Environment)
      .Case("thread", SystemLocation::Thread)
      .Case("exception", SystemLocation::Exception)
      .Case("dpdk", SystemLocation::DpdkState)
      .Default(SystemLocation::External);
}

static ModelClause clause_of(Kind kind) {
  ModelClause clause;
  clause.kind = kind;
  return clause;
}

static int take_number(StringRef& text) {
  int number = -1;
  StringRef digits = text.take_while(isDigit);
  text = text.drop_front(digits.size());
  return digits.getAsInteger(10, number) ? -1 : number;
}

static ModelClause::Actual parse_actual(StringRef text) {
  if (text.consume_front("in:")) return {Source::Contents, take_number(text)};
  if (text.consume_front("message:")) return {Source::Message, take_number(text)};
  if (text.consume_front("frame:")) return {Source::Frame, take_number(text)};
  if (text == "header") return {Source::Header, -1};
  if (text == "data") return {Source::Data, -1};
  if (text == "obj") return {Source::Opaque, -1};
  if (text == "static") return {Source::Static, -1};
  if (text == "const") return {Source::Constant, -1};
  if (text == "lib") return {Source::Library, -1};
  if (text == "packet") return {Source::Packet, -1};
  if (text == "unknown") return {Source::Unknown, -1};
  if (text == "none") return {Source::None, -1};
  int number = take_number(text);
  return {text == "~" ? Source::Into : Source::Argument, number};
}

// "new*1*2", "@stdio", or any of parse_actual.
static void parse_source(StringRef text, ModelClause& clause) {
  if (text.consume_front("@")) {
    clause.source = Source::SystemObject;
    clause.system = system_named(text);
    return;
  }
  if (text.consume_front("held:")) {
    clause.source = Source::Held;
    clause.system = system_named(text);
    return;
  }
  if (text.consume_front("new")) {
    clause.source = Source::Fresh;
    if (text.consume_front("*")) clause.size_argument = take_number(text);
    if (text.consume_front("*")) clause.size_argument2 = take_number(text);
    return;
  }
  auto [source, argument] = parse_actual(text);
  clause.source = source;
  clause.source_argument = argument;
}

static ModelClause parse_system(StringRef text) {
  ModelClause clause = clause_of(Kind::System);
  if (text.consume_back(".r")) clause.writes = false;
  if (text.consume_back(".w")) clause.reads = false;
  auto [system, channel] = text.split(':');
  clause.system = system_named(system);
  if (channel == "out")
    clause.argument = ModelClause::standard_output;
  else if (!channel.empty())
    clause.argument = take_number(channel);
  return clause;
}

static ModelClause parse_copy(StringRef text, int to) {
  ModelClause clause = clause_of(Kind::Copy);
  clause.argument = to;
  clause.source = Source::Argument;
  clause.source_argument = take_number(text);
  if (text.consume_front("*")) clause.size_argument = take_number(text);
  return clause;
}

static ModelClause parse_call(StringRef text) {
  ModelClause clause = clause_of(Kind::Call);
  clause.argument = take_number(text);
  text.consume_front("(");
  text.consume_back(")");
  SmallVector<StringRef, 4> parts;
  text.split(parts, ',', -1, false);
  for (StringRef part : parts)
    clause.actuals.push_back(parse_actual(part));
  return clause;
}

// "r0", "w0=8", "r1*2", "k0+": a letter, an argument, an extent.
static ModelClause parse_pointee(StringRef text) {
  static const std::pair<char, Kind> letters[] = {
      {'r', Kind::Read},      {'w', Kind::Write},    {'R', Kind::ReadDeep},
      {'W', Kind::WriteDeep}, {'V', Kind::ReadList}, {'k', Kind::Keep},
      {'x', Kind::Consume},   {'t', Kind::Throw},    {'f', Kind::KeepCode}};
  const auto* entry = find_if(letters, [&](const auto& l) { return l.first == text.front(); });
  if (entry == std::end(letters))
    report_fatal_error("malformed clause in the table of external models: " + text);
  ModelClause clause = clause_of(entry->second);
  text = text.drop_front();
  clause.argument = take_number(text);
  clause.onwards = text.consume_front("+");
  clause.through = text.consume_front("!");
  if (text.consume_front("=")) clause.size = take_number(text);
  if (text.consume_front("*")) clause.size_argument = take_number(text);
  if (text.consume_front("*")) clause.size_argument2 = take_number(text);
  return clause;
}

static ModelClause parse_clause(StringRef text) {
  if (text.consume_front("@")) return parse_system(text);
  if (text.consume_front("=<")) return parse_copy(text, -1);
  ModelClause clause = clause_of(Kind::Return);
  if (text.consume_front("=")) {
    parse_source(text, clause);
    return clause;
  }
  if (auto [system, what] = text.split(":="); !what.empty()) {
    clause.kind = Kind::StoreSystem;
    parse_source(what, clause);
    clause.system = system_named(system);
    return clause;
  }
  StringRef whole = text;
  if (text.consume_front("*")) {
    clause.kind = Kind::StoreTo;
    clause.argument = take_number(text);
    clause.onwards = text.consume_front("+");
    text.consume_front("=");
    parse_source(text, clause);
    return clause;
  }
  if (isDigit(text.front())) {
    int number = take_number(text);
    if (text.consume_front("<")) return parse_copy(text, number);
    clause.kind = Kind::StoreTo;
    clause.argument = number;
    clause.anywhere = text.consume_front("[]=");
    parse_source(text, clause);
    return clause;
  }
  if (text.consume_front("c")) return parse_call(text);
  return parse_pointee(whole);
}

static ExternalModel parse_model(const ExternalLine& line) {
  ExternalModel model;
  SmallVector<StringRef, 8> clauses;
  StringRef(line.clauses).split(clauses, ' ', -1, false);
  for (StringRef text : clauses) {
    if (text == "exit")
      model.returns = false;
    else
      model.clauses.push_back(parse_clause(text));
  }
  return model;
}

static const StringMap<ExternalModel>& models() {
  static const StringMap<ExternalModel> table = [] {
    StringMap<ExternalModel> result;
    for (const ExternalLine& line : external_table()) {
      ExternalModel model = parse_model(line);
      SmallVector<StringRef, 8> names;
      StringRef(line.names).split(names, ' ', -1, false);
      for (StringRef name : names) {
        model.name = name;
        result[name] = model;
      }
    }
    return result;
  }();
  return table;
}

bool ExternalModel::has_fresh_result() const {
  return any_of(clauses,
                [](const ModelClause& c) { return c.kind == Kind::Return && c.source == Source::Fresh; });
}

const ExternalModel* find_model(StringRef name) {
  auto found = models().find(name);
  if (found != models().end()) return &found->second;
  // "SSL_*": the longest prefix that has a line.
  for (size_t length = name.size(); length >= 3; --length) {
    found = models().find((name.take_front(length) + "*").str());
    if (found != models().end()) return &found->second;
  }
  return nullptr;
}

bool is_modelled_by_name(StringRef name) {
  return name.starts_with("rte_") && find_model(name);
}

// Names as in the source: merging adds ".7" to the second and later copies of a static function, and the
// compiler asks for "__isoc99_" and "_chk" variants under the names that the table has.
static StringRef base_name(const Function& function) {
  StringRef name = function.getName();
  if (!function.hasLocalLinkage()) return name;
  auto [stem, suffix] = name.rsplit('.');
  return !suffix.empty() && all_of(suffix, isDigit) ? stem : name;
}

const ExternalModel* model_of(const Function& function) {
  StringRef name = base_name(function);
  if (!function.isDeclaration() && !is_modelled_by_name(name)) return nullptr;
  if (const ExternalModel* model = find_model(name)) return model;
  return name.consume_front("\01") ? find_model(name) : nullptr;
}

// The pointer arguments that a clause follows.
static SmallVector<int, 2> pointers_of(const ModelClause& clause) {
  SmallVector<int, 2> result;
  if (clause.kind != Kind::System && clause.kind != Kind::Return && clause.kind != Kind::StoreSystem)
    result.push_back(clause.argument);
  if (clause.source == Source::Contents || clause.source == Source::Into || clause.kind == Kind::Copy)
    result.push_back(clause.source_argument);
  erase_if(result, [](int argument) { return argument < 0; });
  return result;
}

Error check_models(const Module& module) {
  for (const Function& function : module) {
    const ExternalModel* model = function.isDeclaration() ? nullptr : model_of(function);
    if (!model) continue;
    for (const ModelClause& clause : model->clauses)
      for (int argument : pointers_of(clause))
        if (unsigned(argument) >= function.arg_size() || !function.getArg(argument)->getType()->isPointerTy())
          return diagnose("the model of " + model->name + " needs a pointer as argument " + Twine(argument) +
                              ", and the prepared program's has none",
                          "a fault of Heddle: optimisation changed a function that it knows by name; please "
                          "report the program, and see docs/design.md for models",
                          function.getName());
  }
  return Error::success();
}

bool is_final_exit(const Function& function, const CallBase& call) {
  const ExternalModel* model = model_of(function);
  return model && !model->returns && function.isDeclaration() && call.getCalledFunction() == &function &&
         any_of(model->clauses, [](const ModelClause& clause) {
           return clause.kind == Kind::System && clause.system == SystemLocation::ProcessExit;
         });
}

} // namespace heddle
