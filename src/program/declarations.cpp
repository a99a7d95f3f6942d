#include "program/declarations.h"

#include "support/file.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace heddle {

namespace {

using llvm::ArrayRef;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

std::string quoted(ArrayRef<StringRef> words) {
  std::string text;
  for (StringRef word : words)
    text += (text.empty() ? "\"" : ", \"") + word.str() + "\"";
  return text;
}

const char* type_name(const toml::node& node) {
  switch (node.type()) {
  case toml::node_type::table:
    return "a table";
  case toml::node_type::array:
    return "an array";
  case toml::node_type::string:
    return "a string";
  case toml::node_type::integer:
  case toml::node_type::floating_point:
    return "a number";
  case toml::node_type::boolean:
    return "true or false";
  default:
    return "a date or time";
  }
}

class Reader {
public:
  explicit Reader(StringRef path) { result_.file = path.str(); }

  llvm::Expected<Declarations> read(const toml::table& file) {
    if (Error error =
            only(file, {"commute", "declared", "scratch", "keyed", "output", "allocators", "specialize"},
                 "the file"))
      return std::move(error);
    for (const char* kind : {"commute", "declared", "scratch", "keyed", "output"})
      if (const toml::node* tables = file.get(kind)) {
        const toml::array* array = tables->as_array();
        if (!array || !array->is_array_of_tables())
          return fail(*tables, Twine("'") + kind + "' is " + type_name(*tables),
                      Twine("write [[") + kind + "]] on a line of its own");
        for (const toml::node& table : *array)
          if (Error error = read_table(kind, *table.as_table())) return std::move(error);
      }
    if (const toml::node* table = file.get("allocators")) {
      if (!table->is_table())
        return fail(*table, Twine("'allocators' is ") + type_name(*table),
                    "write [allocators] on a line of its own");
      if (Error error = read_table("allocators", *table->as_table())) return std::move(error);
    }
    auto count = [&](StringRef kind) {
      return size_t(llvm::count_if(result_.all, [&](const Declaration& d) { return d.kind == kind; }));
    };
    if (count("keyed") > most_keys)
      return fail(*file.get("keyed"), "more than " + Twine(most_keys) + " keys",
                  "join locations that have the same key");
    if (llvm::count_if(result_.all, [](const Declaration& d) { return !d.make.empty(); }) >
        std::ptrdiff_t(most_own_objects))
      return fail(*file.get("scratch"),
                  "more than " + Twine(most_own_objects) + " of [[scratch]] with a pointer",
                  "join pointers to one kind of object");
    if (count("commute") > most_commuting_groups)
      return fail(*file.get("commute"), "more than " + Twine(most_commuting_groups) + " groups that commute",
                  "join groups whose calls commute with each other, too");
    return std::move(result_);
  }

private:
  Error fail(const toml::node& at, const Twine& what, const Twine& hint) const {
    return fail(at.source().begin.line, what, hint);
  }
  Error fail(unsigned line, const Twine& what, const Twine& hint) const {
    return diagnose(what, hint, result_.file + ":" + Twine(line));
  }

  Error only(const toml::table& table, ArrayRef<StringRef> known, const Twine& where) const {
    for (const auto& [key, value] : table)
      if (StringRef name = key.str(); !llvm::is_contained(known, name))
        return fail(key.source().begin.line, "unknown key '" + name + "' in " + where,
                    "the keys are " + quoted(known));
    return Error::success();
  }

  Error read_table(StringRef kind, const toml::table& table) {
    Declaration made;
    made.kind = kind.str();
    if (kind == "commute") {
      if (Error error = only(table, {"functions", "differs", "why", "through_pointers"}, "[[commute]]"))
        return error;
      if (Error error = names(table, "functions", made.names, made.lines)) return error;
      if (Error error = text(table, "differs", made.differs)) return error;
      if (!llvm::is_contained(differs_values(), made.differs))
        return fail(*table.get("differs"), "'differs' is \"" + made.differs + "\"",
                    "say what another order may change: " + quoted(differs_values()));
      if (Error error = text(table, "why", made.why)) return error;
      if (table.contains("through_pointers"))
        if (Error error = names(table, "through_pointers", made.through_pointers, made.lines)) return error;
    } else if (kind == "scratch" && table.contains("pointer")) {
      if (Error error = read_pointer(table, made)) return error;
    } else if (kind == "declared" || kind == "scratch") {
      const char* named = kind == "declared" ? "location" : "variable";
      const bool of_all = kind == "declared" && table.contains("shared");
      if (Error error = only(table, {named, "why", of_all ? "shared" : "why"}, "[[" + kind + "]]"))
        return error;
      if (Error error = text(table, named, made.names.emplace_back())) return error;
      made.lines.push_back(table.get(named)->source().begin.line);
      if (of_all && !made.is_of_all_memory())
        return fail(*table.get("shared"), "'shared' goes with location = \"" + all_memory + "\" only",
                    "remove it, or declare all memory but these locations");
      std::vector<unsigned> unused;
      if (of_all)
        if (Error error = names(table, "shared", made.shared, unused)) return error;
      if (Error error = text(table, "why", made.why)) return error;
    } else if (kind == "output") {
      if (Error error = only(table, {"functions", "why"}, "[[output]]")) return error;
      if (Error error = names(table, "functions", made.names, made.lines)) return error;
      if (Error error = text(table, "why", made.why)) return error;
    } else if (kind == "keyed") {
      if (Error error = read_keyed(table, made)) return error;
    } else {
      if (Error error = only(table, {"functions"}, "[allocators]")) return error;
      if (Error error = names(table, "functions", made.names, made.lines)) return error;
    }
    result_.all.push_back(std::move(made));
    return Error::success();
  }

