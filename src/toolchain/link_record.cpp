#include "toolchain/link_record.h"

#include "support/diagnostic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstring>

namespace heddle {

using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

constexpr StringRef magic = "HEDLINK1";
constexpr size_t header_size = 8 + 8 + 8; // magic, size of the JSON, size of the carried files

constexpr std::array<const char*, 5> kind_names = {"argument", "bitcode", "native", "archive", "library"};

std::optional<LinkInput::Kind> kind_from(StringRef name) {
  for (size_t i = 0; i < kind_names.size(); ++i)
    if (name == kind_names[i]) return LinkInput::Kind(i);
  return std::nullopt;
}

// Paths need not be UTF-8, JSON strings must be.
json::Value text(StringRef s) {
  return json::isUTF8(s) ? json::Value(s) : json::Value(json::Object{{"hex", llvm::toHex(s)}});
}

std::optional<std::string> text_from(const json::Value* value) {
  if (!value) return std::nullopt;
  if (auto s = value->getAsString()) return s->str();
  if (const json::Object* object = value->getAsObject())
    if (auto hex = object->getString("hex")) return llvm::fromHex(*hex);
  return std::nullopt;
}

json::Object to_json(const LinkRecord& record) {
  json::Array inputs, carried, without;
  for (const LinkInput& input : record.recipe.inputs) {
    json::Object entry{{"kind", kind_names[size_t(input.kind)]}, {"text", text(input.text)}};
    if (!input.content.empty()) entry["content"] = text(input.content);
    inputs.push_back(std::move(entry));
  }
  for (const auto& [key, bytes] : record.carried)
    carried.push_back(json::Object{{"key", text(key)}, {"size", int64_t(bytes.size())}});
  for (const std::string& name : record.without_bitcode)
    without.push_back(text(name));
  return json::Object{{"compiler", record.recipe.compiler}, {"directory", text(record.recipe.directory)},
                      {"shared", record.recipe.shared},     {"inputs", std::move(inputs)},
                      {"carried", std::move(carried)},      {"without_bitcode", std::move(without)}};
}

llvm::Error damaged(StringRef what) {
  return diagnose("the record of the link is damaged: " + what,
                  "link the program again with heddle cc / heddle c++");
}

llvm::Error read_inputs(const json::Object& root, LinkRecord& record) {
  const json::Array* inputs = root.getArray("inputs");
  if (!inputs) return damaged("no inputs");
  for (const json::Value& value : *inputs) {
    const json::Object* entry = value.getAsObject();
    if (!entry) return damaged("an input is not an object");
    auto kind = kind_from(entry->getString("kind").value_or(""));
    auto name = text_from(entry->get("text"));
    if (!kind || !name) return damaged("an input without kind or text");
    record.recipe.inputs.push_back({*kind, *name, text_from(entry->get("content")).value_or("")});
  }
  if (const json::Array* without = root.getArray("without_bitcode"))
    for (const json::Value& value : *without)
      record.without_bitcode.push_back(text_from(&value).value_or(""));
  return llvm::Error::success();
}

llvm::Error read_carried(const json::Object& root, StringRef blobs, LinkRecord& record) {
  const json::Array* carried = root.getArray("carried");
  if (!carried) return damaged("no list of carried files");
  for (const json::Value& value : *carried) {
    const json::Object* entry = value.getAsObject();
    auto key = text_from(entry ? entry->get("key") : nullptr);
    auto size = entry ? entry->getInteger("size") : std::nullopt;
    if (!key || !size || *size < 0 || uint64_t(*size) > blobs.size())
      return damaged("a carried file is cut off");
    record.carried.emplace_back(*key, blobs.take_front(*size).str());
    blobs = blobs.drop_front(*size);
  }
  return llvm::Error::success();
}

// Little helpers to lay out an ELF file.
template <typename T> StringRef bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct Section {
  StringRef name;
  uint32_t type;
  uint64_t flags;
  std::string bytes;
  uint64_t align = 1, entry_size = 0;
  uint32_t link = 0, info = 0;
};

// The note that says "safe for every kind of control-flow protection": the linker takes the intersection over
// all inputs, so an object without it would switch the protection of the whole program off.
std::string property_note() {
#if defined(__aarch64__)
  constexpr uint32_t property = llvm::ELF::GNU_PROPERTY_AARCH64_FEATURE_1_AND, all = 3;
#else
  constexpr uint32_t property = llvm::ELF::GNU_PROPERTY_X86_FEATURE_1_AND, all = 3;
#endif
  const uint32_t words[] = {4,   16, llvm::ELF::NT_GNU_PROPERTY_TYPE_0, 0x00554e47 /* "GNU" */, property, 4,
                            all, 0};
  return std::string(reinterpret_cast<const char*>(words), sizeof words);
}

void place(std::string& file, const Section& section, llvm::ELF::Elf64_Shdr& header, std::string& names) {
  std::memset(&header, 0, sizeof header);
  file.append((section.align - file.size() % section.align) % section.align, '\0');
  header.sh_name = names.size();
  names += section.name.str();
  names += '\0';
  header.sh_type = section.type;
  header.sh_flags = section.flags;
  header.sh_offset = file.size();
  header.sh_size = section.bytes.size();
  header.sh_addralign = section.align;
  header.sh_entsize = section.entry_size;
  header.sh_link = section.link;
  header.sh_info = section.info;
  file += section.bytes;
}

} // namespace

