#include "specialize/bpf/pins.h"

#include "specialize/bpf/attachment.h"
#include "specialize/bpf/running.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <bpf/bpf.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

namespace fs = std::filesystem;

constexpr const char *folder_prefix = "heddle-", *program_prefix = "program-", *enter_pin = "begin",
                     *exit_pin = "end";

std::string in(StringRef folder, const llvm::Twine& name) {
  return (folder + "/" + name).str();
}

// Names in a folder; none where it cannot be read.
std::vector<std::string> names_in(StringRef folder, StringRef prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder.str(), error), end; !error && at != end; at.increment(error))
    if (std::string name = at->path().filename(); StringRef(name).starts_with(prefix)) names.push_back(name);
  llvm::sort(names);
  return names;
}

// Nothing where another process has it.
Descriptor lock(StringRef folder) {
  Descriptor fd(open(folder.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return fd;
}

// Once all originals are in place, nobody needs the watch. Errors are of no concern: another process of the session does the same.
void remove_if_done(StringRef folder) {
  if (!names_in(folder, program_prefix).empty()) return;
  unlink(in(folder, enter_pin).c_str());
  unlink(in(folder, exit_pin).c_str());
  rmdir(folder.str().c_str());
}

// The ids of the maps that a program uses.
std::vector<uint32_t> maps_of(int fd) {
  std::vector<uint32_t> ids(64);
  bpf_prog_info info{};
  info.nr_map_ids = ids.size();
  info.map_ids = reinterpret_cast<uintptr_t>(ids.data());
  uint32_t bytes = sizeof info;
  if (bpf_obj_get_info_by_fd(fd, &info, &bytes) != 0) return {};
  ids.resize(std::min<size_t>(info.nr_map_ids, ids.size()));
  return ids;
}

// The maps of the watch behind the pinned link: versions read one of them.
std::vector<uint32_t> maps_of_watch(StringRef folder) {
  Descriptor link(bpf_obj_get(in(folder, enter_pin).c_str()));
  bpf_link_info info{};
  uint32_t bytes = sizeof info;
  if (!link || bpf_obj_get_info_by_fd(link.get(), &info, &bytes) != 0) return {};
  Descriptor program(bpf_prog_get_fd_by_id(info.prog_id));
  return program ? maps_of(program.get()) : std::vector<uint32_t>();
}

// The versions of `original` that are still there: programs of its name that read the watch's map.
std::vector<RunningProgram> versions_of(const RunningProgram& original, const std::vector<uint32_t>& watch) {
  std::vector<RunningProgram> versions;
  for (uint32_t id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
    Descriptor fd(bpf_prog_get_fd_by_id(id));
    auto is_watch_map = [&](uint32_t map) { return llvm::is_contained(watch, map); };
    if (!fd || !llvm::any_of(maps_of(fd.get()), is_watch_map)) continue;
    auto program = open_running_program(std::move(fd));
    if (!program)
      llvm::consumeError(program.takeError());
    else if (program->type == original.type && program->name == original.name)
      versions.push_back(std::move(*program));
  }
  return versions;
}

// One of a session's originals. Its pin stays where a version is in another namespace, or cannot be replaced.
void put_back(StringRef folder, const std::string& pin, const std::vector<uint32_t>& watch,
              std::vector<std::string>& places) {
  std::string path = in(folder, pin);
  auto original = open_running_program(Descriptor(bpf_obj_get(path.c_str())));
  if (!original) return llvm::consumeError(original.takeError());
  bool left = false;
  for (const RunningProgram& version : versions_of(*original, watch)) {
    auto place = Attachment::find(version);
    Error error = place ? place->replace(version.fd.get(), original->fd.get()) : place.takeError();
    if (!error)
      places.push_back(place->where());
    else
      left = true;
    llvm::consumeError(std::move(error));
  }
  if (!left) unlink(path.c_str());
}

} // namespace

bool is_bpf_file_system(StringRef path) {
  struct statfs found{};
  return statfs(path.str().c_str(), &found) == 0 && static_cast<uint32_t>(found.f_type) == BPF_FS_MAGIC;
}

Expected<Pins> Pins::make(StringRef file_system, uint32_t original, const Watch& watch) {
  if (!is_bpf_file_system(file_system))
    return diagnose("is no BPF file system", "`mount -t bpf bpf " + file_system + "`, or give one by --bpffs",
                    file_system);
  std::string folder = in(file_system, folder_prefix + llvm::Twine(original));
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return bpf_error("a folder for pins cannot be made", errno, folder);
  Descriptor held = lock(folder);
  if (!held)
    return diagnose("another Heddle has it", "end that one, or give --bpffs another BPF file system", folder);
  Pins pins(folder, std::move(held));
  for (auto [fd, name] : {std::pair{watch.exit_link(), exit_pin}, std::pair{watch.enter_link(), enter_pin}})
    if (bpf_obj_pin(fd, in(folder, name).c_str()) != 0)
      return bpf_error("the watch cannot be pinned", errno, folder);
  return pins;
}

Error Pins::add(uint32_t original, int fd) const {
  std::string path = in(folder_, program_prefix + llvm::Twine(original));
  if (bpf_obj_pin(fd, path.c_str()) == 0) return Error::success();
  return bpf_error("the original program cannot be pinned", errno, path);
}

void Pins::remove(uint32_t original) const {
  unlink(in(folder_, program_prefix + llvm::Twine(original)).c_str());
  remove_if_done(folder_);
}

Pins::~Pins() {
  if (lock_) remove_if_done(folder_);
}

std::vector<std::string> restore_left_behind(StringRef file_system) {
  std::vector<std::string> places;
  if (!is_bpf_file_system(file_system)) return places;
  for (const std::string& name : names_in(file_system, folder_prefix)) {
    std::string folder = in(file_system, name);
    Descriptor held = lock(folder);
    if (!held) continue; // it is alive
    std::vector<uint32_t> watch = maps_of_watch(folder);
    for (const std::string& pin : names_in(folder, program_prefix))
      put_back(folder, pin, watch, places);
    remove_if_done(folder);
  }
  return places;
}

} // namespace heddle