  Error read_pointer(const toml::table& table, Declaration& made) {
    if (Error error = only(table, {"pointer", "make", "why"}, "[[scratch]] with a pointer")) return error;
    if (Error error = one_or_several(table, "pointer", made.names, made.lines)) return error;
    if (Error error = text(table, "make", made.make)) return error;
    if (StringRef make = made.make; make.find('(') == 0 || !make.contains('(') || !make.ends_with(")"))
      return fail(
          *table.get("make"), "'make' is \"" + make + "\"",
          "write a call of the function that makes such an object, with numbers: \"buffer_new(512)\"");
    return text(table, "why", made.why);
  }

  Error read_keyed(const toml::table& table, Declaration& made) {
    if (Error error = only(table, {"key", "fresh", "locations", "shared", "why"}, "[[keyed]]")) return error;
    if (Error error = keys(table, "key", made.names, made.lines)) return error;
    if (table.contains("fresh"))
      if (Error error = keys(table, "fresh", made.fresh, made.lines)) return error;
    std::vector<unsigned> unused;
    for (auto [key, out] : {std::pair("locations", &made.locations), std::pair("shared", &made.shared)})
      if (table.contains(key))
        if (Error error = names(table, key, *out, unused)) return error;
    if (!made.locations.empty() && !made.shared.empty())
      return fail(*table.get("shared"), "both 'locations' and 'shared' are given",
                  "say which locations are keyed, or which are not");
    return text(table, "why", made.why);
  }

  Error one_or_several(const toml::table& table, const std::string& key, std::vector<std::string>& out,
                       std::vector<unsigned>& lines) const {
    const toml::node* node = table.get(key);
    if (!node || !node->is_string()) return names(table, key, out, lines);
    out.push_back(node->as_string()->get());
    lines.push_back(node->source().begin.line);
    return Error::success();
  }

  // One or several of "function()" and "function(variable)".
  Error keys(const toml::table& table, const std::string& key, std::vector<std::string>& out,
             std::vector<unsigned>& lines) const {
    if (Error error = one_or_several(table, key, out, lines)) return error;
    const toml::node* node = table.get(key);
    for (StringRef name : out)
      if (auto [function, variable] = name.split('('); function.empty() || !variable.ends_with(")"))
        return fail(*node, "'" + key + "' holds \"" + name + "\"",
                    "write \"function()\" for what it returns, \"function(variable)\" for a variable of its");
    return Error::success();
  }

  Error text(const toml::table& table, const char* key, std::string& out) const {
    const toml::node* node = table.get(key);
    if (!node) return fail(table, Twine("'") + key + "' is missing", Twine("add ") + key + " = \"...\"");
    const auto* value = node->as_string();
    if (!value || value->get().empty())
      return fail(*node, Twine("'") + key + "' is " + (value ? "empty" : type_name(*node)),
                  Twine("write ") + key + " = \"...\"");
    out = value->get();
    return Error::success();
  }

  Error names(const toml::table& table, const std::string& key, std::vector<std::string>& out,
              std::vector<unsigned>& lines) const {
    const std::string hint = "write " + key + " = [\"name\", ...]";
    const toml::node* node = table.get(key);
    if (!node) return fail(table, "'" + key + "' is missing", hint);
    const toml::array* array = node->as_array();
    if (!array || array->empty())
      return fail(*node, "'" + key + "' is " + (array ? "empty" : type_name(*node)), hint);
    for (const toml::node& element : *array) {
      const auto* name = element.as_string();
      if (!name) return fail(element, "'" + key + "' holds " + type_name(element), hint);
      out.push_back(name->get());
      lines.push_back(element.source().begin.line);
    }
    return Error::success();
  }

  Declarations result_;
};

} // namespace

ArrayRef<StringRef> differs_values() {
  static const StringRef values[] = {"nothing", "iteration order", "eviction order", "addresses"};
  return values;
}

std::vector<std::string> Declarations::functions() const {
  std::vector<std::string> names;
  for (const Declaration& declaration : all)
    if (declaration.names_functions()) llvm::append_range(names, declaration.names);
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

Declarations Declarations::trusted(StringRef trust) const {
  Declarations result = *this;
  if (trust == "proven")
    llvm::erase_if(result.all, [](const Declaration& d) { return d.kind != "allocators"; });
  return result;
}

std::string Declarations::place(const Declaration& declaration, size_t name) const {
  if (declaration.names.front() == annotated_key) return annotated_key.str();
  if (name >= declaration.lines.size()) return file;
  return file + ":" + std::to_string(declaration.lines[name]);
}

llvm::Expected<Declarations> read_declarations(StringRef path) {
  auto buffer = read_file(path);
  if (!buffer) return buffer.takeError();
  toml::parse_result parsed =
      toml::parse(std::string_view((*buffer)->getBufferStart(), (*buffer)->getBufferSize()));
  if (!parsed)
    return diagnose(Twine("no TOML: ") + StringRef(parsed.error().description()),
                    "docs/guide.md, \"heddle.toml\", shows what the file may hold",
                    path + ":" + Twine(parsed.error().source().begin.line));
  return Reader(path).read(parsed.table());
}

} // namespace heddle