std::string recipe_as_json(const LinkRecord& record) {
  std::string out;
  llvm::raw_string_ostream(out) << json::Value(to_json(record));
  return out;
}

std::string encode_link_record(const LinkRecord& record) {
  std::string recipe = recipe_as_json(record), out = magic.str();
  uint64_t blobs = 0;
  for (const auto& [key, bytes] : record.carried)
    blobs += bytes.size();
  char sizes[16];
  llvm::support::endian::write64le(sizes, recipe.size());
  llvm::support::endian::write64le(sizes + 8, blobs);
  out.append(sizes, sizeof sizes);
  out += recipe;
  for (const auto& [key, bytes] : record.carried)
    out += bytes;
  return out;
}

Expected<LinkRecord> decode_link_record(StringRef bytes) {
  if (bytes.size() < header_size || !bytes.starts_with(magic)) return damaged("it does not begin as one");
  uint64_t json_size = llvm::support::endian::read64le(bytes.data() + 8);
  uint64_t blob_size = llvm::support::endian::read64le(bytes.data() + 16);
  StringRef rest = bytes.drop_front(header_size);
  if (json_size > rest.size() || blob_size > rest.size() - json_size) return damaged("it is cut off");
  Expected<json::Value> parsed = json::parse(rest.take_front(json_size));
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return damaged("not JSON");
  }
  const json::Object* root = parsed->getAsObject();
  if (!root) return damaged("not a JSON object");
  LinkRecord record;
  record.recipe.compiler = root->getString("compiler").value_or("clang").str();
  record.recipe.directory = text_from(root->get("directory")).value_or("");
  record.recipe.shared = root->getBoolean("shared").value_or(false);
  if (llvm::Error error = read_inputs(*root, record)) return std::move(error);
  if (llvm::Error error = read_carried(*root, rest.substr(json_size, blob_size), record))
    return std::move(error);
  return record;
}

std::string make_section_object(StringRef name, StringRef bytes) {
  using namespace llvm::ELF;
  constexpr uint64_t retain = 0x200000; // SHF_GNU_RETAIN: ld.bfd drops an object without code otherwise
  std::vector<Section> sections = {
      {name, SHT_PROGBITS, retain, bytes.str()},
      {".note.GNU-stack", SHT_PROGBITS, 0, ""},
      {".note.gnu.property", SHT_NOTE, SHF_ALLOC, property_note(), 8},
      {".symtab", SHT_SYMTAB, 0, std::string(sizeof(Elf64_Sym), '\0'), 8, sizeof(Elf64_Sym), 5, 1},
      {".strtab", SHT_STRTAB, 0, std::string(1, '\0')},
      {".shstrtab", SHT_STRTAB, 0, ""},
  };
  std::string file(sizeof(Elf64_Ehdr), '\0'), names(1, '\0');
  std::vector<Elf64_Shdr> headers(sections.size() + 1);
  std::memset(headers.data(), 0, sizeof(Elf64_Shdr));
  for (size_t i = 0; i + 1 < sections.size(); ++i)
    place(file, sections[i], headers[i + 1], names);
  // The table of names holds its own name, so it is completed before it is placed.
  Section& last = sections.back();
  last.bytes = names + ".shstrtab" + '\0';
  place(file, last, headers.back(), names);
  file.append((8 - file.size() % 8) % 8, '\0');

  Elf64_Ehdr header;
  std::memset(&header, 0, sizeof header);
  std::memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_OSABI] = ELFOSABI_GNU;
  header.e_type = ET_REL;
#if defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#else
  header.e_machine = EM_X86_64;
#endif
  header.e_version = EV_CURRENT;
  header.e_shoff = file.size();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = headers.size();
  header.e_shstrndx = headers.size() - 1;
  std::memcpy(file.data(), &header, sizeof header);
  for (const Elf64_Shdr& h : headers)
    file += bytes_of(h);
  return file;
}

} // namespace heddle
