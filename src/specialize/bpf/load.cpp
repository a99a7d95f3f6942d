// Which object is it that runs? The kernel keeps no path, and its tag leaves out which maps are used. So the object's own
// machine code is loaded once more, by libbpf as the loader did it, on the running program's maps, and its instructions as the
// verifier left them are compared byte by byte with those that run. These hold the ids of maps and offsets into them,
// relocations to the kernel's types, and what the verifier removed because of constants that the loader had set before it
// froze them: whatever differs in one of these is another program.
#include "specialize/bpf/load.h"

#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <fcntl.h>
#include <memory>

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

char Rejected::ID;

void Rejected::log(llvm::raw_ostream& out) const {
  out << "the kernel's verifier refused the program\n" << log_;
}

namespace {

constexpr size_t name_bytes = BPF_OBJ_NAME_LEN - 1;
constexpr size_t log_bytes = 1 << 20;

using Object = std::unique_ptr<bpf_object, decltype(&bpf_object__close)>;

// What a loader puts into maps to begin with, programs into arrays of them, is in the running program's maps already: without
// these relocations libbpf knows of none, and puts nothing there once more.
std::string without_initial_values(StringRef object) {
  using namespace llvm::object;
  std::string bytes = object.str();
  auto file = ELFFile<ELF64LE>::create(bytes);
  auto sections = file ? file->sections() : file.takeError();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return bytes; // libbpf says what is wrong with it
  }
  for (const ELF64LE::Shdr& section : *sections) {
    auto name = file->getSectionName(section);
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (section.sh_type != llvm::ELF::SHT_REL || *name != ".rel.maps") continue;
    size_t type = reinterpret_cast<const char*>(&section.sh_type) - bytes.data();
    llvm::support::endian::write32le(&bytes[type], llvm::ELF::SHT_PROGBITS);
  }
  return bytes;
}

Expected<Object> open_object(StringRef object_bytes, StringRef where, char* log = nullptr) {
  libbpf_set_print(nullptr); // what it has to say is in the errors
  std::string bytes = without_initial_values(object_bytes);
  LIBBPF_OPTS(bpf_object_open_opts, options);
  options.object_name = "heddle";
  options.kernel_log_buf = log;
  options.kernel_log_size = log ? log_bytes : 0;
  Object object(bpf_object__open_mem(bytes.data(), bytes.size(), &options), bpf_object__close);
  if (object) return object;
  return diagnose("libbpf cannot read the object: " + std::string(strerror(errno)),
                  "compile it with -g, for BTF, and with maps in the section .maps", where);
}

bool has_shape_of(const bpf_map& map, const RunningMap& running) {
  return bpf_map__type(&map) == static_cast<bpf_map_type>(running.type) &&
         bpf_map__key_size(&map) == running.key_bytes && bpf_map__value_size(&map) == running.value_bytes;
}

// The section that a map for global variables stands for, as ".rodata"; for other maps the map's name.
StringRef plain_name(const bpf_map& map) {
  StringRef name = bpf_map__name(&map);
  return bpf_map__is_internal(&map) ? name.drop_front(std::min(name.find('.'), name.size())) : name;
}

// Gives each map of the object its place in the running program, or none.
Error reuse_maps(bpf_object& object, const Loading& loading, const RunningProgram& running) {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, &object) {
    bpf_map__set_pin_path(map, nullptr);
    StringRef name = plain_name(*map);
    if (name == constants_section) continue;
    if (name == guard_section) {
      if (bpf_map__reuse_fd(map, loading.guard) != 0)
        return bpf_error("the guard cannot be used", errno, name);
      continue;
    }
    const RunningMap* found = find_running_map(running, name);
    if (!found) {
      bpf_map__set_autocreate(map, false);
      continue;
    }
    if (!has_shape_of(*map, *found))
      return diagnose("map " + name + " has another type or other sizes than the running program's",
                      "give the object that the running program was loaded from", loading.where);
    if (bpf_map__reuse_fd(map, found->fd.get()) != 0) return bpf_error("cannot be used again", errno, name);
  }
  return Error::success();
}

std::string last_lines(StringRef log) {
  constexpr size_t most = 600;
  log = log.rtrim();
  if (log.size() > most) log = log.take_back(most).split('\n').second;
  return log.str();
}

} // namespace

const RunningMap* find_running_map(const RunningProgram& running, StringRef name) {
  for (const RunningMap& map : running.maps)
    if (name.starts_with(".") ? StringRef(map.name).ends_with(name) : name.take_front(name_bytes) == map.name)
      return &map;
  return nullptr;
}

Expected<std::string> function_of(StringRef bytes, StringRef where, const RunningProgram& running) {
  auto object = open_object(bytes, where);
  if (!object) return object.takeError();
  std::vector<std::string> names;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object->get()) {
    StringRef name = bpf_program__name(program);
    if (name.take_front(name_bytes) == running.name) names.push_back(name.str());
  }
  if (names.size() == 1) return names.front();
  return diagnose(names.empty() ? "has no program named " + running.name
                                : "has several programs whose names begin with " + running.name,
                  names.empty() ? "give the object that the running program was loaded from"
                                : "give them names that differ in their first 15 characters",
                  where);
}

Expected<Descriptor> load_version(const Loading& loading, const RunningProgram& running) {
  std::string log(log_bytes, '\0');
  auto object = open_object(loading.object, loading.where, log.data());
  if (!object) return object.takeError();
  bpf_program* wanted = nullptr;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object->get()) {
    bool is_wanted = loading.function == bpf_program__name(program);
    bpf_program__set_autoload(program, is_wanted);
    if (is_wanted) wanted = program;
  }
  if (!wanted)
    return diagnose("has no program named " + loading.function, "give the object that runs", loading.where);
  bpf_program__set_type(wanted, static_cast<bpf_prog_type>(running.type));
  if (Error error = reuse_maps(**object, loading, running)) return std::move(error);
  if (bpf_object__load(object->get()) != 0) {
    int error = errno;
    if (StringRef said(log.c_str()); !said.empty()) return llvm::make_error<Rejected>(last_lines(said));
    return bpf_error("the kernel does not take the program", error, loading.where);
  }
  Descriptor fd(fcntl(bpf_program__fd(wanted), F_DUPFD_CLOEXEC, 0));
  if (!fd) return bpf_error("no more files can be opened", errno, loading.where);
  return fd;
}

Error check_object_matches(const Loading& loading, const RunningProgram& running) {
  auto differs = [&](const llvm::Twine& how) {
    return diagnose("is not the program that runs as " + llvm::Twine(running.id) + " (" + running.name +
                        "): " + how,
                    "give the very object that was loaded, built by `heddle cc`", loading.where);
  };
  auto fd = load_version(loading, running);
  if (!fd)
    return llvm::handleErrors(fd.takeError(), [&](const Rejected&) {
      return differs("the verifier refuses it on the running program's maps");
    });
  auto loaded = open_running_program(std::move(*fd));
  if (!loaded) return loaded.takeError();
  if (loaded->code.size() != running.code.size())
    return differs(llvm::Twine(loaded->code.size() / 8) + " instructions instead of " +
                   llvm::Twine(running.code.size() / 8));
  if (loaded->code != running.code) return differs("the instructions differ");
  return Error::success();
}

} // namespace heddle
